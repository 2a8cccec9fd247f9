//! A system file's station, checked.

use thinktime_file::error::Invalid;
use thinktime_file::schema::{Scalar, SchemaError};
use thinktime_file::system::StationTable;
use thinktime_file::time::Nanos;
use thinktime_file::units::{Dimension, parse_time};

use super::super::demand::{Demand, DemandLaw};
use super::super::node::{NodeModel, demand_names};
use super::super::read::{ReadResult, Reading, at_least_one, named};
use super::batch::BatchModel;
use super::engine::pace::PaceModel;
use super::scale::ScaleModel;
use crate::distribution::Distribution;
use crate::files::Files;
use crate::policy::scheduling::{self, Discipline, Rank, Ties};

/// A station, checked.
#[derive(Clone, Debug)]
pub struct StationModel {
    /// Its name.
    pub name: String,
    /// Its number among the stations, by which its random streams are named.
    pub(in crate::system) number: u32,
    /// The number of servers, at least 1; the largest if it changes.
    pub servers: u32,
    /// The scheduling policy.
    pub discipline: Discipline,
    /// The service demand, if the station has one.
    pub demand: Option<Demand>,
    /// Classes of request names, the smallest first.
    pub classes: Vec<(String, u32)>,
    /// The times after their arrival by which requests should be done, by name.
    pub(super) deadlines: Vec<(String, Nanos)>,
    /// The weights of requests, by name.
    pub(super) weights: Vec<(String, f64)>,
    /// Its reaction to overload.
    pub overload: Overload,
    /// How its speed varies; `None` if each of its servers has a speed of 1 all the time.
    pub pace: Option<PaceModel>,
    /// How the number of its servers changes; `None` if all are always there.
    pub scale: Option<ScaleModel>,
    /// How many requests its server serves together; `None` if each is served alone.
    pub batch: Option<BatchModel>,
}

/// A station's reaction to overload.
#[derive(Clone, Debug, PartialEq)]
pub struct Overload {
    /// The largest number of requests that wait.
    pub queue_limit: u64,
    /// A request that has waited longer than a draw of this, when its turn comes, is dropped.
    pub queue_timeout: Option<Distribution>,
    /// With more waiting, the newest is served first.
    pub newest_first_above: usize,
}

impl StationModel {
    pub(in crate::system) fn from_table(
        table: &StationTable,
        files: &dyn Files,
    ) -> ReadResult<StationModel> {
        let policy = table.policy.as_deref().unwrap_or(StationTable::POLICY);
        let discipline =
            scheduling::parse(policy, files).map_err(|error| ("policy".to_owned(), error))?;
        let scale = ScaleModel::from_table(table, &discipline, files)?;
        let servers = table.servers.unwrap_or(StationTable::SERVERS);
        let servers = scale.as_ref().map_or(servers, ScaleModel::most);
        let servers = at_least_one("servers", servers)?;
        if discipline.rank == Rank::Weight && servers > 1 {
            let message = "must be 1 under `dps`: with more of them a large weight would give a \
                           request more than one server";
            return Err(("servers".to_owned(), Invalid::new(message)));
        }
        check_by_name(table, policy, &discipline.rank)?;
        Ok(StationModel {
            name: named(&table.name)?,
            number: 0,
            servers,
            overload: Overload::from_table(table, &discipline, files)?,
            pace: PaceModel::from_table(table, files)?,
            scale,
            batch: BatchModel::from_table(table, &discipline)?,
            discipline,
            demand: table.demand.as_ref().map(|value| Demand::parse(value, files)).transpose()?,
            classes: table.priority.iter().map(|(name, class)| (name.clone(), *class)).collect(),
            deadlines: deadlines(table)?,
            weights: weights(table)?,
        })
    }

    /// Whether every request waits as long as it takes.
    #[must_use]
    pub fn is_unlimited(&self) -> bool {
        self.overload.queue_limit == u64::MAX && self.overload.queue_timeout.is_none()
    }

    /// The work that it does in a second with very many requests in the long run, in seconds of one
    /// server. That of batches is for equal demands; with others it is less.
    #[must_use]
    pub fn speed(&self) -> f64 {
        let together = self.batch.map_or(1.0, |batch| batch.most.into());
        let servers = f64::from(self.servers) * together;
        self.pace.as_ref().map_or(servers, |pace| pace.long_run(servers))
    }

    /// Whether each of its servers is always there and serves one request at a speed of 1.
    #[must_use]
    pub fn is_steady(&self) -> bool {
        self.pace.is_none() && self.batch.is_none() && self.scale.is_none()
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

    /// The time after its arrival by which a request of this name should be done; never without
    /// one.
    #[must_use]
    pub fn deadline_of(&self, request: &str) -> Nanos {
        let its = self.deadlines.iter().find(|(name, _)| name == request);
        its.map_or(Nanos::MAX, |(_, after)| *after)
    }

    /// The weight of requests of this name.
    #[must_use]
    pub fn weight_of(&self, request: &str) -> f64 {
        self.weights.iter().find(|(name, _)| name == request).map_or(1.0, |(_, weight)| *weight)
    }
}

/// Checks that the keys by request name are those of the policy.
fn check_by_name(table: &StationTable, policy: &str, rank: &Rank) -> ReadResult<()> {
    let StationTable { priority, deadline, weight, .. } = table;
    let keys = [
        ("priority", "priority", Rank::Class, priority.is_empty(), "class", "1"),
        ("deadline", "edf", Rank::Deadline, deadline.is_empty(), "deadline", "\"100ms\""),
        ("weight", "dps", Rank::Weight, weight.is_empty(), "weight", "3"),
    ];
    for (key, its, needs, is_absent, what, example) in keys {
        if *rank == needs && is_absent {
            let message = format!(
                "`{its}` needs the {what} of at least one request, as in {key}.item = {example}"
            );
            return Err(("policy".to_owned(), Invalid::new(message)));
        }
        if *rank != needs && !is_absent {
            let message = format!("goes with policy = \"{its}\", not with `{policy}`");
            return Err((key.to_owned(), Invalid::new(message)));
        }
    }
    Ok(())
}

fn deadlines(table: &StationTable) -> ReadResult<Vec<(String, Nanos)>> {
    let one = |(name, scalar): (&String, &Scalar)| {
        let time = parse_time(&scalar.text());
        let time = time.map_err(|error| (format!("deadline.{name}"), error))?;
        Ok((name.clone(), Nanos::from_secs_f64(time)))
    };
    table.deadline.iter().map(one).collect()
}

fn weights(table: &StationTable) -> ReadResult<Vec<(String, f64)>> {
    let one = |(name, weight): (&String, &f64)| match (1e-6..=1e6).contains(weight) {
        true => Ok((name.clone(), *weight)),
        false => {
            let message = format!("{weight} is not from 0.000001 to 1000000");
            Err((format!("weight.{name}"), Invalid::new(message)))
        }
    };
    table.weight.iter().map(one).collect()
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

    fn capacity(&self) -> Option<f64> {
        Some(self.speed())
    }

    fn is_unlimited(&self) -> bool {
        StationModel::is_unlimited(self)
    }

    fn is_plain(&self) -> bool {
        self.overload == Overload::NONE && self.is_steady()
    }

    fn named_requests(&self) -> Vec<(String, &str)> {
        let mut named = demand_names("station", &self.name, self.demand.as_ref());
        let place = format!("station `{}` has a priority for", self.name);
        named.extend(self.classes.iter().map(|(name, _)| (place.clone(), name.as_str())));
        let place = format!("station `{}` has a deadline for", self.name);
        named.extend(self.deadlines.iter().map(|(name, _)| (place.clone(), name.as_str())));
        let place = format!("station `{}` has a weight for", self.name);
        named.extend(self.weights.iter().map(|(name, _)| (place.clone(), name.as_str())));
        named
    }
}

impl Overload {
    /// Whether every request is admitted and served.
    pub const NONE: Overload =
        Overload { queue_limit: u64::MAX, queue_timeout: None, newest_first_above: usize::MAX };

    fn from_table(
        table: &StationTable,
        discipline: &Discipline,
        files: &dyn Files,
    ) -> ReadResult<Overload> {
        let fail = |key: &str, message: &str| Err((key.to_owned(), Invalid::new(message)));
        let queue_timeout = match &table.queue_timeout {
            None => None,
            Some(_) if discipline.ties == Ties::Share => {
                return fail("queue_timeout", "does not go with a policy under which nobody waits");
            }
            Some(scalar) => {
                let law = Distribution::parse(&scalar.text(), files)
                    .and_then(|law| law.expect(Dimension::Time));
                Some(law.map_err(|error| ("queue_timeout".to_owned(), error))?)
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
