//! The stations and pools of a system file, checked.

use super::demand::{Demand, DemandLaw};
use super::file::{PoolTable, StationTable};
use crate::error::Invalid;
use crate::files::Files;
use crate::policy::scheduling::{self, Discipline, Rank, Ties};
use crate::time::Nanos;
use crate::units::parse_time;

/// A station, checked.
#[derive(Clone, Debug)]
pub struct StationModel {
    /// Its name.
    pub name: String,
    /// The number of servers, at least 1.
    pub servers: u32,
    /// The scheduling policy.
    pub discipline: Discipline,
    /// The service demand, where the station has one.
    pub demand: Option<Demand>,
    /// Classes of request names, the smallest first.
    pub classes: Vec<(String, u32)>,
    /// What it does when too much waits.
    pub overload: Overload,
}

/// What a station does when too much waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overload {
    /// The largest number of requests that wait.
    pub queue_limit: u64,
    /// Who has waited longer when its turn comes is dropped.
    pub queue_timeout: Nanos,
    /// With more waiting, the newest is served first.
    pub newest_first_above: usize,
}

/// A pool, checked.
#[derive(Clone, Debug)]
pub struct PoolModel {
    /// Its name.
    pub name: String,
    /// The number of places, at least 1.
    pub size: u32,
    /// The largest number of requests that wait for a place.
    pub queue_limit: u64,
}

fn at_least_one(key: &str, count: u32) -> Result<u32, (String, Invalid)> {
    if (1..=1_000_000).contains(&count) {
        return Ok(count);
    }
    Err((key.to_owned(), Invalid::new("must be from 1 to 1000000")))
}

fn named(name: &str) -> Result<String, (String, Invalid)> {
    if name.is_empty() {
        return Err(("name".to_owned(), Invalid::new("is empty")));
    }
    Ok(name.to_owned())
}

impl PoolModel {
    pub(super) fn from_table(table: &PoolTable) -> Result<PoolModel, (String, Invalid)> {
        Ok(PoolModel {
            name: named(&table.name)?,
            size: at_least_one("size", table.size)?,
            queue_limit: table.queue_limit.map_or(u64::MAX, u64::from),
        })
    }
}

impl StationModel {
    pub(super) fn from_table(
        table: &StationTable,
        files: &dyn Files,
    ) -> Result<StationModel, (String, Invalid)> {
        let policy = table.policy.as_deref().unwrap_or("fcfs");
        let discipline =
            scheduling::parse(policy, files).map_err(|error| ("policy".to_owned(), error))?;
        if discipline.rank == Rank::Class && table.priority.is_empty() {
            return Err((
                "policy".to_owned(),
                Invalid::new(
                    "`priority` needs the class of at least one request, as in priority.item = 1",
                ),
            ));
        }
        if discipline.rank != Rank::Class && !table.priority.is_empty() {
            let message = format!("goes with policy = \"priority\", not with `{policy}`");
            return Err(("priority".to_owned(), Invalid::new(message)));
        }
        Ok(StationModel {
            name: named(&table.name)?,
            servers: at_least_one("servers", table.servers.unwrap_or(1))?,
            overload: Overload::from_table(table, &discipline)?,
            discipline,
            demand: table.demand.as_ref().map(|value| Demand::parse(value, files)).transpose()?,
            classes: table.priority.iter().map(|(name, class)| (name.clone(), *class)).collect(),
        })
    }

    /// What its own demands are drawn from, for all requests or each name.
    pub fn laws(&self) -> impl Iterator<Item = &DemandLaw> {
        let (all, named) = match &self.demand {
            None => (None, [].as_slice()),
            Some(Demand::All(law)) => (Some(law), [].as_slice()),
            Some(Demand::ByRequest(laws)) => (None, laws.as_slice()),
        };
        all.into_iter().chain(named.iter().map(|(_, law)| law))
    }

    /// The class of requests of this name.
    #[must_use]
    pub fn class_of(&self, request: &str) -> u64 {
        let class = self.classes.iter().find(|(name, _)| name == request);
        class.map_or(u64::MAX, |(_, class)| (*class).into())
    }
}

impl Overload {
    /// Everything is let in and served.
    pub const NONE: Overload = Overload {
        queue_limit: u64::MAX,
        queue_timeout: Nanos::MAX,
        newest_first_above: usize::MAX,
    };

    pub(super) fn from_table(
        table: &StationTable,
        discipline: &Discipline,
    ) -> Result<Overload, (String, Invalid)> {
        let fail = |key: &str, message: &str| Err((key.to_owned(), Invalid::new(message)));
        let queue_timeout = match &table.queue_timeout {
            None => Nanos::MAX,
            Some(_) if discipline.ties == Ties::Share => {
                return fail("queue_timeout", "does not go with a policy under which nobody waits");
            }
            Some(scalar) => {
                let seconds = parse_time(&scalar.text())
                    .map_err(|error| ("queue_timeout".to_owned(), error))?;
                Nanos::from_secs_f64(seconds)
            }
        };
        let first_come = discipline.rank == Rank::Equal && discipline.ties == Ties::FirstCome;
        if table.newest_first_above.is_some() && !first_come {
            return fail("newest_first_above", "goes with policy = \"fcfs\" only");
        }
        Ok(Overload {
            queue_limit: table.queue_limit.map_or(u64::MAX, u64::from),
            queue_timeout,
            newest_first_above: table.newest_first_above.map_or(usize::MAX, |at| at as usize),
        })
    }
}
