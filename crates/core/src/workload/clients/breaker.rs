//! When a circuit breaker opens, and for how long, checked.

use thinktime_file::error::Invalid;
use thinktime_file::schema::Scalar;
use thinktime_file::time::Nanos;
use thinktime_file::units::{parse_share, parse_time};
use thinktime_file::workload::BreakerTable;

use crate::request::Cause;
use crate::share::Share;

/// The rules of a circuit breaker.
#[derive(Clone, Debug, PartialEq)]
pub struct BreakerRules {
    /// What opens it.
    pub trip: Trip,
    /// How long it turns all attempts away, more than [`Nanos::ZERO`].
    pub open: Nanos,
    /// The number of attempts that then try, at least 1.
    pub trials: u32,
    /// The failures that count; all if this is empty.
    pub on: Vec<Cause>,
}

/// What opens a circuit breaker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Trip {
    /// This many failures in a row, at least 1.
    InARow(u32),
    /// A share of failures among recent attempts.
    Share {
        /// The share, more than 0.
        share: f64,
        /// How long an attempt is recent after its end.
        window: Nanos,
        /// The least number of recent attempts.
        least: u32,
    },
}

/// The least number of attempts of which a share counts; Hystrix has the same
/// (`circuitBreaker.requestVolumeThreshold`).
const LEAST: u32 = 20;

impl BreakerRules {
    pub(super) fn from_table(table: &BreakerTable) -> Result<BreakerRules, Invalid> {
        let on = table.on.iter().map(|text| Cause::parse(text)).collect::<Result<_, _>>()?;
        Ok(BreakerRules {
            trip: Trip::from_table(table)?,
            open: time("open", &table.open)?,
            trials: count("trials", table.trials, 1)?,
            on,
        })
    }

    /// Those of a share's clients, who see a part of the attempts.
    pub(super) fn of_share(&self, share: Share) -> BreakerRules {
        let trip = match self.trip {
            Trip::Share { share: failed, window, least } => {
                let least = u64::from(least).div_ceil(share.of) as u32;
                Trip::Share { share: failed, window, least }
            }
            in_a_row @ Trip::InARow(_) => in_a_row,
        };
        BreakerRules { trip, ..self.clone() }
    }
}

impl Trip {
    fn from_table(table: &BreakerTable) -> Result<Trip, Invalid> {
        match (table.failures, &table.share) {
            (Some(_), Some(_)) => {
                Err(Invalid::new("has one of `failures` and `share`, not both: leave one out"))
            }
            (None, None) => Err(Invalid::new(
                "needs `failures`, a number of failed attempts in a row, as in \
                 { failures = 5, open = \"30s\" }, or `share` and `window`",
            )),
            (Some(failures), None) => {
                if table.window.is_some() || table.least.is_some() {
                    let why = "`window` and `least` go with `share`, not with `failures`";
                    return Err(Invalid::new(why));
                }
                Ok(Trip::InARow(count("failures", Some(failures), 1)?))
            }
            (None, Some(share)) => {
                let Some(window) = &table.window else {
                    let why = "`share` needs a `window`, the time over which it is taken";
                    return Err(Invalid::new(why));
                };
                let failed = parse_share(&share.text())
                    .map_err(|error| Invalid::new(format!("`share`: {error}")))?;
                if failed <= 0.0 {
                    return Err(Invalid::new("`share` must be more than 0"));
                }
                let least = count("least", table.least, LEAST)?;
                Ok(Trip::Share { share: failed, window: time("window", window)?, least })
            }
        }
    }
}

fn count(key: &str, given: Option<u32>, default: u32) -> Result<u32, Invalid> {
    match given.unwrap_or(default) {
        0 => Err(Invalid::new(format!("`{key}` must be at least 1"))),
        number => Ok(number),
    }
}

fn time(key: &str, given: &Scalar) -> Result<Nanos, Invalid> {
    match parse_time(&given.text()).map(Nanos::from_secs_f64) {
        Ok(Nanos::ZERO) => Err(Invalid::new(format!("`{key}` must be more than 0s"))),
        Ok(time) => Ok(time),
        Err(error) => Err(Invalid::new(format!("`{key}`: {error}"))),
    }
}
