//! What a burning server has done so far.

use std::sync::atomic::{AtomicU64, Ordering};

use thinktime_core::time::Nanos;

/// What a burning server did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Burned {
    /// Requests that were answered.
    pub requests: u64,
    /// Requests that were refused: malformed ones, and those that no thread could be had for.
    pub refused: u64,
    /// The CPU demands of the answered requests together.
    pub demanded: Nanos,
    /// The CPU time that was burned for them.
    pub burned: Nanos,
    /// The CPU time that the server's threads used besides: reading, writing, starting threads,
    /// and requests that the server's end cut off.
    pub besides: Nanos,
}

/// The same, counted by many threads.
#[derive(Debug, Default)]
pub(super) struct Counters {
    requests: AtomicU64,
    refused: AtomicU64,
    demanded: AtomicU64,
    burned: AtomicU64,
    cpu: AtomicU64,
}

impl Counters {
    pub(super) fn answered(&self, demanded: Nanos, burned: Nanos) {
        add(&self.requests, 1);
        add(&self.demanded, demanded.0);
        add(&self.burned, burned.0);
    }

    pub(super) fn refused(&self) {
        add(&self.refused, 1);
    }

    /// A thread has ended that has used so much CPU time in all.
    pub(super) fn thread_ended(&self, cpu: Nanos) {
        add(&self.cpu, cpu.0);
    }

    /// The numbers, which fit together once all threads have ended.
    pub(super) fn total(&self) -> Burned {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let burned = Nanos(of(&self.burned));
        Burned {
            requests: of(&self.requests),
            refused: of(&self.refused),
            demanded: Nanos(of(&self.demanded)),
            burned,
            besides: Nanos(of(&self.cpu)).since(burned),
        }
    }
}

fn add(counter: &AtomicU64, amount: u64) {
    counter.fetch_add(amount, Ordering::Relaxed);
}
