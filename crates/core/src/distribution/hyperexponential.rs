//! `h2(MEAN, cv2=8)`.

use thinktime_file::error::Invalid;
use thinktime_file::units::Dimension;

use super::exponential::Exponential;
use super::logarithm::{ln, ln_all};
use super::mix::Mix;
use super::numeric::{Point, Tail, solve};
use super::streams::{MANY, Streams};
use super::values::written;
use super::{AnyLaw, Distribution, Entry, Law};
use crate::files::Files;
use crate::notation::{Arguments, Call};
use crate::random::Stream;

/// The two-phase hyperexponential law with balanced means: exponential with mean m / (2 pᵢ) with
/// probability pᵢ, where p₁ = (1 + √((C² - 1) / (C² + 1))) / 2 and p₂ = 1 - p₁.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Hyperexponential {
    mean: f64,
    cv2: f64,
    /// p₁, then p₂.
    shares: [f64; 2],
    /// The mean of each phase.
    means: [f64; 2],
}

impl Hyperexponential {
    fn new(mean: f64, cv2: f64) -> Result<Hyperexponential, Invalid> {
        Self::ENTRY.positive("mean", mean)?;
        if cv2 < 1.0 {
            return Err(Self::ENTRY.error(&format!(
                "needs `cv2` of 1 or more, not {cv2} (`erlang` and `gamma` vary less)"
            )));
        }
        let root = ((cv2 - 1.0) / (cv2 + 1.0)).sqrt();
        // p2 = (1 - root) / 2, without cancellation.
        let shares = [0.5 * (1.0 + root), 1.0 / ((cv2 + 1.0) * (1.0 + root))];
        Ok(Hyperexponential { mean, cv2, shares, means: shares.map(|share| 0.5 * mean / share) })
    }

    fn point(&self, x: f64) -> Point {
        let [a, b] = self.means.map(|mean| (-x / mean).exp());
        Point {
            lower: self.cdf(x),
            upper: self.survival(x),
            density: self.shares[0] * a / self.means[0] + self.shares[1] * b / self.means[1],
        }
    }

    fn solve(&self, tail: Tail) -> f64 {
        // The guess is right if one phase is all of the tail, or if the phases are alike.
        let guess = match tail {
            Tail::Lower(p) => p / self.point(0.0).density,
            Tail::Upper(q) => (0..2)
                .map(|i| self.means[i] * (self.shares[i] / q).ln())
                .fold(-self.means[0] * q.ln(), f64::max),
        };
        solve(tail, guess, |x| self.point(x))
    }
}

impl Law for Hyperexponential {
    const ENTRY: Entry = Entry {
        name: "h2",
        usage: "h2(MEAN, cv2=8)",
        example: "h2(10ms, cv2=8)",
        summary: "two-phase hyperexponential with balanced means, C² = cv2 >= 1",
        source: "Allen, Probability, Statistics, and Queueing Theory, 2nd ed., 3.2.9",
    };

    fn parse(call: &Call, _files: &dyn Files) -> Result<(Self, Dimension), Invalid> {
        let mut arguments = Arguments::new(call, Self::ENTRY.usage, &["mean", "cv2"])?;
        let mean = arguments.quantity("mean")?;
        let cv2 = arguments.number("cv2", Dimension::Number)?;
        arguments.finish()?;
        Ok((Hyperexponential::new(mean.value, cv2)?, mean.dimension))
    }

    fn notation(&self, dimension: Dimension) -> String {
        format!("h2({}, cv2={})", written(self.mean, dimension), self.cv2)
    }

    fn mean(&self) -> f64 {
        self.mean
    }

    fn second_moment(&self) -> f64 {
        (1.0 + self.cv2) * self.mean * self.mean
    }

    fn cdf(&self, x: f64) -> f64 {
        let x = x.max(0.0);
        let [a, b] = self.means.map(|mean| -(-x / mean).exp_m1());
        (self.shares[0] * a + self.shares[1] * b).min(1.0)
    }

    fn survival(&self, x: f64) -> f64 {
        let x = x.max(0.0);
        let [a, b] = self.means.map(|mean| (-x / mean).exp());
        (self.shares[0] * a + self.shares[1] * b).min(1.0)
    }

    fn quantile(&self, u: f64) -> f64 {
        self.solve(Tail::of_lower(u))
    }

    fn upper_quantile(&self, q: f64) -> f64 {
        self.solve(Tail::of_upper(q))
    }

    fn range(&self) -> (f64, f64) {
        (0.0, f64::INFINITY)
    }

    fn is_discrete(&self) -> bool {
        false
    }

    fn phases(&self) -> Option<Vec<(f64, f64)>> {
        Some(vec![(self.shares[0], self.means[0]), (self.shares[1], self.means[1])])
    }

    fn scaled(&self, factor: f64) -> Option<Self> {
        Hyperexponential::new(self.mean * factor, self.cv2).ok()
    }

    fn conditional(&self, lo: f64, hi: f64) -> Option<Distribution> {
        let phase = |i: usize| {
            let law = Exponential::new(self.means[i]).ok()?;
            Some((self.shares[i], Distribution::bare(AnyLaw::Exponential(law))))
        };
        Mix::new(vec![phase(0)?, phase(1)?]).conditional(lo, hi)
    }

    /// Two uniforms: one for the phase, one for the time in it.
    #[inline]
    fn sample(&self, stream: &mut Stream) -> f64 {
        let phase = usize::from(stream.uniform() >= self.shares[0]);
        -self.means[phase] * ln(1.0 - stream.uniform())
    }

    #[inline]
    fn fill(&self, streams: &mut impl Streams, values: &mut [f64; MANY]) {
        let ([share, _], [first, second]) = (self.shares, self.means);
        *values = ln_all(
            #[inline(always)]
            |number| {
                streams.draw(number, |stream| {
                    let mean = if stream.uniform() >= share { second } else { first };
                    (-mean, 1.0 - stream.uniform())
                })
            },
        );
    }
}
