//! Whether and when a failed attempt is repeated, checked.

use thinktime_file::error::Invalid;
use thinktime_file::schema::Scalar;
use thinktime_file::time::Nanos;
use thinktime_file::units::{Dimension, parse_time};
use thinktime_file::workload::{RetryTable, RetryWhen};

use crate::attempt::Attempt;
use crate::distribution::Distribution;
use crate::failure::{LATE, STATUS};
use crate::files::Files;

/// Whether and when a failed attempt is repeated.
#[derive(Clone, Debug)]
pub struct Retry {
    /// The largest number of attempts, the first included; `u32::MAX` for any number.
    pub attempts: u32,
    /// Whether the client gives up at the timeout, or waits and then tries again.
    pub when: RetryWhen,
    /// The failures after which alone it is repeated; after any if this is empty.
    pub on: Vec<Cause>,
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
    /// The number by which an attempt's service demand is drawn: the first attempt's, if retries
    /// bring the same work again.
    #[inline]
    #[must_use]
    pub fn demand_serial(&self, attempt: &Attempt) -> u64 {
        let number = if self.same_demand { 1 } else { attempt.attempt };
        Attempt { attempt: number, ..*attempt }.serial()
    }

    /// One attempt.
    #[must_use]
    pub fn never() -> Retry {
        Retry {
            attempts: 1,
            when: RetryWhen::Timeout,
            on: Vec::new(),
            backoff: None,
            growth: 1.0,
            backoff_max: Nanos::MAX,
            same_demand: false,
        }
    }

    /// Whether the attempt of this number, which failed by this word or was late, is repeated.
    #[must_use]
    pub fn covers(&self, attempt: u32, error: Option<&str>, status: u16) -> bool {
        if attempt >= self.attempts {
            return false;
        }
        Cause::any(&self.on, error, status)
    }

    /// How long a client with this timeout waits for an attempt: also after it, if a late answer
    /// still counts.
    pub(crate) fn deadline(&self, timeout: Nanos) -> Nanos {
        if self.when == RetryWhen::Late { Nanos::MAX } else { timeout }
    }

    pub(crate) fn from_table(
        table: Option<&RetryTable>,
        timeout: Nanos,
        files: &dyn Files,
    ) -> Result<Retry, Invalid> {
        let Some(table) = table else { return Ok(Retry::never()) };
        let when = table.when.unwrap_or_default();
        if when == RetryWhen::Late && timeout.is_never() {
            return Err(Invalid::new("`when = \"late\"` needs the request's `timeout`"));
        }
        let growth = table.growth.unwrap_or(1.0);
        if !(1.0..=1000.0).contains(&growth) {
            return Err(Invalid::new(format!("`growth` must be from 1 to 1000, not {growth}")));
        }
        let law = |text: &str| Distribution::parse(text, files)?.expect(Dimension::Time);
        let backoff_max = of_key("backoff_max", table.backoff_max.as_ref(), parse_time)?;
        Ok(Retry {
            attempts: attempts(&table.attempts.text())?,
            when,
            on: table.on.iter().map(|text| Cause::parse(text)).collect::<Result<_, _>>()?,
            backoff: of_key("backoff", table.backoff.as_ref(), law)?,
            growth,
            backoff_max: backoff_max.map_or(Nanos::MAX, Nanos::from_secs_f64),
            same_demand: table.same_demand.unwrap_or(false),
        })
    }
}

/// The beginning of words that are an SQLSTATE (PostgreSQL's manual, appendix A).
const SQLSTATE: &str = "sqlstate_";

/// The cause of an attempt's failure, as results count it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    word: String,
    /// The status, if only that one is meant.
    status: Option<u16>,
}

impl Cause {
    /// Whether a failure by this word, or by being late, is among these; any is if there are none.
    pub(crate) fn any(causes: &[Cause], error: Option<&str>, status: u16) -> bool {
        let error = error.unwrap_or(LATE);
        causes.is_empty() || causes.iter().any(|cause| cause.is(error, status))
    }

    /// Parses a word of results, or `status 503`.
    pub(crate) fn parse(text: &str) -> Result<Cause, Invalid> {
        let wrong = || {
            Invalid::new(format!(
                "`on`: `{text}` is no failure as results count it, as in timeout, closed, \
                 \"status 503\" or sqlstate_40001"
            ))
        };
        let (word, status) = match text.split_once(' ') {
            Some((STATUS, number)) => (STATUS, Some(number.parse().map_err(|_| wrong())?)),
            _ => (text, None),
        };
        if word.strip_prefix(SQLSTATE).is_some_and(|code| !is_sqlstate(code)) {
            return Err(Invalid::new(format!(
                "`on`: `{text}` is no SQLSTATE: that has five digits or capital letters, as in \
                 sqlstate_40001"
            )));
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let right = word.starts_with(|c: char| c.is_ascii_lowercase()) && word.chars().all(plain);
        right.then(|| Cause { word: word.to_owned(), status }).ok_or_else(wrong)
    }

    fn is(&self, error: &str, status: u16) -> bool {
        self.word == error && self.status.is_none_or(|own| own == status)
    }
}

/// Whether this has the form of a server's code: five digits and capital letters.
fn is_sqlstate(code: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_uppercase();
    code.len() == 5 && code.bytes().all(plain)
}

fn attempts(text: &str) -> Result<u32, Invalid> {
    match text.parse() {
        _ if text == "unlimited" => Ok(u32::MAX),
        Ok(attempts @ 1..=1000) => Ok(attempts),
        _ => Err(Invalid::new(
            "`attempts` must be from 1 to 1000, the first one included, or \"unlimited\"",
        )),
    }
}

/// The value of a key, if it is given; an error comes with the key's name.
fn of_key<T>(
    key: &str,
    given: Option<&Scalar>,
    read: impl Fn(&str) -> Result<T, Invalid>,
) -> Result<Option<T>, Invalid> {
    let value = given.map(|scalar| read(&scalar.text())).transpose();
    value.map_err(|error| Invalid::new(format!("`{key}`: {error}")))
}
