//! Delays: waits of a given length, beside any number of others.

use thinktime_file::schema::SchemaError;
use thinktime_file::system::StepTable;
use thinktime_file::time::Nanos;

use super::ids::NodeId;
use super::jobs::{Handle, Jobs, Place};
use super::machine::Cause;
use super::node::{Answer, Build, Building, Node, NodeModel, Visit};
use super::read::Reading;
use crate::heap::Heap;

/// The system has delays.
#[derive(Clone, Copy, Debug)]
pub struct DelayModel;

/// All delays.
#[derive(Debug)]
pub(super) struct Delay {
    id: NodeId,
    /// By the end of their delay.
    waiting: Heap<Handle>,
}

impl DelayModel {
    /// The entry of a delay for a timer, or for a disk.
    pub(super) fn entry(disk: bool) -> u32 {
        u32::from(disk)
    }
}

impl NodeModel for DelayModel {
    /// One node, if any step is a delay.
    fn read(reading: &Reading<'_>) -> Result<Vec<DelayModel>, SchemaError> {
        fn any(steps: &[StepTable]) -> bool {
            let inner = |step: &StepTable| step.fork.iter().flatten().any(|part| any(part));
            steps.iter().any(|step| step.delay.is_some() || inner(step))
        }
        let delays = reading.file.behaviour.iter().any(|one| any(&one.steps));
        Ok(delays.then_some(DelayModel).into_iter().collect())
    }

    fn name(&self) -> &'static str {
        "delay"
    }
}

impl Build for DelayModel {
    type Node = Delay;

    fn build(&self, id: NodeId, _: &Building<'_>) -> Delay {
        Delay { id, waiting: Heap::new() }
    }
}

impl Node for Delay {
    fn arrive(&mut self, now: Nanos, visit: Visit, jobs: &mut Jobs) -> Answer {
        let visitor = &mut jobs[visit.handle];
        let disk = visit.entry == DelayModel::entry(true);
        visitor.waited_for = if disk { Cause::Disk } else { Cause::Timer };
        visitor.place = Place::Inside(self.id);
        // Its length is not a service.
        visitor.demand = Nanos::ZERO;
        self.waiting.push((now + visit.demand).0, visit.handle);
        Answer::Stays
    }

    #[inline]
    fn next_event(&self) -> Nanos {
        self.waiting.peek().map_or(Nanos::MAX, |(at, _)| Nanos(at))
    }

    fn advance(&mut self, _: Nanos, jobs: &mut Jobs) -> Option<Handle> {
        let (_, handle) = self.waiting.pop()?;
        jobs.still_waits(handle).then_some(handle)
    }

    fn withdraw(&mut self, _: Nanos, _: Handle, _: &mut Jobs) -> bool {
        true
    }
}
