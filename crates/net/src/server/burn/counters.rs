//! The work of a burning server so far.

use std::sync::atomic::{AtomicU64, Ordering};

use thinktime_core::time::Nanos;

use super::control_group::CpuStat;

/// The work of a burning server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BurnTotals {
    /// Requests that were answered.
    pub requests: u64,
    /// Requests that were refused: malformed ones, and those without a free thread.
    pub refused: u64,
    /// The CPU demands of the answered requests together.
    pub demanded: Nanos,
    /// The CPU time of the server's threads: for these demands, for reading, writing and starting
    /// threads, and for requests that the server's end cut off.
    pub used: Nanos,
    /// The figures of its control group, if its CPU time is limited.
    pub limit: Option<CpuStat>,
}

/// The same, counted by many threads.
#[derive(Debug, Default)]
pub(super) struct Counters {
    requests: AtomicU64,
    refused: AtomicU64,
    demanded: AtomicU64,
    used: AtomicU64,
}

impl Counters {
    pub(super) fn answered(&self, demanded: Nanos) {
        add(&self.requests, 1);
        add(&self.demanded, demanded.0);
    }

    pub(super) fn refused(&self) {
        add(&self.refused, 1);
    }

    /// A thread has ended that used this much CPU time in all.
    pub(super) fn thread_ended(&self, used: Nanos) {
        add(&self.used, used.0);
    }

    /// The numbers, which are consistent once all threads have ended.
    pub(super) fn total(&self) -> BurnTotals {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        BurnTotals {
            requests: of(&self.requests),
            refused: of(&self.refused),
            demanded: Nanos(of(&self.demanded)),
            used: Nanos(of(&self.used)),
            limit: None,
        }
    }
}

fn add(counter: &AtomicU64, amount: u64) {
    counter.fetch_add(amount, Ordering::Relaxed);
}
