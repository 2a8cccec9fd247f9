//! The figure of an objective, in words.

use thinktime_file::workload::Figure;

use super::{Attainment, Found};
use crate::words;
use crate::workload::{Objective, Scope};

/// As in `visitors: p99 is 312 ms (298 ms to 330 ms), wanted 250 ms or less`.
pub(super) fn in_words(objective: &Objective, found: Found, attainment: Attainment) -> String {
    let limit = objective.limit;
    let key = objective.figure.key();
    let is_time = objective.figure.is_time();
    let apart = if is_time { words::times_apart } else { words::percents_apart };
    let plain: fn(f64) -> String = if is_time { words::time } else { words::percent };
    let value = found.value.filter(|value| value.is_finite());
    let (value, bound) =
        value.map_or_else(|| (String::new(), plain(limit)), |value| apart(value, limit));
    let known = found.interval().map(|bounds| bounds.map(plain));
    let known = known.filter(|[low, high]| low != high);
    let known = known.map_or(String::new(), |[low, high]| format!(" ({low} to {high})"));
    let failed = latest(found.failed);
    let endless = found.value.is_some_and(f64::is_infinite);
    let unknown = is_time && !objective.figure.is_mean() && found.interval().is_none();
    let (what, wanted) = match objective.figure {
        Figure::Errors => (format!("{value} of requests failed{known}"), "or less"),
        Figure::Checks => (format!("{value} of checks passed{known}"), "or more"),
        Figure::Goodput => (format!("{value} of requests met all limits{known}"), "or more"),
        _ if endless => (format!("{key} is beyond any limit,{failed}"), "or less"),
        _ if unknown => (format!("{key} is {}{failed}", side(attainment)), "or less"),
        _ => (format!("{key} is {value}{known}{failed}"), "or less"),
    };
    let what = if found.value.is_none() { format!("{key}: nothing was measured") } else { what };
    let doubt = match attainment {
        Attainment::CannotTell => doubt(found, limit),
        _ => String::new(),
    };
    let of = of(objective);
    format!("{of}{what}, wanted {bound} {wanted}{doubt}")
}

/// The beginning of a sentence about one population, request or check.
fn of(objective: &Objective) -> String {
    match &objective.of {
        Scope::All => String::new(),
        Scope::Check(name) => format!("check `{name}`: "),
        Scope::Population(name, _) | Scope::Request(name) => format!("{name}: "),
    }
}

/// The requests that count as later than any limit.
fn latest(failed: u64) -> String {
    match failed {
        0 => String::new(),
        1 => " with the request that failed as the latest".to_owned(),
        many => format!(" with {} requests that failed as the latest", words::count(many)),
    }
}

/// A percentile without an interval.
fn side(attainment: Attainment) -> &'static str {
    match attainment {
        Attainment::Met => "within the limit",
        Attainment::NotMet => "beyond the limit for certain",
        Attainment::CannotTell => "not known",
    }
}

/// Advice, if a result cannot decide.
fn doubt(found: Found, limit: f64) -> String {
    match (found.value, found.more(limit).or(found.short)) {
        (None, _) => String::new(),
        (_, Some(more)) => format!("; about {more} times as many requests would tell"),
        (_, None) if found.interval().is_none() => {
            "; there are too few requests to tell".to_owned()
        }
        (_, None) => "; it is too near to the limit to tell".to_owned(),
    }
}
