//! The figures of a distribution of times.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A distribution of times, in seconds; `None` if there are no times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimeFigures {
    /// The mean.
    pub mean: Option<f64>,
    /// The half-width of the mean's 95 % confidence interval, which allows for autocorrelation.
    pub ci95: Option<f64>,
    /// The standard deviation, of the histogram, whose bins are at most 0.1 % wide; absent from
    /// results of older versions.
    #[serde(default)]
    pub sd: Option<f64>,
    /// The smallest.
    pub min: Option<f64>,
    /// The largest.
    pub max: Option<f64>,
    /// The median.
    pub p50: Option<f64>,
    /// The 90th percentile.
    pub p90: Option<f64>,
    /// The 95th percentile.
    pub p95: Option<f64>,
    /// The 99th percentile.
    pub p99: Option<f64>,
    /// The 99.9th percentile.
    #[serde(rename = "p99.9")]
    pub p999: Option<f64>,
    /// The 99.99th percentile.
    #[serde(rename = "p99.99")]
    pub p9999: Option<f64>,
}

impl TimeFigures {
    /// The percentiles: name and share.
    pub const PERCENTILES: [(&'static str, f64); 6] = [
        ("p50", 0.5),
        ("p90", 0.9),
        ("p95", 0.95),
        ("p99", 0.99),
        ("p99.9", 0.999),
        ("p99.99", 0.9999),
    ];

    /// The share of times below a percentile of this name; `None` for other names.
    #[must_use]
    pub fn share_of(name: &str) -> Option<f64> {
        TimeFigures::PERCENTILES.into_iter().find(|one| one.0 == name).map(|one| one.1)
    }

    /// The figure of this name, as in `mean` or `p99.9`.
    #[must_use]
    pub fn by_name(&self, name: &str) -> Option<f64> {
        match name {
            "mean" => self.mean,
            "p50" => self.p50,
            "p90" => self.p90,
            "p95" => self.p95,
            "p99" => self.p99,
            "p99.9" => self.p999,
            "p99.99" => self.p9999,
            _ => None,
        }
    }
}
