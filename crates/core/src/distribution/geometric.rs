//! `geometric(MEAN)`.

use thinktime_file::error::Invalid;
use thinktime_file::units::Dimension;

use super::{Entry, Law};
use crate::files::Files;
use crate::notation::{Arguments, Call};

/// The largest mean: counts stay far below 2^53, where floating-point numbers are whole.
const MEAN_MAX: f64 = 1e12;

/// P(X = k) = (1 - p)^(k-1) p on 1, 2, ..., with p = 1/mean.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Geometric {
    mean: f64,
    /// -ln(1 - p), so that P(X > k) = e^(-decay k).
    decay: f64,
}

impl Geometric {
    fn new(mean: f64) -> Result<Geometric, Invalid> {
        if !(1.0..=MEAN_MAX).contains(&mean) {
            return Err(Self::ENTRY.error(&format!(
                "counts from 1, so it needs a mean from 1 to {MEAN_MAX:e}, not {mean}"
            )));
        }
        let decay = -(-1.0 / mean).ln_1p();
        Ok(Geometric { mean, decay })
    }

    /// The least k >= 1 with decay times k >= `exponent`, not misled by rounding at a whole k.
    #[inline]
    fn least(&self, exponent: f64, reached: impl Fn(f64) -> bool) -> f64 {
        let ratio = exponent / self.decay;
        let whole = ratio.round();
        if (ratio - whole).abs() > 1e-9 * ratio {
            return ratio.ceil().max(1.0);
        }
        if whole < 1.0 || reached(whole) { whole.max(1.0) } else { whole + 1.0 }
    }
}

/// h(t) = 1/(e^t - 1) - 1/t + 1/2 and its derivative g(t) = 1/t² - e^t/(e^t - 1)², without
/// cancellation near 0 (their series have the Bernoulli numbers).
fn bernoulli(t: f64) -> (f64, f64) {
    if t < 0.5 {
        let s = t * t;
        let first = t
            * (1.0 / 12.0
                - s * (1.0 / 720.0
                    - s * (1.0 / 30_240.0 - s * (1.0 / 1_209_600.0 - s / 47_900_160.0))));
        let second = 1.0 / 12.0
            - s * (1.0 / 240.0 - s * (1.0 / 6048.0 - s * (1.0 / 172_800.0 - s / 5_322_240.0)));
        return (first, second);
    }
    let inverse = 1.0 / t.exp_m1();
    (inverse - 1.0 / t + 0.5, 1.0 / (t * t) - inverse * (1.0 + inverse))
}

impl Law for Geometric {
    const ENTRY: Entry = Entry {
        name: "geometric",
        usage: "geometric(MEAN)",
        example: "geometric(4)",
        summary: "1, 2, ...: after each one, another with the same probability",
        source: "Johnson, Kemp and Kotz, Univariate Discrete Distributions, ch. 5",
    };

    fn parse(call: &Call, _files: &dyn Files) -> Result<(Self, Dimension), Invalid> {
        let mut arguments = Arguments::new(call, Self::ENTRY.usage, &["mean"])?;
        let mean = arguments.number("mean", Dimension::Number)?;
        arguments.finish()?;
        Ok((Geometric::new(mean)?, Dimension::Number))
    }

    fn notation(&self, _dimension: Dimension) -> String {
        format!("geometric({})", self.mean)
    }

    fn mean(&self) -> f64 {
        self.mean
    }

    fn second_moment(&self) -> f64 {
        self.mean * (2.0 * self.mean - 1.0)
    }

    fn cdf(&self, x: f64) -> f64 {
        if x < 1.0 {
            return 0.0;
        }
        -(-self.decay * x.floor()).exp_m1()
    }

    fn survival(&self, x: f64) -> f64 {
        if x < 1.0 {
            return 1.0;
        }
        (-self.decay * x.floor()).exp()
    }

    #[inline]
    fn quantile(&self, u: f64) -> f64 {
        self.least(-(-u).ln_1p(), |k| self.cdf(k) >= u)
    }

    fn upper_quantile(&self, q: f64) -> f64 {
        self.least(-q.ln(), |k| self.survival(k) <= q)
    }

    fn range(&self) -> (f64, f64) {
        let top = if self.mean > 1.0 { f64::INFINITY } else { 1.0 };
        (1.0, top)
    }

    fn is_discrete(&self) -> bool {
        true
    }

    fn scaled(&self, _factor: f64) -> Option<Self> {
        None
    }

    /// The law has no memory: from `lo` on it is the same law again, on 1..=L. Its generating
    /// sum gives mean (L + 1)/2 + h(a) - L h(aL) and variance L² g(aL) - g(a), where a is the
    /// decay and (h, g) is [`bernoulli`].
    fn window_moments(&self, lo: f64, hi: f64) -> Option<(f64, f64)> {
        let before = lo.ceil().max(1.0) - 1.0;
        if self.mean == 1.0 {
            return Some((1.0, 1.0));
        }
        let (mean, variance) = if hi < f64::INFINITY {
            let length = hi.floor() - before;
            let (h, g) = bernoulli(self.decay);
            let (h_whole, g_whole) = bernoulli(self.decay * length);
            (0.5 * (length + 1.0) + h - length * h_whole, (length * length * g_whole - g).max(0.0))
        } else {
            (self.mean, self.mean * (self.mean - 1.0))
        };
        let mean = before + mean;
        Some((mean, variance + mean * mean))
    }
}
