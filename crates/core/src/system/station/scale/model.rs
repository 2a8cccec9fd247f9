//! The keys of a station whose number of servers changes, checked.

use thinktime_file::error::Invalid;
use thinktime_file::schema::Scalar;
use thinktime_file::system::{ScaleTable, StationTable};
use thinktime_file::time::Nanos;
use thinktime_file::units::{Dimension, parse_time};

use super::plan::{Plan, SERVERS_MAX};
use crate::distribution::Distribution;
use crate::files::Files;
use crate::policy::scheduling::{Discipline, Ties};
use crate::system::finite_mean::finite_mean;
use crate::system::read::ReadResult;

/// How the number of servers of a station changes.
#[derive(Clone, Debug, PartialEq)]
pub struct ScaleModel {
    pub(super) rule: Rule,
    /// The least and the most servers that the rule wants.
    pub(super) from: u32,
    pub(super) to: u32,
    /// The time from the wish for a server to its first service; `None` for no time.
    pub(super) delay: Option<Distribution>,
    /// For how long fewer must be wanted before servers go.
    pub(super) wait: Nanos,
}

/// What the number of servers follows.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Rule {
    /// The load of the servers.
    Load(LoadRule),
    /// The number of requests there.
    Requests,
    /// Nothing but time.
    Time(Plan),
}

/// An autoscaler that looks at the load at equal intervals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LoadRule {
    /// The part of the servers that should be busy.
    pub(super) target: f64,
    /// The relative difference from it at which nothing changes.
    pub(super) tolerance: f64,
    pub(super) every: Nanos,
}

/// The shortest interval of looks.
const EVERY_LEAST: Nanos = Nanos(1_000_000);

impl ScaleModel {
    /// The table `scale` of a station with this policy; `None` if its servers are always there.
    pub(in crate::system) fn from_table(
        table: &StationTable,
        discipline: &Discipline,
        files: &dyn Files,
    ) -> ReadResult<Option<ScaleModel>> {
        let Some(scale) = &table.scale else { return Ok(None) };
        check_others(table, discipline)?;
        let rule = rule(scale)?;
        check_keys(scale, &rule)?;
        let (from, to) = match &rule {
            Rule::Time(plan) => (0, plan.most()),
            _ => bounds(scale, &rule)?,
        };
        let wait = match &scale.wait {
            None if matches!(rule, Rule::Load(_)) => default_time(ScaleTable::WAIT)?,
            None => 0.0, // those that are not wanted go at once
            Some(wait) => time("scale.wait", wait)?,
        };
        let delay = match &scale.delay {
            None => None,
            Some(law) => Some(law_of_delay(law, files)?),
        };
        Ok(Some(ScaleModel { rule, from, to, delay, wait: Nanos::from_secs_f64(wait) }))
    }

    /// The most servers.
    pub(in crate::system) fn most(&self) -> u32 {
        self.to
    }

    /// About the time that the start matters: until the rule has gone from the least servers to the
    /// most, and has let those go that are not wanted. A load is at most 1, so that one look
    /// multiplies the servers by no more than the inverse of the target.
    pub(in crate::system) fn settling(&self) -> Nanos {
        let delay = self.delay.as_ref().map_or(0.0, Distribution::mean);
        let growth = match &self.rule {
            Rule::Load(rule) => rule.looks(self.from, self.to) * (delay + rule.every.as_secs_f64()),
            Rule::Requests => 2.0 * delay,
            Rule::Time(_) => return Nanos::ZERO, // a plan never settles
        };
        Nanos::from_secs_f64(self.wait.as_secs_f64() + growth)
    }

    /// The servers at the beginning.
    pub(super) fn first(&self) -> u32 {
        match &self.rule {
            Rule::Time(plan) => plan.number(0),
            Rule::Load(_) | Rule::Requests => self.from,
        }
    }
}

impl LoadRule {
    /// The looks, at full load, at which it adds servers until there are as many as `to`.
    fn looks(&self, from: u32, to: u32) -> f64 {
        let factor = 1.0 / self.target;
        if factor <= 1.0 + self.tolerance {
            return 0.0; // even a full load is near the target
        }
        let looks = (f64::from(to) / f64::from(from)).ln() / factor.ln();
        looks.ceil().min(f64::from(to - from)) // each adds one server at least
    }
}

fn wrong<T>(key: &str, why: impl Into<String>) -> ReadResult<T> {
    Err((key.to_owned(), Invalid::new(why)))
}

/// Other keys of the station, of which some do not go with it.
fn check_others(table: &StationTable, discipline: &Discipline) -> ReadResult<()> {
    if discipline.ties == Ties::Share {
        let why = "does not go with `scale` yet, because requests share the servers: `fcfs` and \
                   others with one request a server do";
        return wrong("policy", why);
    }
    if table.servers.is_some() {
        return wrong("servers", "does not go with `scale`, which says how many there are");
    }
    let others = [
        ("batch", table.batch.is_some(), ""),
        ("rate", table.rate.is_some(), ""),
        ("failure", table.failure.is_some(), ""),
        ("setup", table.setup.is_some(), ": `scale.delay` is that of each server"),
        ("queue_timeout", table.queue_timeout.is_some(), ": a `timeout` of requests does"),
    ];
    match others.iter().find(|(_, is_there, _)| *is_there) {
        Some((key, _, instead)) => wrong(key, format!("does not go with `scale` yet{instead}")),
        None => Ok(()),
    }
}

fn rule(scale: &ScaleTable) -> ReadResult<Rule> {
    match scale.on.as_str() {
        "load" => Ok(Rule::Load(LoadRule {
            target: part("scale.target", scale.target, ScaleTable::TARGET, 1e-3)?,
            tolerance: part("scale.tolerance", scale.tolerance, ScaleTable::TOLERANCE, 0.0)?,
            every: every(scale)?,
        })),
        "requests" => Ok(Rule::Requests),
        "time" => match &scale.plan {
            None => wrong("scale", "missing key `plan`, as in plan = \"steps(0s: 2, 8h: 10)\""),
            Some(plan) => match Plan::parse(plan) {
                Ok(plan) => Ok(Rule::Time(plan)),
                Err(error) => Err(("scale.plan".to_owned(), error)),
            },
        },
        other => {
            let why = format!("must be \"load\", \"requests\" or \"time\", not `{other}`");
            wrong("scale.on", why)
        }
    }
}

/// Keys that the rule does not know.
fn check_keys(scale: &ScaleTable, rule: &Rule) -> ReadResult<()> {
    let (load, time) = (matches!(rule, Rule::Load(_)), matches!(rule, Rule::Time(_)));
    let keys = [
        ("from", scale.from.is_some(), !time),
        ("to", scale.to.is_some(), !time),
        ("target", scale.target.is_some(), load),
        ("tolerance", scale.tolerance.is_some(), load),
        ("every", scale.every.is_some(), load),
        ("wait", scale.wait.is_some(), !time),
        ("plan", scale.plan.is_some(), time),
    ];
    match keys.iter().find(|(_, is_there, fits)| *is_there && !fits) {
        Some((key, ..)) => {
            wrong(&format!("scale.{key}"), format!("does not go with on = \"{}\"", scale.on))
        }
        None => Ok(()),
    }
}

/// The least and the most servers.
fn bounds(scale: &ScaleTable, rule: &Rule) -> ReadResult<(u32, u32)> {
    let least = u32::from(matches!(rule, Rule::Load(_)));
    let from = scale.from.unwrap_or(least);
    let Some(to) = scale.to else {
        return wrong("scale", "missing key `to`, the most servers");
    };
    if !(1..=SERVERS_MAX).contains(&to) {
        return wrong("scale.to", "must be from 1 to 1000000");
    }
    if from < least {
        return wrong("scale.from", "must be at least 1 with on = \"load\": it needs a load");
    }
    if from > to {
        return wrong("scale.from", format!("must be at most `to`, which is {to}"));
    }
    Ok((from, to))
}

fn part(key: &str, given: Option<f64>, default: f64, least: f64) -> ReadResult<f64> {
    let part = given.unwrap_or(default);
    match (least..=1.0).contains(&part) {
        true => Ok(part),
        false => wrong(key, format!("{part} is not from {least} to 1")),
    }
}

fn every(scale: &ScaleTable) -> ReadResult<Nanos> {
    let interval = match &scale.every {
        None => default_time(ScaleTable::EVERY)?,
        Some(every) => time("scale.every", every)?,
    };
    let interval = Nanos::from_secs_f64(interval);
    match interval >= EVERY_LEAST {
        true => Ok(interval),
        false => wrong("scale.every", "must be at least 1ms"),
    }
}

fn default_time(text: &str) -> ReadResult<f64> {
    parse_time(text).map_err(|error| ("scale".to_owned(), error))
}

fn time(key: &str, scalar: &Scalar) -> ReadResult<f64> {
    parse_time(&scalar.text()).map_err(|error| (key.to_owned(), error))
}

fn law_of_delay(scalar: &Scalar, files: &dyn Files) -> ReadResult<Distribution> {
    let law =
        Distribution::parse(&scalar.text(), files).and_then(|law| law.expect(Dimension::Time));
    law.and_then(finite_mean).map_err(|error| ("scale.delay".to_owned(), error))
}
