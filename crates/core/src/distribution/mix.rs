//! `mix(0.93: DIST, 0.07: DIST)`.

use thinktime_file::error::Invalid;
use thinktime_file::units::Dimension;

use super::numeric::least;
use super::truncated::restricted;
use super::{AnyLaw, Distribution, Entry, Law};
use crate::files::Files;
use crate::notation::Call;
use crate::random::Stream;

/// One of several laws, each with its probability: F(x) is the weighted sum of theirs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Mix {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq)]
struct Part {
    /// As written.
    weight: f64,
    /// The weight over the sum of all weights.
    share: f64,
    /// The shares of this part and those before it.
    upto: f64,
    law: Distribution,
}

impl Mix {
    /// With positive weights, which are divided by their sum.
    pub(super) fn new(weighted: Vec<(f64, Distribution)>) -> Mix {
        let total: f64 = weighted.iter().map(|(weight, _)| weight).sum();
        let mut upto = 0.0;
        let parts = weighted.into_iter().map(|(weight, law)| {
            let share = weight / total;
            upto += share;
            Part { weight, share, upto, law: Distribution::bare(law.law) }
        });
        Mix { parts: parts.collect() }
    }

    fn weighted_sum(&self, of: impl Fn(&Distribution) -> f64) -> f64 {
        self.parts.iter().map(|part| part.share * of(&part.law)).sum()
    }

    /// The least and the greatest of a number over the parts.
    fn extremes(&self, of: impl Fn(&Distribution) -> f64) -> (f64, f64) {
        let start = (f64::INFINITY, f64::NEG_INFINITY);
        self.parts.iter().fold(start, |(least, most), part| {
            let value = of(&part.law);
            (least.min(value), most.max(value))
        })
    }
}

impl Law for Mix {
    const ENTRY: Entry = Entry {
        name: "mix",
        usage: "mix(0.93: DIST, 0.07: DIST)",
        example: "mix(0.93: exp(5ms), 0.07: uniform(50ms, 150ms))",
        summary: "one of several distributions, each with its probability",
        source: "by definition",
    };

    fn parse(call: &Call, files: &dyn Files) -> Result<(Self, Dimension), Invalid> {
        let weighted = Self::ENTRY
            .weighted(call)?
            .into_iter()
            .map(|(weight, term)| Ok((weight, Distribution::from_term(term, files)?)))
            .collect::<Result<Vec<_>, Invalid>>()?;
        let dimensions = weighted.iter().map(|(_, law)| law.dimension);
        let dimension = Self::ENTRY.common_dimension(dimensions)?;
        Ok((Mix::new(weighted), dimension))
    }

    fn notation(&self, dimension: Dimension) -> String {
        let written = |part: &Part| format!("{}: {}", part.weight, part.law.notation(dimension));
        format!("mix({})", self.parts.iter().map(written).collect::<Vec<_>>().join(", "))
    }

    fn mean(&self) -> f64 {
        self.weighted_sum(Distribution::mean)
    }

    fn second_moment(&self) -> f64 {
        self.weighted_sum(Distribution::second_moment)
    }

    fn tail_index(&self) -> f64 {
        self.extremes(Distribution::tail_index).0
    }

    fn cdf(&self, x: f64) -> f64 {
        self.weighted_sum(|law| law.cdf(x)).min(1.0)
    }

    fn survival(&self, x: f64) -> f64 {
        self.weighted_sum(|law| law.survival(x)).min(1.0)
    }

    fn mass(&self, lo: f64, hi: f64) -> f64 {
        self.weighted_sum(|law| law.mass(lo, hi))
    }

    fn quantile(&self, u: f64) -> f64 {
        let (low, high) = self.extremes(|law| law.quantile(u));
        least(low, high, |x| self.cdf(x) >= u)
    }

    fn upper_quantile(&self, q: f64) -> f64 {
        let (low, high) = self.extremes(|law| law.upper_quantile(q));
        least(low, high, |x| self.survival(x) <= q)
    }

    fn range(&self) -> (f64, f64) {
        (self.extremes(|law| law.range().0).0, self.extremes(|law| law.range().1).1)
    }

    fn is_discrete(&self) -> bool {
        self.parts.iter().all(|part| part.law.is_discrete())
    }

    fn scaled(&self, factor: f64) -> Option<Self> {
        let scaled = |part: &Part| Some((part.weight, part.law.scaled(factor).ok()?));
        Some(Mix::new(self.parts.iter().map(scaled).collect::<Option<_>>()?))
    }

    fn phases(&self) -> Option<Vec<(f64, f64)>> {
        let mut phases = Vec::new();
        for part in &self.parts {
            let of_part = part.law.phases()?.into_iter();
            phases.extend(of_part.map(|(share, mean)| (part.share * share, mean)));
        }
        Some(phases)
    }

    /// Each part within the bounds, weighted by its probability there.
    fn conditional(&self, lo: f64, hi: f64) -> Option<Distribution> {
        let inside = self.parts.iter().filter_map(|part| {
            let weight = part.share * part.law.mass(lo, hi);
            (weight > 0.0).then(|| Some((weight, restricted(&part.law, lo, hi)?)))
        });
        let inside = inside.collect::<Option<Vec<_>>>()?;
        (!inside.is_empty()).then(|| Distribution::bare(AnyLaw::Mix(Mix::new(inside))))
    }

    /// One uniform for the part, then that part's own draw. The number of uniforms is therefore
    /// fixed if all parts take the same number.
    #[inline]
    fn sample(&self, stream: &mut Stream) -> f64 {
        let u = stream.uniform();
        let chosen = self.parts.iter().position(|part| u < part.upto);
        self.parts[chosen.unwrap_or(self.parts.len() - 1)].law.sample(stream)
    }
}
