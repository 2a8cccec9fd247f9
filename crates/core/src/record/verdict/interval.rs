//! Intervals of figures that have no interval in the summary.

use super::Found;
use crate::statistics::Tally;

/// The 0.975 quantile of the normal law.
pub(super) const NORMAL_975: f64 = 1.959_964;

/// The factor by which memory reduces a number of times: their mean's interval, of half-width
/// `ci95`, is wider by its square root than that of independent times.
pub(super) fn memory_of(tally: &Tally, ci95: Option<f64>) -> f64 {
    let independent = tally.half_width_95(tally.count() as f64);
    let ratio = ci95.zip(independent).map(|(found, least)| (found / least).powi(2));
    ratio.filter(|ratio| ratio.is_finite()).map_or(1.0, |ratio| ratio.max(1.0))
}

/// The standard error of the logarithm of a percentile of this many independent exponential times.
/// The share `beyond` lies beyond it.
pub(super) fn of_order(number: f64, beyond: f64) -> f64 {
    ((1.0 - beyond) / (number * beyond)).sqrt() / -beyond.ln()
}

/// A percentile judged by the number of times beyond the limit, too. If their memory is not known
/// they count as one.
pub(super) fn by_number(
    found: Found,
    tally: &Tally,
    limit: f64,
    at: f64,
    sure: bool,
    independent: f64,
) -> Found {
    let beyond = tally.share_beyond(limit);
    let number = if sure { independent } else { 1.0 };
    let [low, high] = wilson(beyond, number);
    let allowed = 1.0 - at;
    Found {
        few_beyond: sure && high <= allowed,
        many_beyond: low > allowed && (sure || beyond >= 1.0),
        ..found
    }
}

/// A share of this many. If none failed, a limit never counts as broken, however few there were.
pub(super) fn share(failed: u64, all: u64) -> Found {
    if all == 0 {
        return Found::default();
    }
    let part = failed as f64 / all as f64;
    let [low, high] = wilson(part, all as f64);
    Found {
        value: Some(part),
        low: Some(low),
        high: Some(high),
        few_beyond: failed == 0,
        many_beyond: false,
    }
}

/// Wilson's 95 % interval of a share of this many independent events.
fn wilson(share: f64, number: f64) -> [f64; 2] {
    let square = NORMAL_975 * NORMAL_975 / number;
    let centre = (share + square / 2.0) / (1.0 + square);
    let half = (square * (share * (1.0 - share) + square / 4.0)).sqrt() / (1.0 + square);
    let low = if share <= 0.0 { 0.0 } else { centre - half };
    [low, if share >= 1.0 { 1.0 } else { centre + half }]
}
