//! The figures that objectives limit, and the keys by which a file names them.

use crate::error::Invalid;
use crate::units::{parse_share, parse_time};

/// Figures of times that can be limited, as the summary names them.
pub const TIMES: [&str; 6] = ["mean", "p50", "p90", "p95", "p99", "p99.9"];

/// The beginning of the names of page figures.
pub const PAGE: &str = "page_";

/// The beginning of the names of figures of the first event of streamed responses.
pub const FIRST_EVENT: &str = "first_event_";

/// The beginning of the names of figures of the times between events.
pub const EVENT_GAP: &str = "event_gap_";

/// The name of the least share of requests that must meet all other objectives of times.
pub const GOODPUT: &str = "goodput";

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
    /// The same from the scheduled time to the first event of a streamed response.
    FirstEvent(&'static str),
    /// The same of the times between events of a streamed response.
    EventGap(&'static str),
    /// The share of requests that met all objectives of times.
    Goodput,
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
            Figure::FirstEvent(name) => format!("{FIRST_EVENT}{name}"),
            Figure::EventGap(name) => format!("{EVENT_GAP}{name}"),
            Figure::Goodput => GOODPUT.to_owned(),
            Figure::Errors => ERRORS.to_owned(),
            Figure::Checks => CHECKS.to_owned(),
        }
    }

    /// All figures, in the order in which errors name them.
    pub fn all() -> impl Iterator<Item = Figure> {
        let times = TIMES.into_iter().map(Figure::Response);
        let pages = TIMES.into_iter().map(Figure::Page);
        let first = TIMES.into_iter().map(Figure::FirstEvent);
        let gaps = TIMES.into_iter().map(Figure::EventGap);
        let shares = [Figure::Errors, Figure::Checks, Figure::Goodput];
        times.chain(pages).chain(first).chain(gaps).chain(shares)
    }

    /// Whether it is a time.
    #[must_use]
    pub fn is_time(self) -> bool {
        !matches!(self, Figure::Errors | Figure::Checks | Figure::Goodput)
    }

    /// Whether it is a mean.
    #[must_use]
    pub fn is_mean(self) -> bool {
        use Figure::{EventGap, FirstEvent, Page, Response};
        matches!(self, Response("mean") | Page("mean") | FirstEvent("mean") | EventGap("mean"))
    }

    /// Whether its limit is the least value, and not the largest one.
    #[must_use]
    pub fn has_least(self) -> bool {
        matches!(self, Figure::Checks | Figure::Goodput)
    }

    /// Whether it is about streamed responses.
    #[must_use]
    pub fn is_of_streams(self) -> bool {
        matches!(self, Figure::FirstEvent(_) | Figure::EventGap(_) | Figure::Goodput)
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
        if self.is_time() { parse_time(text) } else { parse_share(text) }
    }
}
