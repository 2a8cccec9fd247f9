//! What holds from one reload to the next.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
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
pub(crate) struct Member {
    number: AtomicUsize,
    /// Probes that wait for its answer.
    asked: AtomicU32,
}

/// The number of a server that the switch has no more.
const GONE: usize = usize::MAX;
/// So many probes may wait for a server's answer: one that hangs is not asked on and on.
const ASKED_MAX: u32 = 8;

/// A probe that waits, until it is dropped.
#[derive(Debug)]
pub(crate) struct Asking(Arc<Member>);

impl Drop for Asking {
    fn drop(&mut self) {
        self.0.asked.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Member {
    pub(crate) fn new(number: usize) -> Member {
        Member { number: AtomicUsize::new(number), asked: AtomicU32::new(0) }
    }

    /// Its number, while the state of the desk is held; none if it is no server of the switch now.
    pub(crate) fn number(&self) -> Option<usize> {
        Some(self.number.load(Ordering::Relaxed)).filter(|number| *number != GONE)
    }

    pub(crate) fn set_number(&self, number: Option<usize>) {
        self.number.store(number.unwrap_or(GONE), Ordering::Relaxed);
    }

    /// Another probe, if no more wait than may.
    pub(crate) fn asking(self: &Arc<Member>) -> Option<Asking> {
        // Two threads may both find one place left, and one of them then gives it back.
        let asking = (self.asked.fetch_add(1, Ordering::Relaxed), Asking(Arc::clone(self)));
        (asking.0 < ASKED_MAX).then_some(asking.1)
    }
}
