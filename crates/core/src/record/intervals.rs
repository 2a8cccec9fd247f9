//! The intervals of percentiles, and the reading of intervals. JSON has `null` for an end that is
//! not finite, and a file from elsewhere may have it for an unknown interval.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

use super::Collector;
use crate::statistics::{Tally, TimeFigures};

/// If the mean is not known to this share of itself, intervals by sections are right too seldom
/// (`benches/coverage.py`).
const MEAN_KNOWN: f64 = 0.1;

/// The intervals of the percentiles of all response times, by name. Those are known, and have one,
/// that the number of independent requests bounds.
pub(super) fn percentile_intervals(
    collector: &Collector,
    all: &Tally,
    independent: Option<f64>,
) -> BTreeMap<String, [f64; 2]> {
    let known = |(mean, half): (f64, f64)| half <= MEAN_KNOWN * mean;
    let by_sections = collector.mean_and_half_width().is_some_and(known);
    let shares = TimeFigures::PERCENTILES.map(|(_, share)| share);
    let intervals = collector.sections.intervals_95(all, shares);
    let named = TimeFigures::PERCENTILES.into_iter().zip(intervals);
    let interval = |((name, share), of_sections): ((&str, f64), Option<[f64; 2]>)| {
        let least = all.percentile_interval_95(share, 0, independent?)?;
        Some((name.to_owned(), of_sections.filter(|_| by_sections).unwrap_or(least)))
    };
    named.filter_map(interval).collect()
}

impl Collector {
    /// The mean response time in seconds and the half-width of its 95 % confidence interval.
    #[must_use]
    pub fn mean_and_half_width(&self) -> Option<(f64, f64)> {
        Some((self.sections.mean_s()?, self.batches.interval_95()?.half_width * 1e-9))
    }

    /// Whether the mean response time is known to this share of itself: by its interval, and by one
    /// of larger batches too, because a rule that stops at the first narrow interval prefers those
    /// that chance made narrow.
    #[must_use]
    pub fn is_precise(&self, share: f64) -> bool {
        let half_s = self.batches.cautious_half_width_95().map(|half| half * 1e-9);
        let mean_s = self.sections.mean_s();
        half_s.zip(mean_s).is_some_and(|(half_s, mean_s)| half_s <= share * mean_s)
    }
}

type Ends = Option<[Option<f64>; 2]>;

/// An interval, if both of its ends are known.
pub(super) fn interval<'de, D: Deserializer<'de>>(from: D) -> Result<Option<[f64; 2]>, D::Error> {
    Ends::deserialize(from).map(known)
}

/// Those intervals of which both ends are known, by name.
pub(super) fn intervals<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<BTreeMap<String, [f64; 2]>, D::Error> {
    let all = BTreeMap::<String, Ends>::deserialize(from)?;
    Ok(all.into_iter().filter_map(|(name, ends)| Some((name, known(ends)?))).collect())
}

fn known(ends: Ends) -> Option<[f64; 2]> {
    let [low, high] = ends?;
    Some([low?, high?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Read {
        #[serde(default, deserialize_with = "interval")]
        one: Option<[f64; 2]>,
        #[serde(default, deserialize_with = "intervals")]
        all: BTreeMap<String, [f64; 2]>,
    }

    #[test]
    fn an_end_that_is_null_makes_an_interval_unknown() {
        for (text, wanted) in [
            ("[0.5, 1.0]", Some([0.5, 1.0])),
            ("[0.5, null]", None),
            ("[null, 1.0]", None),
            ("[null, null]", None),
            ("null", None),
        ] {
            let text =
                format!("{{\"one\": {text}, \"all\": {{\"p50\": [1, 2], \"p99\": {text}}}}}");
            let read: Read = serde_json::from_str(&text).unwrap();
            assert_eq!(read.one, wanted, "{text}");
            assert_eq!(read.all.get("p99").copied(), wanted, "{text}");
            assert_eq!(read.all["p50"], [1.0, 2.0]);
        }
        let nothing: Read = serde_json::from_str("{}").unwrap();
        assert!(nothing.one.is_none() && nothing.all.is_empty());
        assert!(serde_json::from_str::<Read>("{\"one\": [1]}").is_err());
    }
}
