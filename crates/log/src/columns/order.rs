//! Entries in the order of time: several writers log requests when they end.

use super::visit::Visit;

/// An entry waits for earlier ones until the log is this far beyond it.
const WINDOW_NS: i64 = 120_000_000_000;
/// A batch that is older than the previous one by more than this starts a new order.
const RESET_NS: i64 = 1_800_000_000_000;
/// The most waiting entries.
const WAITING_MAX: usize = 1 << 16;

/// Sorts visits.
#[derive(Debug, Default)]
pub(super) struct Order {
    waiting: Vec<Visit>,
    /// The latest time so far.
    latest: Option<i64>,
    /// The time of the last visit.
    previous: Option<i64>,
    /// How often the log's time went back by more than can be sorted.
    pub(super) backwards: u64,
}

impl Order {
    /// Takes visits in the order of the log, and hands on those that are ready.
    pub(super) fn take(&mut self, visits: &[Visit], mut hand: impl FnMut(&[Visit])) {
        let Some(newest) = visits.iter().map(|visit| visit.time_ns).max() else { return };
        let latest = match self.latest {
            // The clock was set back, or an older file follows.
            Some(latest) if newest < latest - RESET_NS => newest,
            Some(latest) => latest.max(newest),
            None => newest,
        };
        self.latest = Some(latest);
        for visit in visits {
            let before = self.previous.replace(visit.time_ns);
            self.backwards += u64::from(before.is_some_and(|at| visit.time_ns < at - WINDOW_NS));
        }
        self.waiting.extend_from_slice(visits);
        // Sorting costs little if they are in order, or nearly so.
        self.waiting.sort_by_key(|visit| visit.time_ns);
        let due = self.waiting.partition_point(|visit| visit.time_ns <= latest - WINDOW_NS);
        let due = due.max(self.waiting.len().saturating_sub(WAITING_MAX));
        self.release(due, &mut hand);
    }

    /// Hands on all waiting visits.
    pub(super) fn finish(&mut self, mut hand: impl FnMut(&[Visit])) {
        self.release(self.waiting.len(), &mut hand);
    }

    fn release(&mut self, count: usize, hand: &mut impl FnMut(&[Visit])) {
        hand(&self.waiting[..count]);
        self.waiting.drain(..count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visits(seconds: &[i64]) -> Vec<Visit> {
        let visit = |s: &i64| Visit { time_ns: s * 1_000_000_000, ..Visit::default() };
        seconds.iter().map(visit).collect()
    }

    #[test]
    fn what_is_out_of_order_by_less_than_two_minutes_is_put_in_order() {
        let mut order = Order::default();
        let mut found = Vec::new();
        let mut note =
            |some: &[Visit]| found.extend(some.iter().map(|one| one.time_ns / 1_000_000_000));
        for batch in [&[10, 40, 5][..], &[20, 125], &[100, 400], &[390, 3, 2]] {
            order.take(&visits(batch), &mut note);
        }
        order.finish(&mut note);
        assert_eq!(found, [5, 10, 20, 40, 100, 125, 2, 3, 390, 400]);
        assert_eq!(order.backwards, 1);
    }
}
