//! The figures that objectives limit, and the keys by which a file names them.

use crate::error::Invalid;
use crate::units::{parse_share, parse_time};

/// Figures of times that can be limited, as the summary names them.
pub const TIMES: [&str; 6] = ["mean", "p50", "p90", "p95", "p99", "p99.9"];

/// The beginning of the names of page figures.
pub const PAGE: &str = "page_";

/// The name of the largest share of requests that may fail.
pub const ERRORS: &str = "errors";

/// The name of the least share of all checks that must pass.
pub const CHECKS: &str = "checks";

/// The name of the table with shares of single checks.
pub const CHECK: &str = "check";

/// A figure that can be limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// The mean or a percentile of the response time, by its name in the summary.
    Response(&'static str),
    /// The same of the page response time.
    Page(&'static str),
    /// The share of requests that failed.
    Errors,
    /// The share of checks that passed.
    Checks,
}

impl Figure {
    /// Its name as a key of the file, as in `page_p99`.
    #[must_use]
    pub fn key(self) -> String {
        match self {
            Figure::Response(name) => name.to_owned(),
            Figure::Page(name) => format!("{PAGE}{name}"),
            Figure::Errors => ERRORS.to_owned(),
            Figure::Checks => CHECKS.to_owned(),
        }
    }

    /// All figures, in the order in which errors name them.
    pub fn all() -> impl Iterator<Item = Figure> {
        let times = TIMES.into_iter().map(Figure::Response);
        let pages = TIMES.into_iter().map(Figure::Page);
        times.chain(pages).chain([Figure::Errors, Figure::Checks])
    }

    /// The figure of a key, if it is one.
    #[must_use]
    pub fn named(key: &str) -> Option<Figure> {
        Figure::all().find(|figure| figure.key() == key)
    }

    /// The limit of an objective, in seconds or as a share.
    ///
    /// # Errors
    /// When the text is no time, or no share.
    pub fn limit(self, text: &str) -> Result<f64, Invalid> {
        match self {
            Figure::Response(_) | Figure::Page(_) => parse_time(text),
            Figure::Errors | Figure::Checks => parse_share(text),
        }
    }
}
