//! Work that is served all at once, at equal shares of some servers.
//!
//! With n pieces on c servers each is served at the rate min(1, c/n). *Virtual time* runs at that
//! rate. A piece that comes at virtual time v with demand s is done at virtual time v + s, whatever
//! comes between (Kleinrock, Queueing Systems 2, ch. 4.4). So an arrival and a departure cost one
//! operation of a priority queue each, however many there are.

use thinktime_file::time::Nanos;

use crate::queue::Queue;

#[derive(Debug)]
pub(super) struct EqualShares<T: Copy> {
    servers: f64,
    /// The rate at which each piece is served: cached, because a division takes long.
    rate: f64,
    /// By the virtual time at which it is done; a positive float's bits keep its order.
    work: Queue<T>,
    /// Virtual time in nanoseconds, at `updated`.
    virtual_now: f64,
    updated: Nanos,
    next: Nanos,
}

/// Virtual time is set back to zero beyond this, where a float still resolves 0.0002 ns.
const VIRTUAL_TIME_MAX: f64 = (1u64 << 40) as f64;

/// The smaller one of two numbers, by one instruction: [`f64::min`] takes five, because of NaN.
#[inline(always)]
pub(super) fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The larger one of two numbers; see [`smaller`].
#[inline(always)]
pub(super) fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

impl<T: Copy> EqualShares<T> {
    pub(super) fn new(servers: u32) -> EqualShares<T> {
        EqualShares {
            servers: servers.into(),
            rate: 1.0,
            work: Queue::new(),
            virtual_now: 0.0,
            updated: Nanos::ZERO,
            next: Nanos::MAX,
        }
    }

    #[inline]
    pub(super) fn next_event(&self) -> Nanos {
        self.next
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.work.len()
    }

    #[inline(always)]
    pub(super) fn push(&mut self, now: Nanos, demand: Nanos, item: T) {
        self.pass(now);
        let done = self.virtual_now + demand.as_f64();
        self.work.push(done.to_bits(), item);
        self.find_next();
    }

    /// The next piece to be done, which is due at [`EqualShares::next_event`].
    #[inline(always)]
    pub(super) fn pop(&mut self, now: Nanos) -> Option<T> {
        let (key, item) = self.work.pop()?;
        // Set rather than summed up: rounding to nanoseconds never accumulates.
        self.virtual_now = f64::from_bits(key);
        self.updated = now;
        if self.work.len() == 0 {
            self.virtual_now = 0.0;
        } else if self.virtual_now > VIRTUAL_TIME_MAX {
            let passed = self.virtual_now;
            self.work.map_keys(|key| (f64::from_bits(key) - passed).to_bits());
            self.virtual_now = 0.0;
        }
        self.find_next();
        Some(item)
    }

    /// The rest of a piece, at a cost that grows with their number; zero without a piece.
    pub(super) fn left(&mut self, now: Nanos, so: impl Fn(&T) -> bool) -> Nanos {
        self.pass(now);
        let left = self.work.key_of(so).map(|key| f64::from_bits(key) - self.virtual_now);
        Nanos::nearest(larger(left.unwrap_or(0.0), 0.0))
    }

    /// Removes a piece that is not done.
    pub(super) fn remove(&mut self, now: Nanos, so: impl Fn(&T) -> bool) {
        self.pass(now);
        self.work.remove(so);
        self.find_next();
    }

    /// Lets virtual time run up to `now`.
    #[inline]
    fn pass(&mut self, now: Nanos) {
        if let Some((key, _)) = self.work.peek() {
            let passed = now.since(self.updated).as_f64() * self.rate;
            // The next piece is due no later than its rounded time: never run past it.
            self.virtual_now = smaller(self.virtual_now + passed, f64::from_bits(key));
        }
        self.updated = now;
    }

    /// The number of pieces has changed, or virtual time has.
    #[inline]
    fn find_next(&mut self) {
        self.next = match self.work.peek() {
            None => Nanos::MAX,
            Some((key, _)) => {
                // There are fewer than 2^32, which one instruction converts.
                let number = f64::from(self.work.len() as u32);
                self.rate = smaller(self.servers / number, 1.0);
                let left = larger(f64::from_bits(key) - self.virtual_now, 0.0) / self.rate;
                self.updated + Nanos::nearest(left)
            }
        };
    }
}
