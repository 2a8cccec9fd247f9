//! A distribution of times: an exact mean and a histogram.

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};
use thinktime_file::time::Nanos;

use super::batches::{NORMAL_975, student_quantile_975};
use super::bins::Bins;
use super::figures::TimeFigures;

/// The usual number of batches of an interval.
pub(crate) const BATCHES: f64 = 20.0;

/// The least number of independent values of which the largest is above a percentile in 39 of 40
/// cases: 6 for the p50, 368 for the p99.
pub(crate) fn independent_needed(share: f64) -> f64 {
    (0.025_f64.ln() / share.ln()).ceil()
}

/// Times of one kind. The histogram keeps three significant digits (its bins are at most 0.1 %
/// wide); mean, smallest and largest are exact.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    bins: Bins,
    totals: Totals,
}

/// The exact figures of times.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Totals {
    count: u64,
    sum: u128,
    min: Nanos,
    max: Nanos,
}

impl Default for Totals {
    fn default() -> Totals {
        Totals { count: 0, sum: 0, min: Nanos::MAX, max: Nanos::ZERO }
    }
}

impl Totals {
    #[inline(always)]
    pub(crate) fn add_all(&mut self, times: &[Nanos]) {
        // Kept in registers for the length of the loop.
        let Totals { sum, mut min, mut max, .. } = *self;
        // The sums of both halves fit into a word each, and wide registers have no larger ones.
        let (mut low, mut high) = (0, 0);
        for time in times {
            low += time.0 & u64::from(u32::MAX);
            high += time.0 >> 32;
            min = min.min(*time);
            max = max.max(*time);
        }
        let sum = sum + (u128::from(high) << 32) + u128::from(low);
        *self = Totals { count: self.count + times.len() as u64, sum, min, max };
    }

    pub(crate) fn merge(&mut self, other: &Totals) {
        self.count += other.count;
        self.sum += other.sum;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    pub(crate) fn mean_s(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64 * 1e-9)
    }

    /// With the histogram of the same times.
    pub(crate) fn with(self, bins: Bins) -> Tally {
        Tally { bins, totals: self }
    }
}

impl Tally {
    /// Adds a time.
    #[inline(always)]
    pub fn add(&mut self, time: Nanos) {
        self.bins.add(time);
        self.totals.add_all(&[time]);
    }

    /// Adds another tally.
    pub fn merge(&mut self, other: &Tally) {
        self.bins.merge(&other.bins);
        self.totals.merge(&other.totals);
    }

    pub(crate) fn totals(&self) -> &Totals {
        &self.totals
    }

    pub(crate) fn bins(&self) -> &Bins {
        &self.bins
    }

    /// The number of times.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.totals.count
    }

    /// The mean in seconds; `None` when empty.
    #[must_use]
    pub fn mean_s(&self) -> Option<f64> {
        (self.totals.count > 0).then(|| self.totals.sum as f64 / self.totals.count as f64 * 1e-9)
    }

    /// The smallest time such that this share of all times is at or below it, in seconds, to three
    /// significant digits; `None` when empty.
    #[must_use]
    pub fn quantile_s(&self, share: f64) -> Option<f64> {
        (self.totals.count > 0).then(|| self.quantile(share).as_secs_f64())
    }

    /// As [`Tally::quantile_s`]; zero when empty.
    pub(crate) fn quantile(&self, share: f64) -> Nanos {
        let [quantile] = self.quantiles([share]);
        quantile
    }

    /// As [`Tally::quantile`], of shares in ascending order.
    pub(crate) fn quantiles<const N: usize>(&self, shares: [f64; N]) -> [Nanos; N] {
        let Totals { count, min, max, .. } = self.totals;
        let number = |share: f64| ((share * count as f64).ceil() as u64).clamp(1, count.max(1));
        self.bins.nth(shares.map(number)).map(|time| time.max(min).min(max))
    }

    /// The share of times beyond a limit in seconds, to the histogram's precision; 0 when empty.
    pub(crate) fn share_beyond(&self, limit_s: f64) -> f64 {
        let limit = Nanos::from_secs_f64(limit_s);
        if self.totals.count == 0 || self.totals.max <= limit {
            return 0.0;
        }
        let beyond = self.bins.times().filter(|(time, _)| *time > limit).map(|(_, count)| count);
        beyond.sum::<u64>() as f64 / self.totals.count as f64
    }

    /// The half-width of the mean's 95 % confidence interval for `number` independent times with
    /// the variance of these, in seconds; `None` for fewer than two.
    pub(crate) fn half_width_95(&self, number: f64) -> Option<f64> {
        let deviation_s = self.deviation_s().filter(|_| number > 1.0)?;
        Some(student_quantile_975(number - 1.0) * deviation_s / number.sqrt())
    }

    /// The standard deviation in seconds, of the histogram; `None` for fewer than two.
    fn deviation_s(&self) -> Option<f64> {
        let count = self.totals.count as f64;
        let [sum, squares] = self.bins.sums_s();
        let mean = sum / count;
        let variance = (squares / count - mean * mean).max(0.0) * count / (count - 1.0).max(1.0);
        (count >= 2.0).then(|| variance.sqrt())
    }

    /// The number of independent times that these are worth, by the half-width of their mean's
    /// 95 % interval, of twenty batches: its standard error is larger by a square root than that of
    /// independent times. `None` without an interval.
    pub(crate) fn independent(&self, ci95: Option<f64>) -> Option<f64> {
        let count = self.totals.count as f64;
        let least = self.half_width_95(count)? / student_quantile_975(count - 1.0);
        let ratio = (ci95? / student_quantile_975(BATCHES - 1.0) / least).powi(2);
        // Times that are all alike have no variance.
        Some(if ratio.is_finite() { count / ratio.max(1.0) } else { count })
    }

    /// A percentile in seconds, if `failed` more values are later than any time; infinite if it is
    /// one of them, `None` without any value.
    pub(crate) fn percentile_s(&self, share: f64, failed: u64) -> Option<f64> {
        let count = self.totals.count;
        let all = count + failed;
        let number = ((share * all as f64).ceil() as u64).clamp(1, all.max(1));
        match number <= count {
            true => self.quantile_s((number as f64 - 0.5) / count as f64),
            false => (all > 0).then_some(f64::INFINITY),
        }
    }

    /// The 95 % interval of that percentile by order statistics, if all the values are worth this
    /// many independent ones; `None` if they cannot bound it from both sides (Le Boudec,
    /// Performance Evaluation of Computer and Communication Systems, 2010, section 2.2).
    pub(crate) fn percentile_interval_95(
        &self,
        share: f64,
        failed: u64,
        independent: f64,
    ) -> Option<[f64; 2]> {
        if independent < independent_needed(share) {
            return None;
        }
        let half = NORMAL_975 * (share * (1.0 - share) / independent).sqrt();
        let at = |share: f64| self.percentile_s(share.clamp(0.0, 1.0), failed);
        Some([at(share - half)?, at(share + half)?])
    }

    /// All figures of the summary, with the half-width of the mean's interval.
    #[must_use]
    pub fn figures(&self, ci95: Option<f64>) -> TimeFigures {
        let present = self.totals.count > 0;
        let quantiles = self.quantiles([0.5, 0.9, 0.95, 0.99, 0.999, 0.9999]);
        let [p50, p90, p95, p99, p999, p9999] =
            quantiles.map(|time| present.then(|| time.as_secs_f64()));
        TimeFigures {
            mean: self.mean_s(),
            ci95,
            sd: self.deviation_s(),
            min: present.then(|| self.totals.min.as_secs_f64()),
            max: present.then(|| self.totals.max.as_secs_f64()),
            p50,
            p90,
            p95,
            p99,
            p999,
            p9999,
        }
    }

    /// The times as an HdrHistogram, in nanoseconds.
    #[must_use]
    pub fn histogram(&self) -> Histogram<u64> {
        self.bins.histogram()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_of_the_values() {
        let mut tally = Tally::default();
        for ms in 1..=1000 {
            tally.add(Nanos(ms * 1_000_000));
        }
        let figures = tally.figures(None);
        assert!((figures.mean.unwrap() - 0.5005).abs() < 1e-12);
        assert_eq!((figures.min, figures.max), (Some(0.001), Some(1.0)));
        for (found, expected) in [(figures.p50, 0.5), (figures.p99, 0.99), (figures.p999, 0.999)] {
            assert!((found.unwrap() / expected - 1.0).abs() < 0.001);
        }
        let deviation = ((1000.0_f64.powi(2) - 1.0) / 12.0 * 1000.0 / 999.0).sqrt() * 0.001;
        assert!((figures.sd.unwrap() / deviation - 1.0).abs() < 0.001);
        let mut twice = tally.clone();
        twice.merge(&tally);
        assert_eq!((twice.count(), twice.mean_s()), (2000, tally.mean_s()));
    }

    #[test]
    fn a_tally_is_read_back_as_it_was_written() {
        let mut tally = Tally::default();
        [0, 1, 2047, 2048, 123_456_789, u64::MAX].map(Nanos).iter().for_each(|it| tally.add(*it));
        let written = serde_json::to_string(&tally).unwrap();
        let read: Tally = serde_json::from_str(&written).unwrap();
        assert_eq!(read.figures(None), tally.figures(None));
        assert!(read.bins.held().eq(tally.bins.held()));
        // An invalid bin is left out, and takes no memory.
        let wrong = Bins::from(vec![(u32::MAX, 1), (3, u64::MAX), (3, 1)]);
        assert!(wrong.held().eq([(3, u64::MAX)]));
    }

    /// The numbers are those of `thinktime.stats.minimum_samples`.
    #[test]
    fn a_percentile_is_known_from_as_many_independent_times_as_bound_it() {
        let needed = TimeFigures::PERCENTILES.map(|(_, share)| independent_needed(share));
        assert_eq!(needed, [6.0, 36.0, 72.0, 368.0, 3688.0, 36887.0]);
        let mut tally = Tally::default();
        (1..=1000).for_each(|ms| tally.add(Nanos(ms * 1_000_000)));
        assert_eq!(tally.percentile_interval_95(0.99, 0, 367.0), None);
        // 0.9 and 1.96 times the root of 0.09 / 100 to either side.
        let [low, high] = tally.percentile_interval_95(0.9, 0, 100.0).unwrap();
        assert!((low - 0.842).abs() < 0.002 && (high - 0.959).abs() < 0.002, "{low} {high}");
        assert_eq!(tally.percentile_s(0.9, 0), tally.quantile_s(0.9));
        assert_eq!(tally.percentile_s(0.9, 1000), Some(f64::INFINITY));
        let half = tally.percentile_s(0.5, 500).unwrap();
        assert!((half - 0.75).abs() < 0.001, "{half}");
        assert_eq!(Tally::default().percentile_s(0.5, 0), None);
    }

    #[test]
    fn times_are_worth_as_many_independent_ones_as_the_interval_of_their_mean_says() {
        let mut tally = Tally::default();
        (1..=1000).for_each(|ms| tally.add(Nanos(ms * 1_000_000)));
        // Of 999 degrees of freedom instead of 19.
        let alone = tally.half_width_95(1000.0).map(|half| half * 2.093 / 1.962);
        let worth = tally.independent(alone.map(|half| 2.0 * half)).unwrap();
        assert!((worth - 250.0).abs() < 0.5, "{worth}");
        assert_eq!(tally.independent(alone.map(|half| half / 2.0)), Some(1000.0));
        assert_eq!(tally.independent(None), None);
    }

    #[test]
    fn an_empty_tally_has_no_figures() {
        assert_eq!(Tally::default().figures(None).p50, None);
    }

    #[test]
    fn times_of_any_length_are_taken() {
        let mut tally = Tally::default();
        tally.add(Nanos::ZERO);
        tally.add(Nanos(u64::MAX - 1));
        assert_eq!(tally.count(), 2);
    }
}
