//! Replications that cannot reach their end: the clock has no more time, or requests wait for one
//! another.

use std::collections::BTreeSet;

use thinktime_core::file::Cancel;
use thinktime_core::system::{AnyNodeModel, Deadlock, Job, LimitedParts, SystemModel};
use thinktime_core::time::Nanos;
use thinktime_core::workload::Workload;

use super::{Course, Driver, Stall};
use crate::modelled_system::ModelledSystem;

/// Events at this time, after 292 years, or later are not simulated. Sums of two times up to it are
/// still times.
pub(super) const CLOCK_END: Nanos = Nanos(1 << 63);
/// Between two looks for a deadlock there are this many events for each request that is present:
/// then they cost less than a hundredth of the time.
const EVENTS_PER_REQUEST: u64 = 128;

/// The properties of workload and system that tell a dead end from an end.
pub(super) struct DeadEnds {
    parts: LimitedParts,
    names: Vec<String>,
    /// By kind of request, when it leaves the system by itself; `None` for never.
    leaves: Vec<Option<Cancel>>,
    /// Whether sessions arrive without an end.
    endless: bool,
    /// Whether what is present must have an event ahead, if it is in no deadlock. The servers of a
    /// cluster may be down for good.
    moves: bool,
    /// Events since the last look for a deadlock.
    events: u64,
}

impl DeadEnds {
    pub(super) fn new(workload: &Workload, model: &SystemModel) -> DeadEnds {
        let kinds = || workload.requests.iter();
        DeadEnds {
            parts: model.limited_parts(),
            names: kinds().map(|kind| kind.name.clone()).collect(),
            leaves: kinds().map(|kind| kind.gives_up().then_some(kind.cancel)).collect(),
            endless: workload.arrivals_are_endless(),
            moves: !model.nodes.iter().any(|one| matches!(one, AnyNodeModel::Cluster(_))),
            events: 0,
        }
    }

    /// Whether to look for a deadlock, after `events` more events, with `number` requests present.
    pub(super) fn look_is_due(&mut self, events: u64, number: u64) -> bool {
        self.events += events;
        let due = !self.parts.is_empty() && self.events >= EVENTS_PER_REQUEST * number.max(1);
        self.events = if due { 0 } else { self.events };
        due
    }

    fn words(&self, found: &Deadlock) -> String {
        let one = |(kind, held, wanted): &(u32, Vec<String>, String)| {
            let name = &self.names[*kind as usize];
            match held.as_slice() {
                [] => format!("`{name}` waits for `{wanted}`"),
                held => format!("`{name}` has `{}` and waits for `{wanted}`", held.join("`, `")),
            }
        };
        found.waits.iter().map(one).collect::<Vec<_>>().join("; ")
    }
}

impl<M: ModelledSystem> Driver<'_, M> {
    /// Why no event is due, unless all is over.
    pub(super) fn dead_end(&self) -> Option<Stall> {
        let arrives = self.dead_ends.endless && self.clients.arrivals_ran_out();
        let waits = self.dead_ends.moves && self.system.next_event().is_never() && self.is_inside();
        let beyond = (arrives || waits).then_some(Stall::ClockEnd { at: self.now });
        self.deadlock().or(beyond)
    }

    /// Whether requests are present whose end is not known.
    fn is_inside(&self) -> bool {
        !M::KNOWS_DEPARTURES && self.system.number() > 0
    }

    /// The deadlock of the requests that are present.
    pub(super) fn deadlock(&self) -> Option<Stall> {
        let DeadEnds { parts, leaves, .. } = &self.dead_ends;
        // Who was given up while it did not wait stays, however long it then waits.
        let wanted: BTreeSet<u64> = match leaves.contains(&Some(Cancel::Queued)) {
            true => self.waiting().iter().map(|one| one.ticket.to_word()).collect(),
            false => BTreeSet::new(),
        };
        let patient = |job: &Job| match leaves[job.kind as usize] {
            None | Some(Cancel::Never) => true,
            Some(Cancel::Queued) => !wanted.contains(&job.token),
            Some(Cancel::Always) => false,
        };
        let found = self.system.deadlock(parts, &patient)?;
        let (requests, who) = (found.requests, self.dead_ends.words(&found));
        Some(Stall::Deadlock { requests, who, at: self.now })
    }

    /// Ends the replication here.
    pub(super) fn stop_at(&mut self, stuck: Stall) {
        self.stuck = Some(stuck);
        self.cut_short();
        self.close();
    }
}
