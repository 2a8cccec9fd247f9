//! What holds from one reload to the next.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::counts::Counts;
use crate::plan::Plan;

/// The cluster with its servers, and what is counted under it.
#[derive(Debug)]
pub(crate) struct Term {
    pub(crate) plan: Plan,
    pub(crate) counts: Counts,
    pub(crate) members: Vec<Arc<Member>>,
}

impl Term {
    /// How late the switch hears that a request has ended.
    pub(crate) fn seen_after(&self) -> Duration {
        Duration::from_nanos(self.plan.cluster.seen_after.0)
    }
}

/// A server, whose number may be another one after a reload.
#[derive(Debug)]
pub(crate) struct Member(AtomicUsize);

/// The number of a server that the switch has no more.
const GONE: usize = usize::MAX;

impl Member {
    pub(crate) fn new(number: usize) -> Member {
        Member(AtomicUsize::new(number))
    }

    /// Its number, while the state of the desk is held; none if it is no server of the switch now.
    pub(crate) fn number(&self) -> Option<usize> {
        Some(self.0.load(Ordering::Relaxed)).filter(|number| *number != GONE)
    }

    pub(crate) fn set_number(&self, number: Option<usize>) {
        self.0.store(number.unwrap_or(GONE), Ordering::Relaxed);
    }
}
