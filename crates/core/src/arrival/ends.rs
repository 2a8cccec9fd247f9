//! The end of arrivals.

use thinktime_file::time::Nanos;

use super::ArrivalProcess;

/// Later than this, in seconds, is never: three hundred years. Times last for less than twice as
/// long, so that arrivals of a low rate seem to end there.
const NEVER_S: f64 = 1e10;

impl ArrivalProcess {
    /// The time of the last arrival of a trace or a log, or the time at which the rate becomes 0
    /// for good; `None` if arrivals never end. `seed` is that of the arrivals.
    #[must_use]
    pub fn end(&self, seed: u64) -> Option<Nanos> {
        if !self.is_trace() {
            return self.end_of_profile();
        }
        let mut arrivals = self.arrivals(seed);
        let all = std::iter::from_fn(|| Some(arrivals.next_arrival()).filter(|at| !at.is_never()));
        all.last()
    }

    /// Whether arrivals never end, as [`ArrivalProcess::end`] says, but at once.
    pub(crate) fn is_endless(&self) -> bool {
        !self.is_trace() && self.end_of_profile().is_none()
    }

    fn end_of_profile(&self) -> Option<Nanos> {
        let after = |amount_s: f64| self.profile.advance(Nanos::ZERO, amount_s);
        if !after(NEVER_S).is_never() {
            return None;
        }
        let (mut there, mut beyond) = (0.0, NEVER_S);
        while beyond - there > 1e-9 * beyond {
            let middle = 0.5 * (there + beyond);
            *(if after(middle).is_never() { &mut beyond } else { &mut there }) = middle;
        }
        Some(after(there)).filter(|at| at.as_secs_f64() < NEVER_S)
    }
}
