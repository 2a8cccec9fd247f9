//! A system file's station, checked.

use thinktime_file::error::Invalid;
use thinktime_file::schema::SchemaError;
use thinktime_file::system::StationTable;
use thinktime_file::time::Nanos;
use thinktime_file::units::parse_time;

use super::super::demand::{Demand, DemandLaw};
use super::super::node::{NodeModel, demand_names};
use super::super::read::{Placed, Reading, at_least_one, named};
use crate::files::Files;
use crate::policy::scheduling::{self, Discipline, Rank, Ties};

/// A station, checked.
#[derive(Clone, Debug)]
pub struct StationModel {
    /// Its name.
    pub name: String,
    /// Its number among the stations, by which its random streams are named.
    pub(in crate::system) number: u32,
    /// The number of servers, at least 1.
    pub servers: u32,
    /// The scheduling policy.
    pub discipline: Discipline,
    /// The service demand, if the station has one.
    pub demand: Option<Demand>,
    /// Classes of request names, the smallest first.
    pub classes: Vec<(String, u32)>,
    /// Its reaction to overload.
    pub overload: Overload,
}

/// A station's reaction to overload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overload {
    /// The largest number of requests that wait.
    pub queue_limit: u64,
    /// A request that has waited longer when its turn comes is dropped.
    pub queue_timeout: Nanos,
    /// With more waiting, the newest is served first.
    pub newest_first_above: usize,
}

impl StationModel {
    pub(in crate::system) fn from_table(
        table: &StationTable,
        files: &dyn Files,
    ) -> Placed<StationModel> {
        let policy = table.policy.as_deref().unwrap_or(StationTable::POLICY);
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
            number: 0,
            servers: at_least_one("servers", table.servers.unwrap_or(StationTable::SERVERS))?,
            overload: Overload::from_table(table, &discipline)?,
            discipline,
            demand: table.demand.as_ref().map(|value| Demand::parse(value, files)).transpose()?,
            classes: table.priority.iter().map(|(name, class)| (name.clone(), *class)).collect(),
        })
    }

    /// Whether every request waits as long as it takes.
    #[must_use]
    pub fn is_unlimited(&self) -> bool {
        self.overload.queue_limit == u64::MAX && self.overload.queue_timeout.is_never()
    }

    /// The law of its own demands, for all requests or each name.
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

impl NodeModel for StationModel {
    fn read(reading: &Reading<'_>) -> Result<Vec<StationModel>, SchemaError> {
        let file = reading.file;
        let one = |table: &StationTable| StationModel::from_table(table, reading.files);
        let mut all = reading.all("station", &file.station, one, |one| one.name.clone())?;
        if let Some(at) = file.station.iter().position(|one| one.when.is_some()) {
            let message = "goes with the stations of a [[cluster]]";
            return Err(reading.error(&format!("station.{at}.when"), message));
        }
        for (station, number) in all.iter_mut().zip(0..) {
            station.number = number;
            if file.behaviour.is_empty() && station.demand.is_none() {
                return Err(reading.error(&format!("station.{number}"), "missing key `demand`"));
            }
        }
        Ok(all)
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn entry_names(&self) -> Vec<&str> {
        vec![&self.name]
    }

    fn demand(&self, _: u32) -> Option<&Demand> {
        self.demand.as_ref()
    }

    fn servers(&self) -> Option<u32> {
        Some(self.servers)
    }

    fn is_unlimited(&self) -> bool {
        StationModel::is_unlimited(self)
    }

    fn is_plain(&self) -> bool {
        self.overload == Overload::NONE
    }

    fn named_requests(&self) -> Vec<(String, &str)> {
        let mut named = demand_names("station", &self.name, self.demand.as_ref());
        let place = format!("station `{}` has a priority for", self.name);
        named.extend(self.classes.iter().map(|(name, _)| (place.clone(), name.as_str())));
        named
    }
}

impl Overload {
    /// Whether every request is admitted and served.
    pub const NONE: Overload = Overload {
        queue_limit: u64::MAX,
        queue_timeout: Nanos::MAX,
        newest_first_above: usize::MAX,
    };

    fn from_table(table: &StationTable, discipline: &Discipline) -> Placed<Overload> {
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
