//! The end of arrivals.

use thinktime_file::time::Nanos;

use super::ArrivalProcess;
use super::gaps::Gaps;

/// Later than this, in seconds, is never: three hundred years. Times last for less than twice as
/// long, so that arrivals of a low rate seem to end there.
const NEVER_S: f64 = 1e10;

impl ArrivalProcess {
    /// The time up to which a trace counted its arrivals, that of the last arrival of a log, or the
    /// time at which the rate becomes 0 for good; `None` if arrivals never end. `seed` is that of
    /// the arrivals.
    #[must_use]
    pub fn end(&self, seed: u64) -> Option<Nanos> {
        if !self.is_trace() {
            return self.end_of_profile();
        }
        self.all(seed).last().map(|last| last.max(self.counted_until()))
    }

    /// The times of all arrivals, which must end.
    fn all(&self, seed: u64) -> impl Iterator<Item = Nanos> + '_ {
        let mut arrivals = self.arrivals(seed);
        std::iter::from_fn(move || Some(arrivals.next_arrival()).filter(|at| !at.is_never()))
    }

    /// The time up to which the arrivals of a trace were counted: their number of mean gaps.
    fn counted_until(&self) -> Nanos {
        let Gaps::Trace(gaps) = &self.gaps else { return Nanos::ZERO };
        let until = self.profile.advance(Nanos::ZERO, gaps.len() as f64 / self.rate);
        if until.is_never() { Nanos::ZERO } else { until }
    }

    /// The expected number of arrivals up to their end, infinite if they never end. `seed` is that
    /// of the arrivals.
    pub(crate) fn number(&self, seed: u64) -> f64 {
        if self.is_trace() {
            return self.all(seed).count() as f64;
        }
        self.amount_s().map_or(f64::INFINITY, |(amount_s, _)| amount_s * self.rate)
    }

    /// Whether arrivals never end, as [`ArrivalProcess::end`] says, but at once.
    pub(crate) fn is_endless(&self) -> bool {
        !self.is_trace() && self.end_of_profile().is_none()
    }

    fn end_of_profile(&self) -> Option<Nanos> {
        self.amount_s().map(|(_, at)| at)
    }

    /// The integral of the profile's factor up to its end, in seconds, and that end.
    fn amount_s(&self) -> Option<(f64, Nanos)> {
        let after = |amount_s: f64| self.profile.advance(Nanos::ZERO, amount_s);
        if !after(NEVER_S).is_never() {
            return None;
        }
        let (mut there, mut beyond) = (0.0, NEVER_S);
        while beyond - there > 1e-9 * beyond {
            let middle = 0.5 * (there + beyond);
            *(if after(middle).is_never() { &mut beyond } else { &mut there }) = middle;
        }
        Some((there, after(there))).filter(|(_, at)| at.as_secs_f64() < NEVER_S)
    }
}
