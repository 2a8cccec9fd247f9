//! How long TCP waits for an acknowledgement (RFC 6298).

use thinktime_file::time::Nanos;

/// A sender's knowledge of the round trip, in seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timer {
    /// The smoothed round trip; `None` before the first measurement.
    smoothed: Option<f64>,
    /// Four times its variation.
    variation: f64,
    /// The number of times in a row that the timer has run out: each time it is set twice as long.
    pub(super) ran_out: u32,
}

/// The longest timeout.
const LONGEST_S: f64 = 120.0;
/// The timeout before any round trip was measured.
const FIRST_S: f64 = 1.0;

impl Timer {
    pub(super) const NEW: Timer = Timer { smoothed: None, variation: 0.0, ran_out: 0 };

    /// The timer of a connection whose round trips have long been this short.
    pub(super) fn settled(round_trip_s: f64) -> Timer {
        Timer { smoothed: Some(round_trip_s), variation: 0.0, ran_out: 0 }
    }

    /// A round trip took this long.
    pub(super) fn measured(&mut self, round_trip_s: f64) {
        self.ran_out = 0;
        match self.smoothed {
            None => {
                self.smoothed = Some(round_trip_s);
                self.variation = 2.0 * round_trip_s;
            }
            Some(smoothed) => {
                self.variation = 0.75 * self.variation + (smoothed - round_trip_s).abs();
                self.smoothed = Some(0.875 * smoothed + 0.125 * round_trip_s);
            }
        }
    }

    /// The retransmission timeout. `least_s` is its least margin over a round trip.
    pub(super) fn timeout(&self, least_s: f64) -> Nanos {
        let once = match self.smoothed {
            Some(smoothed) => smoothed + self.variation.max(least_s),
            None => FIRST_S,
        };
        let doubled = once * f64::from(1_u32 << self.ran_out.min(10));
        Nanos::from_secs_f64(doubled.min(LONGEST_S))
    }

    /// The delay from the receiver's last sign to the probe of the tail (RFC 8985, 7.2): two round
    /// trips. If a single segment is in flight, it is longer by the time for which its
    /// acknowledgement may be held back.
    pub(super) fn probe_timeout(&self, alone: bool, least_s: f64) -> Nanos {
        let Some(smoothed) = self.smoothed else { return Nanos::from_secs_f64(FIRST_S) };
        Nanos::from_secs_f64(2.0 * smoothed + if alone { least_s } else { 0.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts_are_those_of_the_standard() {
        let millis = |time: Nanos| time.0 as f64 / 1e6;
        let mut timer = Timer::NEW;
        assert_eq!(millis(timer.timeout(0.2)), 1000.0);
        timer.measured(0.4);
        // Three round trips at first, and then down to the least.
        assert_eq!(millis(timer.timeout(0.2)), 1200.0);
        timer.measured(0.4);
        assert_eq!(millis(timer.timeout(0.2)), 1000.0);
        for _ in 0..20 {
            timer.measured(0.4);
        }
        assert_eq!(millis(timer.timeout(0.2)), 600.0);
        timer.ran_out = 2;
        assert_eq!(millis(timer.timeout(0.2)), 2400.0);
        timer.ran_out = 40;
        assert_eq!(millis(timer.timeout(0.2)), 120_000.0);
        assert_eq!(millis(Timer::settled(0.02).timeout(0.2)), 220.0);
        assert_eq!(millis(Timer::settled(0.02).probe_timeout(false, 0.2)), 40.0);
        assert_eq!(millis(Timer::settled(0.02).probe_timeout(true, 0.2)), 240.0);
    }
}
