//! The interface of every law.

use thinktime_file::error::Invalid;
use thinktime_file::units::Dimension;

use super::Distribution;
use super::streams::{MANY, Streams};
use crate::files::Files;
use crate::notation::Call;
use crate::random::Stream;

/// The interface of each law. Values are in the base unit of the distribution's dimension (seconds,
/// bytes, or a bare number).
pub trait Law: Sized {
    /// The law's notation and description.
    const ENTRY: Entry;

    /// Builds the law from its arguments, together with the dimension of its values.
    ///
    /// # Errors
    /// When an argument is missing, unknown or out of its range.
    fn parse(call: &Call, files: &dyn Files) -> Result<(Self, Dimension), Invalid>;

    /// Writes the law so that parsing it gives the same law back.
    fn notation(&self, dimension: Dimension) -> String;

    /// E[X], which may be infinite.
    fn mean(&self) -> f64;

    /// E[X²], which may be infinite.
    fn second_moment(&self) -> f64;

    /// The supremum of the powers whose moment E[X^power] is finite. Infinite for all laws except
    /// those with a tail like a power.
    fn tail_index(&self) -> f64 {
        f64::INFINITY
    }

    /// P(X <= x).
    fn cdf(&self, x: f64) -> f64;

    /// P(X > x). To be overridden if 1 - F(x) would lose the digits of the upper tail.
    fn survival(&self, x: f64) -> f64 {
        1.0 - self.cdf(x)
    }

    /// P(lo < X <= hi), from the tail that keeps its digits.
    fn between(&self, lo: f64, hi: f64) -> f64 {
        let below = self.cdf(lo);
        let mass =
            if below <= 0.5 { self.cdf(hi) - below } else { self.survival(lo) - self.survival(hi) };
        mass.max(0.0)
    }

    /// P(lo <= X <= hi). To be overridden if only some of the probability sits on atoms.
    fn mass(&self, lo: f64, hi: f64) -> f64 {
        if self.is_discrete() { self.between(lo.next_down(), hi) } else { self.between(lo, hi) }
    }

    /// The smallest x with P(X <= x) >= u, for u strictly between 0 and 1.
    fn quantile(&self, u: f64) -> f64;

    /// The smallest x with P(X > x) <= q. To be overridden as [`Law::survival`].
    fn upper_quantile(&self, q: f64) -> f64 {
        self.quantile(1.0 - q)
    }

    /// The smallest and the largest possible value; the largest may be infinite.
    fn range(&self) -> (f64, f64);

    /// Whether all probability sits on single points (atoms).
    fn is_discrete(&self) -> bool;

    /// The law of `factor` times X, if the law's own family holds it.
    fn scaled(&self, factor: f64) -> Option<Self>;

    /// (probability, mean) of each phase if the law is a mixture of exponentials.
    fn phases(&self) -> Option<Vec<(f64, f64)>> {
        None
    }

    /// The law given that lo <= X <= hi, if some family holds it. Called only if that has a
    /// probability.
    fn conditional(&self, _lo: f64, _hi: f64) -> Option<Distribution> {
        None
    }

    /// E[X] and E[X²] given that lo <= X <= hi, if there is a formula for them. Laws of counts must
    /// have one, or [`Law::conditional`]; for others, integration is the rule.
    fn window_moments(&self, _lo: f64, _hi: f64) -> Option<(f64, f64)> {
        None
    }

    /// Draws a value. Each law takes a fixed number of uniforms, so that streams stay in step
    /// when only a parameter changes (common random numbers).
    #[inline]
    fn sample(&self, stream: &mut Stream) -> f64 {
        self.quantile(stream.uniform())
    }

    /// Draws many values, the same as [`Law::sample`]. To be overridden if that is faster for many
    /// at a time.
    #[inline]
    fn fill(&self, streams: &mut impl Streams, values: &mut [f64; MANY]) {
        for (number, value) in values.iter_mut().enumerate() {
            *value = streams.draw(number, |stream| self.sample(stream));
        }
    }
}

/// A law's notation and description: shown in help, docs and messages.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name before the bracket.
    pub name: &'static str,
    /// The form, as in `h2(MEAN, cv2=8)`.
    pub usage: &'static str,
    /// A valid example, used by the general tests.
    pub example: &'static str,
    /// One sentence that describes it.
    pub summary: &'static str,
    /// The source of its formulas.
    pub source: &'static str,
}
