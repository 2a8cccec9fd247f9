//! A replication, from what it needs to its result.

use serde::{Deserialize, Serialize};
use thinktime_core::limit::Limit;
use thinktime_core::record::{Collector, RunProgress, Window};
use thinktime_core::system::SystemModel;
use thinktime_core::time::Nanos;
use thinktime_core::workload::Workload;

use super::{ProgressLimits, Stall};
use crate::node_figures::{NodeFigures, Nodes};

/// The result of one replication.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Replication {
    pub(crate) collector: Collector,
    pub(crate) window: Window,
    pub(crate) measured: NodeFigures,
    pub(crate) sessions: u64,
    /// The nodes' figures from the beginning of the measured time up to evenly spaced times of it.
    pub(crate) checkpoints: Vec<Nodes>,
    /// Why it was given up, if it was.
    pub(crate) stuck: Option<Stall>,
}

/// The input of a replication.
pub(crate) struct Setup<'a> {
    pub(crate) workload: &'a Workload,
    pub(crate) model: &'a SystemModel,
    pub(crate) limit: Limit,
    pub(crate) progress: ProgressLimits,
    /// Its number, which its rows have.
    pub(crate) number: u32,
    /// The timeline's interval.
    pub(crate) interval: Nanos,
    /// Whether to keep the nodes' figures at a few times, from which their intervals follow.
    pub(crate) checkpoints: bool,
}

/// A replication under way.
pub(crate) trait Course {
    /// Handles up to `events` events; says whether more are due and the replication makes progress.
    fn proceed(&mut self, events: u64) -> bool;

    /// Begins no further request, before the planned end.
    fn cut_short(&mut self);

    /// Whether no further request is begun.
    fn closed(&self) -> bool;

    /// The time of the last event.
    fn now(&self) -> Nanos;

    fn collector(&self) -> &Collector;

    /// The present sessions: those that think, and those that wait for a response.
    fn sessions(&self) -> u64;

    /// The number of requests in the system.
    fn in_system(&self) -> u64;

    /// Whether a look is due, however few events were handled since the last one, because links
    /// have sent much.
    fn look_is_due(&mut self) -> bool;

    /// Shows the sink the result if the run ended now; `figures` makes figures of it.
    fn look(&mut self, figures: &dyn Fn(Replication) -> RunProgress);

    /// The result so far. A run that was cut short was measured up to now.
    fn finish(self: Box<Self>) -> Replication;
}
