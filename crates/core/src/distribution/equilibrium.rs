//! Equilibrium laws: the remaining duration at a random time.

use super::Distribution;
use crate::random::Stream;

/// The upper tail of a law of values of 0 or more.
pub trait Tail {
    /// P(X > x), with all digits if it is small.
    fn survival(&self, x: f64) -> f64;

    /// An x that never falls as q does, with P(X > x) <= q; the smallest such x, or one hardly
    /// larger.
    fn upper_quantile(&self, q: f64) -> f64;
}

impl Tail for Distribution {
    fn survival(&self, x: f64) -> f64 {
        Distribution::survival(self, x)
    }

    fn upper_quantile(&self, q: f64) -> f64 {
        Distribution::upper_quantile(self, q)
    }
}

impl Distribution {
    /// Draws X given that X > x, if that has a probability.
    pub(crate) fn longer_than(&self, x: f64, stream: &mut Stream) -> f64 {
        self.upper_quantile(stream.uniform() * self.survival(x)).max(x)
    }

    /// Whether it is always 0, or has an equilibrium law.
    pub(crate) fn settles(&self) -> bool {
        // By Chebyshev's inequality far less than `AREA_LEFT_MAX` is left of such a law, whose
        // staircase takes long to make.
        let surely = self.second_moment().is_finite() && self.cv2() < CV2_SETTLED;
        surely || self.mean() == 0.0 || Equilibrium::new(self.clone()).is_some()
    }

    /// E[max(0, X - x)], for X of a finite mean.
    pub(crate) fn excess(&self, x: f64) -> f64 {
        let beyond = super::truncated::restricted(self, x, f64::INFINITY);
        beyond.map_or(0.0, |law| self.mass(x, f64::INFINITY) * (law.mean() - x).max(0.0))
    }
}

/// The equilibrium law of X, whose density is P(X > x) / E[X] (Cox, Renewal Theory, 1962, ch. 5):
/// that of the rest of an interval which holds a time chosen at random.
///
/// It is drawn by rejection under a staircase that is at most twice as high as P(X > x), or 16
/// times in the far tail. This uses only the law's tail, so it is right for all laws, atoms
/// included.
#[derive(Clone, Debug)]
pub struct Equilibrium<T> {
    tail: T,
    stairs: Vec<Stair>,
}

/// One step of the staircase: P(X > x) is at most `height` from `begin` on.
#[derive(Clone, Copy, Debug)]
struct Stair {
    begin: f64,
    width: f64,
    height: f64,
    /// The area of the staircase up to the end of this step.
    area: f64,
}

/// Heights halve down to this power of 2, and then fall by 16 ...
const HALVINGS: i32 = 60;
/// ... down to this one.
const POWER_LEAST: i32 = -1000;
/// A tail that still has this share of the area there belongs to a law whose mean is finite on
/// paper only.
const AREA_LEFT_MAX: f64 = 1e-3;
/// With C² below this, at most 16 √(q (1 + C²)) of the area is left, for q = 2^`POWER_LEAST`.
const CV2_SETTLED: f64 = 1e100;

impl<T: Tail> Equilibrium<T> {
    /// `None` if X is always 0, or if its mean is infinite, or nearly so: then there is no such
    /// law.
    #[must_use]
    pub fn new(tail: T) -> Option<Equilibrium<T>> {
        let powers = (-HALVINGS..=0).rev().chain((POWER_LEAST..-HALVINGS).rev().step_by(4));
        let mut stairs: Vec<Stair> = Vec::new();
        let (mut begin, mut height, mut area) = (0.0, 1.0, 0.0);
        for power in powers.skip(1) {
            let next = f64::powi(2.0, power);
            let end = tail.upper_quantile(next);
            if end == f64::INFINITY {
                break; // there are no numbers as small or as large as these
            }
            if end > begin {
                let width = end - begin;
                area += height * width;
                stairs.push(Stair { begin, width, height, area });
                begin = end;
            }
            height = next;
        }
        let last = stairs.last()?;
        let left = last.height * last.width / area;
        // Also if the area is not a number.
        (area.is_finite() && (tail.survival(begin) == 0.0 || left < AREA_LEFT_MAX))
            .then_some(Equilibrium { tail, stairs })
    }

    /// The law of X.
    pub(crate) fn tail(&self) -> &T {
        &self.tail
    }

    /// Draws a value. Takes a variable number of uniforms, three at least.
    pub fn sample(&self, stream: &mut Stream) -> f64 {
        let area = self.stairs[self.stairs.len() - 1].area;
        loop {
            let wanted = area * stream.uniform();
            let at = self.stairs.partition_point(|stair| stair.area <= wanted);
            let stair = self.stairs[at.min(self.stairs.len() - 1)];
            let x = stair.begin + stair.width * stream.uniform();
            if stair.height * stream.uniform() < self.tail.survival(x) {
                return x;
            }
        }
    }
}
