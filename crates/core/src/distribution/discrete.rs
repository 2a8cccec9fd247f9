//! `discrete(0.999: 0.1ms, 0.001: 10ms)`.

use thinktime_file::error::Invalid;
use thinktime_file::units::Dimension;

use super::values::written;
use super::{AnyLaw, Distribution, Entry, Law};
use crate::files::Files;
use crate::notation::{Call, Term};

/// A few values, each with its probability.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Discrete {
    /// Weight and value, as written.
    written: Box<[(f64, f64)]>,
    /// The values in increasing order, each with P(X <= value).
    sorted: Box<[(f64, f64)]>,
    mean: f64,
    second_moment: f64,
}

impl Discrete {
    /// With positive weights, which are divided by their sum.
    fn new(written: Vec<(f64, f64)>) -> Discrete {
        let total: f64 = written.iter().map(|(weight, _)| weight).sum();
        let moment = |power: i32| {
            let terms = written.iter().map(|(weight, value)| weight / total * value.powi(power));
            terms.sum::<f64>()
        };
        let (mean, second_moment) = (moment(1), moment(2));
        let mut order = written.clone();
        order.sort_by(|a, b| a.1.total_cmp(&b.1));
        let last = order.len() - 1;
        let mut sum = 0.0;
        let sorted = order.iter().enumerate().map(|(i, (weight, value))| {
            sum += weight / total;
            (*value, if i == last { 1.0 } else { sum.min(1.0) })
        });
        Discrete { sorted: sorted.collect(), written: written.into(), mean, second_moment }
    }
}

impl Law for Discrete {
    const ENTRY: Entry = Entry {
        name: "discrete",
        usage: "discrete(0.999: 0.1ms, 0.001: 10ms)",
        example: "discrete(0.9: 1ms, 0.1: 50ms)",
        summary: "a few values, each with its probability",
        source: "by definition",
    };

    fn parse(call: &Call, _files: &dyn Files) -> Result<(Self, Dimension), Invalid> {
        let parts = Self::ENTRY.weighted(call)?;
        let values = parts
            .iter()
            .map(|(_, term)| match term {
                Term::Quantity(quantity) if quantity.value.is_finite() => Ok(*quantity),
                _ => Err(Self::ENTRY.error("needs a number after each weight")),
            })
            .collect::<Result<Vec<_>, _>>()?;
        let dimension = Self::ENTRY.common_dimension(values.iter().map(|v| v.dimension))?;
        let pairs = parts.iter().zip(values).map(|((weight, _), v)| (*weight, v.value));
        Ok((Discrete::new(pairs.collect()), dimension))
    }

    fn notation(&self, dimension: Dimension) -> String {
        let parts = self.written.iter().map(|(w, v)| format!("{w}: {}", written(*v, dimension)));
        format!("discrete({})", parts.collect::<Vec<_>>().join(", "))
    }

    fn mean(&self) -> f64 {
        self.mean
    }

    fn second_moment(&self) -> f64 {
        self.second_moment
    }

    fn cdf(&self, x: f64) -> f64 {
        let below = self.sorted.partition_point(|(value, _)| *value <= x);
        if below == 0 { 0.0 } else { self.sorted[below - 1].1 }
    }

    #[inline]
    fn quantile(&self, u: f64) -> f64 {
        let below = self.sorted.partition_point(|(_, share)| *share < u);
        self.sorted[below.min(self.sorted.len() - 1)].0
    }

    fn range(&self) -> (f64, f64) {
        (self.sorted[0].0, self.sorted[self.sorted.len() - 1].0)
    }

    fn is_discrete(&self) -> bool {
        true
    }

    fn scaled(&self, factor: f64) -> Option<Self> {
        let scaled = self.written.iter().map(|(weight, value)| (*weight, value * factor));
        Some(Discrete::new(scaled.collect()))
    }

    fn conditional(&self, lo: f64, hi: f64) -> Option<Distribution> {
        let inside = |pair: &&(f64, f64)| (lo..=hi).contains(&pair.1);
        let kept: Vec<_> = self.written.iter().filter(inside).copied().collect();
        (!kept.is_empty()).then(|| Distribution::bare(AnyLaw::Discrete(Discrete::new(kept))))
    }
}
