//! The probability that a law gives to each bin, for values in their observed form.
//!
//! *Exact* values: F at the bounds of the bin. *Stamped* values are differences of two stamps that
//! were rounded down to multiples of r. The first stamp falls anywhere within its r, so the
//! difference is r floor(U + X / r) with U uniform on (0, 1), and P(D <= k r) is the mean of F over
//! k r to (k + 1) r. All are conditional on being at most the limit.
//!
//! Source: Heitjan, *Inference from grouped continuous data* (Statistical Science 4, 1989), for
//! likelihoods of bins; the kernel of two stamps is the triangular one of Sheppard's corrections.

use super::bins::{Bins, Edges};
use super::law::Law;

/// Stands for a probability of 0.
pub(super) const TINY: f64 = 1e-300;

/// Below this the mean of a tail over a step is a quadrature, and beyond `FAR` steps the tail in
/// its middle: a difference of clipped means would lose digits.
const SWITCH: f64 = 1e-6;
const FAR: f64 = 10_000.0;

/// Gauss and Legendre's places and weights for an integral from 0 to 1.
const PLACES: [(f64, f64); 4] = [
    (0.069_431_844_202_973_71, 0.173_927_422_568_726_93),
    (0.330_009_478_207_571_87, 0.326_072_577_431_273_07),
    (0.669_990_521_792_428_1, 0.326_072_577_431_273_07),
    (0.930_568_155_797_026_3, 0.173_927_422_568_726_93),
];

/// Bins prepared for likelihoods.
#[derive(Clone, Debug)]
pub struct Likelihood {
    edges: Edges,
    count: Vec<f64>,
    total: f64,
    step: f64,
}

impl Likelihood {
    /// The bins with at least one value.
    #[must_use]
    pub fn new(bins: Bins) -> Likelihood {
        let (edges, step) = (Edges::of(&bins), bins.step);
        let total = bins.count.iter().sum();
        Likelihood { edges, count: bins.count, total, step }
    }

    /// The share of all values in each bin.
    #[must_use]
    pub fn shares(&self) -> Vec<f64> {
        self.count.iter().map(|count| count / self.total).collect()
    }

    /// P(bin) given that values are at most the limit, for each bin.
    #[must_use]
    pub fn masses(&self, law: &Law) -> Vec<f64> {
        let tails = self.tails(law);
        let seen = self.observed_share(&tails);
        let bins = self.edges.lower.iter().zip(&self.edges.upper);
        bins.map(|(&from, &to)| {
            let (low, high) = (tails[from], tails[to]);
            let mass = if low.1 < 0.5 { low.1 - high.1 } else { high.0 - low.0 };
            (mass / seen).max(0.0)
        })
        .collect()
    }

    /// The logarithm of P(bin), for each bin; a bin without probability has one of 1e-300.
    #[must_use]
    pub fn logs(&self, law: &Law) -> Vec<f64> {
        self.masses(law).iter().map(|mass| mass.max(TINY).ln()).collect()
    }

    /// Σ count ln P(bin).
    #[must_use]
    pub fn log_likelihood(&self, law: &Law) -> f64 {
        self.logs(law).iter().zip(&self.count).map(|(log, count)| log * count).sum()
    }

    /// The share of values to which the law gives no probability at all.
    #[must_use]
    pub fn impossible(&self, law: &Law) -> f64 {
        let masses = self.masses(law);
        let lost = masses.iter().zip(&self.count).filter(|(mass, _)| **mass <= TINY);
        lost.map(|(_, count)| count).sum::<f64>() / self.total
    }

    /// The largest difference of the two distribution functions, at bounds of bins.
    #[must_use]
    pub fn distance(&self, law: &Law) -> f64 {
        let tails = self.tails(law);
        let seen = self.observed_share(&tails);
        let model = |place: usize| (tails[place].0 / seen).max(0.0);
        let (mut upto, mut largest) = (0.0, 0.0_f64);
        for (bin, count) in self.count.iter().enumerate() {
            let before = upto;
            upto += count / self.total;
            let apart = (model(self.edges.lower[bin]) - before).abs();
            largest = largest.max(apart).max((model(self.edges.upper[bin]) - upto).abs());
        }
        largest.min(1.0)
    }

    /// P(X <= limit).
    fn observed_share(&self, tails: &[(f64, f64)]) -> f64 {
        self.edges.limit.map_or(1.0, |place| tails[place].0.max(TINY))
    }

    /// P(value <= edge) and P(value > edge) in the observed form.
    fn tails(&self, law: &Law) -> Vec<(f64, f64)> {
        if self.step == 0.0 {
            return self.edges.at.iter().map(|edge| law.tails(*edge)).collect();
        }
        // One step mostly ends where the next one begins.
        let mut last = (f64::NAN, 0.0);
        let mut mean = |x: f64| {
            if x != last.0 {
                last = (x, law.clipped_mean(x));
            }
            last.1
        };
        self.edges.at.iter().map(|edge| self.over_step(law, *edge, &mut mean)).collect()
    }

    /// The means of both tails over the step that begins at an edge.
    fn over_step(&self, law: &Law, edge: f64, mean: &mut impl FnMut(f64) -> f64) -> (f64, f64) {
        let step = self.step;
        if edge < 0.0 {
            return (0.0, 1.0);
        }
        if edge > FAR {
            return law.tails((edge + 0.5) * step);
        }
        let start = mean(edge * step);
        let over = ((mean((edge + 1.0) * step) - start) / step).clamp(0.0, 1.0);
        let small = |of: fn((f64, f64)) -> f64| -> f64 {
            let parts = PLACES.iter();
            parts.map(|(place, weight)| weight * of(law.tails((edge + place) * step))).sum()
        };
        let under = 1.0 - over;
        (
            if under < SWITCH { small(|tails| tails.0) } else { under },
            if over < SWITCH { small(|tails| tails.1) } else { over },
        )
    }
}
