//! The cluster, its servers and their counters from one reload to the next.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::Duration;

use crate::counters::Counters;
use crate::plan::Plan;

/// The cluster with its servers, and its counters.
#[derive(Debug)]
pub(crate) struct Generation {
    pub(crate) plan: Plan,
    pub(crate) counts: Counters,
    pub(crate) members: Vec<Arc<Member>>,
}

impl Generation {
    /// The delay until the switch learns that a request has ended.
    pub(crate) fn seen_after(&self) -> Duration {
        Duration::from_nanos(self.plan.cluster.seen_after.0)
    }
}

/// A server, whose number may be another one after a reload.
#[derive(Debug)]
pub(crate) struct Member {
    number: AtomicUsize,
    /// Probes that wait for its answer.
    probes: AtomicU32,
}

/// The number of a server that the switch no longer has.
const GONE: usize = usize::MAX;
/// The most waiting probes of one server: one that hangs is not probed again and again.
const PROBES_MAX: u32 = 8;

/// A probe that waits, until it is dropped.
#[derive(Debug)]
pub(crate) struct ProbeSlot(Arc<Member>);

impl Drop for ProbeSlot {
    fn drop(&mut self) {
        self.0.probes.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Member {
    pub(crate) fn new(number: usize) -> Member {
        Member { number: AtomicUsize::new(number), probes: AtomicU32::new(0) }
    }

    /// Its number, while the state of the dispatcher is held; `None` if it is no current server of
    /// the switch.
    pub(crate) fn number(&self) -> Option<usize> {
        Some(self.number.load(Ordering::Relaxed)).filter(|number| *number != GONE)
    }

    pub(crate) fn set_number(&self, number: Option<usize>) {
        self.number.store(number.unwrap_or(GONE), Ordering::Relaxed);
    }

    /// Another probe, if fewer than the maximum wait.
    pub(crate) fn probe_slot(self: &Arc<Member>) -> Option<ProbeSlot> {
        // Two threads may both find one free place, and one of them then gives it back.
        let slot = (self.probes.fetch_add(1, Ordering::Relaxed), ProbeSlot(Arc::clone(self)));
        (slot.0 < PROBES_MAX).then_some(slot.1)
    }
}
