//! Batch means: a confidence interval that allows for autocorrelation, in constant memory.

use serde::{Deserialize, Serialize};
use statrs::function::beta::inv_beta_reg;
use thinktime_file::time::Nanos;

/// The 0.975 quantile of the normal law.
pub(crate) const NORMAL_975: f64 = 1.959_964;

/// Means of consecutive batches of observations. When all places are taken, neighbours are
/// joined and the batch size doubles, so memory stays the same however long the run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BatchMeans {
    size: u64,
    sums: Vec<f64>,
    current: f64,
    in_current: u64,
}

/// The number of batches at which neighbours are joined.
const BATCHES_MAX: usize = 64;
/// The interval is made of at most this many batches: few large ones, so that neighbours hardly
/// depend on one another (Schmeiser 1982 advises 10 to 30).
const BATCHES_USED: usize = 20;
/// Batches are joined down to this many.
const BATCHES_MIN: usize = 8;

impl Default for BatchMeans {
    fn default() -> BatchMeans {
        BatchMeans { size: 1, sums: Vec::with_capacity(BATCHES_MAX), current: 0.0, in_current: 0 }
    }
}

impl BatchMeans {
    /// Adds an observation.
    #[inline(always)]
    pub fn add(&mut self, value: f64) {
        self.current += value;
        self.in_current += 1;
        if self.in_current == self.size {
            self.finish_batch();
        }
    }

    /// Adds times, in nanoseconds.
    #[inline]
    pub(crate) fn add_times(&mut self, times: &[Nanos]) {
        let mut rest = times;
        while !rest.is_empty() {
            let room = (self.size - self.in_current).min(rest.len() as u64);
            let (now, later) = rest.split_at(room as usize);
            self.current = now.iter().fold(self.current, |sum, time| sum + time.0 as f64);
            self.in_current += room;
            if self.in_current == self.size {
                self.finish_batch();
            }
            rest = later;
        }
    }

    #[cold]
    fn finish_batch(&mut self) {
        self.sums.push(self.current);
        (self.current, self.in_current) = (0.0, 0);
        if self.sums.len() == BATCHES_MAX {
            self.sums = self.sums.chunks_exact(2).map(|pair| pair[0] + pair[1]).collect();
            self.size *= 2;
        }
    }

    /// The wider one of the half-widths that [`BatchMeans::interval_95`] and batches of twice the
    /// size give: an interval that chance made narrow is seldom narrow at both.
    #[must_use]
    pub fn cautious_half_width_95(&self) -> Option<f64> {
        let narrow = self.interval_95()?;
        let means = join_neighbours(&self.sums, self.sums.len().div_ceil(BATCHES_MIN));
        let wide = allowing_for_correlation(&means)? / self.size as f64;
        Some(narrow.half_width.max(wide))
    }

    /// The 95 % confidence interval of the mean; `None` before there are enough batches. Batches
    /// that depend on one another are joined, twice at most.
    #[must_use]
    pub fn interval_95(&self) -> Option<MeanInterval> {
        if self.size * self.sums.len() as u64 <= BATCHES_USED as u64 {
            return None;
        }
        let means: Vec<f64> = self.sums.iter().map(|sum| sum / self.size as f64).collect();
        mean_interval_95(&means)
    }
}

/// The 95 % confidence interval of the mean of many values from the means of consecutive batches of
/// equal size; `None` if there are fewer than 8. Batches are joined until there are at most 20, and
/// further while they depend on one another.
#[must_use]
pub fn mean_interval_95(batches: &[f64]) -> Option<MeanInterval> {
    let mut means = join_neighbours(batches, batches.len().div_ceil(BATCHES_USED).max(1));
    if means.len() < BATCHES_MIN {
        return None;
    }
    while is_correlated(&means, 1.2816) && means.len() >= 2 * BATCHES_MIN {
        means = join_neighbours(&means, 2);
    }
    let correlated = is_correlated(&means, 1.6449);
    let half_width = allowing_for_correlation(&means)?;
    Some(MeanInterval { half_width, batches: means.len(), correlated })
}

/// The half-width from batches. The remaining correlation widens it as it would for a first-order
/// autoregressive sequence (Lada, Steiger and Wilson, SBatch, 2008).
fn allowing_for_correlation(means: &[f64]) -> Option<f64> {
    let left = lag_one_correlation(means).clamp(0.0, 0.8);
    Some(student_half_width_95(means)? * ((1.0 + left) / (1.0 - left)).sqrt())
}

/// A 95 % confidence interval of a mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanInterval {
    /// Half of its width, in the unit of the values.
    pub half_width: f64,
    /// The number of batches that it was made of.
    pub batches: usize,
    /// Whether even the largest batches depend on one another, so that the interval is too
    /// narrow: the run was too short.
    pub correlated: bool,
}

/// Whether neighbouring batches depend on one another: the one-sided test of von Neumann's ratio,
/// at the level that a quantile of the normal law gives. The statistic 1 - ratio/2 has the variance
/// (k - 2)/(k² - 1) under independence (Fishman, Management Science 24, 1978).
fn is_correlated(sums: &[f64], quantile: f64) -> bool {
    let k = sums.len() as f64;
    lag_one_correlation(sums) > quantile * ((k - 2.0) / (k * k - 1.0)).sqrt()
}

/// The correlation of neighbours by von Neumann's ratio; 0 if all values are equal.
fn lag_one_correlation(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let steps: f64 = values.windows(2).map(|pair| (pair[1] - pair[0]).powi(2)).sum();
    if squares > 0.0 { 1.0 - steps / squares / 2.0 } else { 0.0 }
}

/// The means of this many neighbours each; the remainder is left out at the beginning.
fn join_neighbours(means: &[f64], each: usize) -> Vec<f64> {
    let joined = means[means.len() % each..].chunks_exact(each);
    joined.map(|all| all.iter().sum::<f64>() / each as f64).collect()
}

/// The half-width of the 95 % confidence interval of the mean of independent values, by Student's
/// t; `None` for fewer than two values.
#[must_use]
pub fn student_half_width_95(values: &[f64]) -> Option<f64> {
    let n = values.len() as f64;
    if values.len() < 2 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
    Some(student_quantile_975(n - 1.0) * (variance / n).sqrt())
}

/// From this number of degrees of freedom on, two terms of the expansion are exact to 1e-9.
const EXPANSION_LEAST: f64 = 1e5;

/// The 0.975 quantile of Student's t. With x = d/(d + t²), P(|T| > t) is the regularised
/// incomplete beta function I_x(d/2, 1/2) (Abramowitz and Stegun, 26.7.1), whose inverse is not
/// found in time for many degrees: there the expansion around the normal law (26.7.5) is exact.
pub(crate) fn student_quantile_975(degrees: f64) -> f64 {
    if degrees > EXPANSION_LEAST {
        return NORMAL_975 + (NORMAL_975.powi(3) + NORMAL_975) / (4.0 * degrees);
    }
    let x = inv_beta_reg(degrees / 2.0, 0.5, 0.05);
    (degrees * (1.0 - x) / x).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Stream};

    #[test]
    fn student_quantiles_are_those_of_the_tables() {
        for (degrees, expected) in [(1.0, 12.706), (9.0, 2.262), (31.0, 2.040), (1e6, 1.960)] {
            assert!((student_quantile_975(degrees) - expected).abs() < 1e-3, "{degrees}");
        }
        // By scipy.stats.t.ppf; the inverse of the beta function below is less exact.
        for (degrees, expected, within) in
            [(1e4, 1.960_201_24, 1e-4), (99_999.0, 1.959_987_71, 1e-3), (2e5, 1.959_975_85, 1e-7)]
        {
            assert!((student_quantile_975(degrees) - expected).abs() < within, "{degrees}");
        }
        // The inverse of the beta function does not come back for such numbers.
        assert!((student_quantile_975(123_456_789.0) - NORMAL_975).abs() < 1e-6);
    }

    /// An autoregressive sequence with lag-1 correlation 0.9: of 400 intervals about 95 % contain
    /// the true mean, 0. Fewer than 90 % or more than 99 % has probability below 1e-5 each, and the
    /// seeds are fixed. Intervals without regard to the correlation would contain it in 33 %.
    #[test]
    fn intervals_hold_the_mean_as_often_as_they_say() {
        let holds = |seed: u64| {
            let mut stream = Stream::new(seed, 0, Purpose::Demand);
            let (mut x, mut sum, mut batches) = (0.0, 0.0, BatchMeans::default());
            for _ in 0..8192 {
                x = 0.9 * x + stream.uniform() - 0.5;
                sum += x;
                batches.add(x);
            }
            (sum / 8192.0f64).abs() <= batches.interval_95().unwrap().half_width
        };
        let held = (0..400).filter(|seed| holds(*seed)).count();
        assert!((360..=396).contains(&held), "{held} of 400");
    }

    /// A random walk never forgets, and the test shows it. Independent values pass the test, except
    /// for about one in twenty sequences; of 200 more than 25 has probability below 1e-4.
    #[test]
    fn dependent_batches_are_found() {
        let correlated = |seed: u64, memory: f64| {
            let mut stream = Stream::new(seed, 0, Purpose::Demand);
            let (mut x, mut batches) = (0.0, BatchMeans::default());
            for _ in 0..8192 {
                x = memory * x + stream.uniform() - 0.5;
                batches.add(x);
            }
            batches.interval_95().unwrap().correlated
        };
        assert!((0..20).filter(|seed| correlated(*seed, 1.0)).count() >= 10);
        assert!((0..200).filter(|seed| correlated(*seed, 0.0)).count() <= 25);
    }

    #[test]
    fn memory_is_constant_and_little_data_gives_no_interval() {
        let mut batches = BatchMeans::default();
        for _ in 0..63 {
            batches.add(1.0);
        }
        assert!(batches.interval_95().is_some_and(|one| one.half_width.abs() < 1e-12));
        assert_eq!(BatchMeans::default().interval_95(), None);
        for _ in 0..100_000 {
            batches.add(1.0);
        }
        assert!(batches.sums.len() < BATCHES_MAX);
    }
}
