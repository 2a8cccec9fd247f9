//! One round of segments in flight.

use thinktime_file::time::Nanos;

/// The fates of the segments of a round, in the order in which they were sent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flight {
    pub(super) delivered: u64,
    /// When the first delivered one left the queue, and the last.
    pub(super) first_left: Nanos,
    pub(super) last_left: Nanos,
    /// Lost ones that were followed by delivered ones: the sender sees a gap.
    pub(super) gaps: u64,
    /// Whether one of these was sent for the first time.
    pub(super) gap_is_fresh: bool,
    /// Lost ones that none followed: the sender has no sign of them.
    pub(super) tail: u64,
    pub(super) tail_is_fresh: bool,
    /// The number delivered after the first loss.
    pub(super) after_gap: u64,
}

impl Flight {
    /// The next segment was delivered, and left the queue at this time.
    pub(super) fn deliver(&mut self, left: Nanos) {
        if self.delivered == 0 {
            self.first_left = left;
        }
        self.last_left = left;
        self.delivered += 1;
        self.gaps += self.tail;
        self.gap_is_fresh |= self.tail_is_fresh;
        (self.tail, self.tail_is_fresh) = (0, false);
        self.after_gap += u64::from(self.gaps > 0);
    }

    /// The next segment was lost.
    pub(super) fn lose(&mut self, fresh: bool) {
        self.tail += 1;
        self.tail_is_fresh |= fresh;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_followed_by_what_was_delivered_and_tails_by_nothing() {
        let mut flight = Flight::default();
        // Of five: delivered, lost (a retransmission), delivered, delivered, lost (fresh).
        flight.deliver(Nanos(3));
        flight.lose(false);
        flight.deliver(Nanos(5));
        flight.deliver(Nanos(6));
        flight.lose(true);
        assert_eq!((flight.delivered, flight.gaps, flight.tail), (3, 1, 1));
        assert_eq!((flight.gap_is_fresh, flight.tail_is_fresh), (false, true));
        assert_eq!((flight.first_left, flight.last_left), (Nanos(3), Nanos(6)));
        assert_eq!(flight.after_gap, 2);
    }
}
