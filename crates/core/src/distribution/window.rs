//! The part of a law that lies within two bounds.

mod equal_load;

use super::Distribution;
use super::numeric::integrate;

/// A window's integrals are cut into panels at these tail probabilities of the law within it.
const CUTS: [f64; 21] = [
    1e-280, 1e-200, 1e-140, 1e-100, 1e-70, 1e-50, 1e-36, 1e-26, 1e-18, 1e-12, 1e-9, 1e-6, 1e-4,
    0.003, 0.02, 0.06, 0.12, 0.2, 0.3, 0.4, 0.5,
];

/// Bounds within the range of a law, with the law's probability between them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Window {
    lo: f64,
    hi: f64,
    /// P(X < lo).
    below: f64,
    /// P(X > hi).
    above: f64,
    /// P(lo <= X <= hi).
    mass: f64,
    mean: f64,
    second_moment: f64,
}

impl Window {
    /// The window on `law`, which must have a probability in `lo..=hi`.
    pub(super) fn new(law: &Distribution, lo: f64, hi: f64) -> Window {
        let (lo, hi) = if law.is_discrete() { (lo.ceil(), hi.floor()) } else { (lo, hi) };
        let before = if law.is_discrete() { lo.next_down() } else { lo };
        let (below, above) = (law.cdf(before), law.survival(hi));
        let mass = law.mass(lo, hi);
        let mut window = Window { lo, hi, below, above, mass, mean: 0.0, second_moment: 0.0 };
        let moments = law.window_moments(lo, hi).unwrap_or_else(|| window.moments(law));
        (window.mean, window.second_moment) = moments;
        window
    }

    pub(super) fn mean(&self) -> f64 {
        self.mean
    }

    pub(super) fn second_moment(&self) -> f64 {
        self.second_moment
    }

    pub(super) fn range(&self) -> (f64, f64) {
        (self.lo, self.hi)
    }

    pub(super) fn cdf(&self, law: &Distribution, x: f64) -> f64 {
        if x < self.lo || x >= self.hi {
            return if x < self.lo { 0.0 } else { 1.0 };
        }
        (law.mass(self.lo, x) / self.mass).min(1.0)
    }

    pub(super) fn survival(&self, law: &Distribution, x: f64) -> f64 {
        if x < self.lo || x >= self.hi {
            return if x < self.lo { 1.0 } else { 0.0 };
        }
        (law.between(x, self.hi) / self.mass).min(1.0)
    }

    /// The probability of `lo..=hi` within the window.
    pub(super) fn mass(&self, law: &Distribution, lo: f64, hi: f64) -> f64 {
        let (lo, hi) = (lo.max(self.lo), hi.min(self.hi));
        if lo > hi { 0.0 } else { (law.mass(lo, hi) / self.mass).min(1.0) }
    }

    /// The value with this share of the window's probability up to it, and this share beyond it.
    pub(super) fn at(&self, law: &Distribution, upto: f64, beyond: f64) -> f64 {
        let lower = self.below + upto * self.mass;
        let x = if lower <= 0.5 {
            law.quantile(lower)
        } else {
            law.upper_quantile(self.above + beyond * self.mass)
        };
        x.clamp(self.lo, self.hi)
    }

    /// E[X] = lo + ∫ S(x) dx and E[X²] = lo² + 2 ∫ x S(x) dx over the window, where S is its
    /// survival function; integrated over ln x, for laws of positive values only.
    fn moments(&self, law: &Distribution) -> (f64, f64) {
        let mut edges: Vec<f64> = [self.lo, self.hi]
            .into_iter()
            .chain(CUTS.iter().map(|cut| self.at(law, *cut, 1.0 - cut)))
            .chain(CUTS.iter().map(|cut| self.at(law, 1.0 - cut, *cut)))
            .filter(|x| *x > 0.0 && *x < f64::MAX)
            .map(f64::ln)
            .collect();
        edges.sort_by(f64::total_cmp);
        edges.dedup();
        // Below the first edge the survival function is 1.
        let start = edges[0].exp();
        let moment = |power: i32| {
            let f = |y: f64| {
                let x = y.exp();
                // If no probability is left, the power may be infinite.
                let beyond = self.survival(law, x);
                if beyond > 0.0 { x.powi(power) * beyond } else { 0.0 }
            };
            start.powi(power) + f64::from(power) * integrate(f, &edges)
        };
        (moment(1), moment(2))
    }
}
