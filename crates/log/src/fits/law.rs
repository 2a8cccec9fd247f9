//! Laws of one or two parts.

use super::part::Part;

/// A law with its parameters. Values are 0 or above.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    pub(super) first: Part,
    /// The share of the first, and the other.
    pub(super) second: Option<(f64, Part)>,
}

impl Law {
    /// P(X <= x) and P(X > x), for any x; the smaller has full precision.
    #[must_use]
    pub fn tails(&self, x: f64) -> (f64, f64) {
        let (lower, upper) = self.first.tails(x);
        let Some((share, second)) = &self.second else { return (lower, upper) };
        let (under, over) = second.tails(x);
        (share * lower + (1.0 - share) * under, share * upper + (1.0 - share) * over)
    }

    /// E[min(X, x)] for x >= 0.
    #[must_use]
    pub fn clipped_mean(&self, x: f64) -> f64 {
        let mean = self.first.clipped_mean(x);
        let Some((share, second)) = &self.second else { return mean };
        share * mean + (1.0 - share) * second.clipped_mean(x)
    }
}
