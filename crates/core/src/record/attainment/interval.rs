//! Shares, with their intervals.

use super::Found;
use crate::statistics::NORMAL_975;

/// A percentile judged by the share of requests beyond the limit, too; that share may be `allowed`.
/// If the number of independent ones is not known they count as one.
pub(super) fn by_number(
    found: Found,
    beyond: f64,
    allowed: f64,
    independent: Option<f64>,
) -> Found {
    let [low, high] = wilson(beyond, independent.unwrap_or(1.0));
    let sure = independent.is_some();
    Found {
        few_beyond: sure && high <= allowed,
        many_beyond: low > allowed && (sure || beyond >= 1.0),
        ..found
    }
}

/// A share of this many. If no failure at all is allowed, none is enough, however few there were.
pub(super) fn share(failed: u64, all: u64, most: f64) -> Found {
    if all == 0 {
        return Found::default();
    }
    let part = failed as f64 / all as f64;
    let [low, high] = wilson(part, all as f64);
    Found {
        value: Some(part),
        low: Some(low),
        high: Some(high),
        few_beyond: failed == 0 && most <= 0.0,
        ..Found::default()
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
