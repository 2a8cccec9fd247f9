//! Whether and when a failed attempt is made again, checked.

use super::file::{RetryTable, RetryWhen};
use crate::distribution::Distribution;
use crate::error::Invalid;
use crate::files::Files;
use crate::time::Nanos;
use crate::units::{Dimension, parse_time};

/// Whether and when a failed attempt is made again.
#[derive(Clone, Debug)]
pub struct Retry {
    /// The largest number of attempts, the first included; `u32::MAX` for any number.
    pub attempts: u32,
    /// Whether the client gives up at the timeout, or waits and then tries again.
    pub when: RetryWhen,
    /// The wait before the second attempt.
    pub backoff: Option<Distribution>,
    /// The factor by which it grows with each further attempt.
    pub growth: f64,
    /// The longest wait.
    pub backoff_max: Nanos,
    /// Whether every attempt brings the demand of the first one.
    pub same_demand: bool,
}

impl Retry {
    /// One attempt.
    #[must_use]
    pub fn never() -> Retry {
        Retry {
            attempts: 1,
            when: RetryWhen::Timeout,
            backoff: None,
            growth: 1.0,
            backoff_max: Nanos::MAX,
            same_demand: false,
        }
    }

    pub(super) fn from_table(
        table: Option<&RetryTable>,
        timeout: Nanos,
        files: &dyn Files,
    ) -> Result<Retry, Invalid> {
        let Some(table) = table else { return Ok(Retry::never()) };
        let attempts = match table.attempts.text().as_str() {
            "unlimited" => u32::MAX,
            text => match text.parse() {
                Ok(attempts @ 1..=1000) => attempts,
                _ => {
                    return Err(Invalid::new(
                        "`attempts` must be from 1 to 1000, the first one included, or \
                         \"unlimited\"",
                    ));
                }
            },
        };
        let when = table.when.unwrap_or_default();
        if when == RetryWhen::Late && timeout.is_never() {
            return Err(Invalid::new("`when = \"late\"` needs the request's `timeout`"));
        }
        let growth = table.growth.unwrap_or(1.0);
        if !(1.0..=1000.0).contains(&growth) {
            return Err(Invalid::new(format!("`growth` must be from 1 to 1000, not {growth}")));
        }
        let law = |text: String| Distribution::parse(&text, files)?.expect(Dimension::Time);
        let backoff_max = table.backoff_max.as_ref().map(|time| parse_time(&time.text()));
        Ok(Retry {
            attempts,
            when,
            backoff: table.backoff.as_ref().map(|scalar| law(scalar.text())).transpose()?,
            growth,
            backoff_max: backoff_max.transpose()?.map_or(Nanos::MAX, Nanos::from_secs_f64),
            same_demand: table.same_demand.unwrap_or(false),
        })
    }
}
