//! The number of segments that TCP has in flight: its congestion window.

use thinktime_file::time::Nanos;

/// How TCP's window grows and shrinks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CongestionControl {
    /// CUBIC (RFC 9438).
    #[default]
    Cubic,
    /// Reno (RFC 5681): by a segment each round trip, and to a half.
    Reno,
}

/// A congestion window, in segments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    control: CongestionControl,
    size: f64,
    /// Below it the window is doubled each round trip (slow start).
    threshold: f64,
    cubic: Cubic,
}

/// CUBIC's memory of the last reduction.
#[derive(Clone, Copy, Debug, Default)]
struct Cubic {
    /// The window that it grows back to.
    most: f64,
    /// The time of the reduction.
    since: Nanos,
    /// The window that Reno would have had, at CUBIC's reduction.
    reno: f64,
}

/// The largest window: the room of sender and receiver.
const MOST: u32 = 1 << 16;
/// The smallest window after a reduction.
const LEAST: f64 = 2.0;
/// The factor by which CUBIC reduces its window (RFC 9438, beta).
const CUBIC_KEPT: f64 = 0.7;
/// How steeply CUBIC grows, in segments by second cubed (RFC 9438, C).
const CUBIC_STEEP: f64 = 0.4;

impl Window {
    pub(super) fn new(control: CongestionControl, initial: u32) -> Window {
        let (size, threshold) = (f64::from(initial), f64::INFINITY);
        Window { control, size, threshold, cubic: Cubic::default() }
    }

    /// How many segments may be in flight.
    pub(super) fn segments(&self) -> u64 {
        (self.size as u64).max(1)
    }

    pub(super) fn in_slow_start(&self) -> bool {
        self.size < self.threshold
    }

    /// This many segments were acknowledged. Bytes are counted (RFC 3465), so that delayed
    /// acknowledgements do not slow it down.
    pub(super) fn grow(&mut self, now: Nanos, delivered: u64, round_trip_s: f64) {
        if self.in_slow_start() {
            self.size = (self.size + delivered as f64).min(self.threshold);
        } else {
            // The number of whole segments that were in flight.
            let share = (delivered as f64 / self.segments() as f64).min(1.0);
            match self.control {
                CongestionControl::Reno => self.size += share,
                CongestionControl::Cubic => self.grow_cubic(now, share, round_trip_s),
            }
        }
        // Unused room does not count: a loss reduces the number in flight.
        self.size = self.size.min(f64::from(MOST));
    }

    /// RFC 9438, 4.2 to 4.5: towards a cubic of the time since the reduction, but at least as Reno
    /// with the same reduction.
    fn grow_cubic(&mut self, now: Nanos, share: f64, round_trip_s: f64) {
        let Cubic { most, since, .. } = self.cubic;
        let rises_for = (most * (1.0 - CUBIC_KEPT) / CUBIC_STEEP).cbrt();
        let time = now.since(since).as_secs_f64() + round_trip_s - rises_for;
        let target = (CUBIC_STEEP * time.powi(3) + most).clamp(self.size, 1.5 * self.size);
        let gain = if self.cubic.reno < most {
            3.0 * (1.0 - CUBIC_KEPT) / (1.0 + CUBIC_KEPT)
        } else {
            1.0
        };
        self.cubic.reno += gain * share;
        self.size = (self.size + (target - self.size) * share).max(self.cubic.reno);
    }

    /// The first loss in this window was seen.
    pub(super) fn reduce(&mut self, now: Nanos) {
        let kept = match self.control {
            CongestionControl::Reno => 0.5,
            CongestionControl::Cubic => CUBIC_KEPT,
        };
        // Fast convergence (RFC 9438, 4.7): a sender that has not come back to the window of the
        // last reduction leaves others more room.
        let before = self.size;
        let most =
            if before < self.cubic.most { before * (1.0 + CUBIC_KEPT) / 2.0 } else { before };
        self.threshold = (before * kept).max(LEAST);
        self.size = self.threshold;
        self.cubic = Cubic { most, since: now, reno: self.size };
    }

    /// The retransmission timer has run out, once or repeatedly: the window begins with one segment
    /// again.
    pub(super) fn restart(&mut self, now: Nanos, first: bool) {
        if first {
            self.reduce(now);
        }
        self.size = 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn slow_start_doubles_and_reno_adds_one() {
        let mut window = Window::new(CongestionControl::Reno, 10);
        window.grow(Nanos(0), 10, 0.1);
        window.grow(Nanos(0), 20, 0.1);
        assert_eq!(window.segments(), 40);
        window.reduce(Nanos(0));
        assert_eq!(window.segments(), 20);
        window.grow(Nanos(0), 20, 0.1);
        assert_eq!(window.segments(), 21);
        window.restart(Nanos(0), true);
        assert_eq!(window.segments(), 1);
        // Up to the threshold, which is half of the window before, and no further.
        for _ in 0..5 {
            window.grow(Nanos(0), window.segments(), 0.1);
        }
        assert!((window.size - 11.5).abs() < 0.2, "{window:?}");
    }

    /// A loss slows down even a sender with more room than it ever uses.
    #[test]
    fn a_window_has_65536_segments_at_most() {
        for (control, after) in
            [(CongestionControl::Reno, 32_768), (CongestionControl::Cubic, 45_875)]
        {
            let mut window = Window::new(control, 10);
            (0..40).for_each(|_| window.grow(Nanos(0), window.segments(), 0.1));
            assert_eq!(window.segments(), 65_536);
            window.reduce(Nanos(0));
            assert_eq!(window.segments(), after);
            (0..100_000).for_each(|second| {
                window.grow(Nanos(second * SECOND), window.segments(), 0.1);
            });
            assert_eq!(window.segments(), 65_536);
        }
    }

    #[test]
    fn cubic_comes_back_when_its_law_says_so() {
        let mut window = Window::new(CongestionControl::Cubic, 1000);
        window.reduce(Nanos(0));
        assert_eq!(window.segments(), 700);
        // K = cbrt(1000 * 0.3 / 0.4) = 9.086 s.
        let mut now = Nanos(0);
        while now < Nanos(9 * SECOND) {
            window.grow(now, window.segments(), 0.1);
            now += Nanos(SECOND / 10);
        }
        assert!((window.size - 1000.0).abs() < 1.0, "{window:?}");
    }

    /// Small windows grow as Reno's, because CUBIC would be slower.
    #[test]
    fn cubic_is_not_slower_than_reno() {
        let mut window = Window::new(CongestionControl::Cubic, 10);
        window.reduce(Nanos(0));
        let mut rounds = 0;
        while window.size < 10.0 {
            window.grow(Nanos(rounds * SECOND / 100), window.segments(), 0.01);
            rounds += 1;
        }
        // From 7 to 10 by 9/17 of a segment a round.
        assert!((5..=7).contains(&rounds), "{rounds}");
    }
}
