//! A modelled system: stations that requests visit, one after another.
//!
//! [`SystemModel`] is what the file says; [`System`] is the state machine. It is told of arrivals,
//! says when it next wants to act, and gives departures. The same code is simulated on a virtual
//! clock and served on the wall clock.

mod demand;
mod file;
mod station;

pub use demand::{DemandSource, DrawnDemands};
pub use file::{DemandValue, StationTable, SystemFile};
pub use station::{Station, StationSummary, Visit};

use crate::distribution::Distribution;
use crate::error::{Invalid, nearest};
use crate::files::Files;
use crate::policy::scheduling::{self, Discipline};
use crate::schema::{Scalar, SchemaError, Source};
use crate::time::Nanos;
use crate::units::Dimension;
use crate::workload::Workload;

/// A system, checked.
#[derive(Clone, Debug)]
pub struct SystemModel {
    /// Its name.
    pub name: String,
    /// Its stations, in the order of visits; never empty.
    pub stations: Vec<StationModel>,
    /// The plain tables that this was built from.
    pub file: SystemFile,
}

/// A station, checked.
#[derive(Clone, Debug)]
pub struct StationModel {
    /// Its name.
    pub name: String,
    /// The number of servers, at least 1.
    pub servers: u32,
    /// The scheduling policy.
    pub discipline: Discipline,
    /// The service demand in seconds.
    pub demand: Demand,
}

/// Service demands, for all requests or by name.
#[derive(Clone, Debug)]
pub enum Demand {
    /// The same for all.
    All(Distribution),
    /// By request name.
    ByRequest(Vec<(String, Distribution)>),
}

impl Demand {
    /// The demand of requests of this name, if they visit.
    #[must_use]
    pub fn of(&self, request: &str) -> Option<&Distribution> {
        match self {
            Demand::All(law) => Some(law),
            Demand::ByRequest(laws) => {
                laws.iter().find(|(name, _)| name == request).map(|(_, law)| law)
            }
        }
    }
}

impl SystemModel {
    /// Parses a system file. `files` reads the files that it names.
    ///
    /// # Errors
    /// When the text is no TOML, or a key is unknown, missing or has a bad value; the error names
    /// file, line, key and what would be right.
    pub fn parse(source: Source<'_>, files: &dyn Files) -> Result<SystemModel, SchemaError> {
        let file: SystemFile = source.read()?;
        if file.station.is_empty() {
            let message = "a system needs at least one [[station]] table";
            return Err(source.error("station", &Invalid::new(message)));
        }
        let mut stations: Vec<StationModel> = Vec::new();
        for (at, table) in file.station.iter().enumerate() {
            let place = |key: &str| format!("station.{at}.{key}");
            let station = StationModel::from_table(table, files)
                .map_err(|(key, error)| source.error(&place(&key), &error))?;
            if stations.iter().any(|other| other.name == station.name) {
                let error = Invalid::new("is taken by another station");
                return Err(source.error(&place("name"), &error));
            }
            stations.push(station);
        }
        Ok(SystemModel { name: file.name.clone(), stations, file })
    }

    /// Builds a system from plain tables.
    ///
    /// # Errors
    /// As [`SystemModel::parse`]; the line is that of the tables written out.
    pub fn from_file(file: &SystemFile, files: &dyn Files) -> Result<SystemModel, SchemaError> {
        let text = crate::workload::to_toml(file)?;
        SystemModel::parse(Source { file: "", text: &text }, files)
    }

    /// Checks that the system can serve the workload: every request visits a station, and every
    /// request that a station names exists.
    ///
    /// # Errors
    /// When a request has no demand anywhere, or a station names an unknown request.
    pub fn check_requests(&self, workload: &Workload) -> Result<(), Invalid> {
        let known = || workload.requests.iter().map(|kind| kind.name.as_str());
        for station in &self.stations {
            let Demand::ByRequest(laws) = &station.demand else { continue };
            let unknown = laws.iter().find(|(name, _)| known().all(|other| other != name));
            if let Some((name, _)) = unknown {
                let hint = nearest(name, known())
                    .map_or(String::new(), |near| format!(" (did you mean `{near}`?)"));
                return Err(Invalid::new(format!(
                    "station `{}` has a demand for `{name}`, but the workload has no request of \
                     that name{hint}",
                    station.name
                )));
            }
        }
        match known().find(|name| self.stations.iter().all(|at| at.demand.of(name).is_none())) {
            None => Ok(()),
            Some(name) => Err(Invalid::new(format!(
                "no station has a demand for the request `{name}`: add demand.{name} = \"...\""
            ))),
        }
    }

    /// The mean service demand of a request at each station, in seconds, with the workload's mix.
    #[must_use]
    pub fn mean_demands(&self, workload: &Workload) -> Vec<f64> {
        let total: f64 = workload.requests.iter().map(|kind| kind.weight).sum();
        let share = |station: &StationModel| -> f64 {
            let parts = workload.requests.iter().map(|kind| {
                station.demand.of(&kind.name).map_or(0.0, |law| kind.weight * law.mean())
            });
            parts.sum::<f64>() / total
        };
        self.stations.iter().map(share).collect()
    }

    /// The load that one request a second puts on the busiest station: its demand divided by the
    /// number of its servers, in seconds.
    #[must_use]
    pub fn bottleneck_demand(&self, workload: &Workload) -> f64 {
        let demands = self.mean_demands(workload).into_iter().zip(&self.stations);
        demands.map(|(demand, at)| demand / f64::from(at.servers)).fold(0.0, f64::max)
    }
}

impl StationModel {
    fn from_table(
        table: &StationTable,
        files: &dyn Files,
    ) -> Result<StationModel, (String, Invalid)> {
        let servers = table.servers.unwrap_or(1);
        if !(1..=1_000_000).contains(&servers) {
            return Err(("servers".into(), Invalid::new("must be from 1 to 1000000")));
        }
        if table.name.is_empty() {
            return Err(("name".into(), Invalid::new("is empty")));
        }
        let policy = table.policy.as_deref().unwrap_or("fcfs");
        let discipline = scheduling::parse(policy).map_err(|error| ("policy".into(), error))?;
        let law = |key: String, scalar: &Scalar| {
            Distribution::parse(&scalar.text(), files)
                .and_then(|law| law.expect(Dimension::Time))
                .and_then(finite_mean)
                .map_err(|error| (key, error))
        };
        let demand = match &table.demand {
            DemandValue::All(scalar) => Demand::All(law("demand".into(), scalar)?),
            DemandValue::ByRequest(table) => Demand::ByRequest(
                table
                    .iter()
                    .map(|(name, scalar)| {
                        Ok((name.clone(), law(format!("demand.{name}"), scalar)?))
                    })
                    .collect::<Result<_, _>>()?,
            ),
        };
        Ok(StationModel { name: table.name.clone(), servers, discipline, demand })
    }
}

fn finite_mean(law: Distribution) -> Result<Distribution, Invalid> {
    if law.mean().is_finite() {
        return Ok(law);
    }
    Err(Invalid::new(format!(
        "`{law}` has an infinite mean, so no server can keep up with it: bound it, as in \
         truncated({law}, hi=...)"
    )))
}

/// A request inside the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// The driver's own name for it.
    pub token: u64,
    /// The session, for its random streams.
    pub session: u64,
    /// The attempt's number in the session, for its random streams.
    pub serial: u64,
    /// Which of the workload's kinds of request.
    pub kind: u32,
}

/// A request that has left the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    /// Which.
    pub job: Job,
    /// When it left.
    pub at: Nanos,
    /// The last station that served it.
    pub station: u32,
    /// All the service demand that it brought.
    pub demand: Nanos,
}

/// The running system.
#[derive(Debug)]
pub struct System<D> {
    stations: Vec<Station>,
    demands: D,
}

impl<D: DemandSource> System<D> {
    /// An empty system.
    pub fn new(model: &SystemModel, demands: D) -> System<D> {
        let stations = model.stations.iter().map(Station::new).collect();
        System { stations, demands }
    }

    /// A request arrives. `now` must not be before any earlier event.
    #[inline]
    pub fn arrive(&mut self, now: Nanos, job: Job) {
        let visit = Visit { job, demand: Nanos::ZERO, served_before: Nanos::ZERO };
        // A request with no demand anywhere is refused by `check_requests`; here it would pass
        // through the last station with a demand of zero.
        let first = self.next_station(&job, 0).unwrap_or((self.stations.len() - 1, Nanos::ZERO));
        self.enter(now, visit, first);
    }

    /// When the system next wants to act; [`Nanos::MAX`] when it is idle.
    #[inline]
    #[must_use]
    pub fn next_event(&self) -> Nanos {
        match self.stations.as_slice() {
            [only] => only.next_completion(),
            all => all.iter().map(Station::next_completion).min().unwrap_or(Nanos::MAX),
        }
    }

    /// Acts on the earliest event, which is due at [`System::next_event`]: a service ends, and
    /// its request leaves the system or goes on to its next station.
    #[inline]
    pub fn advance(&mut self) -> Option<Departure> {
        let at = self.next_event();
        let station = self.stations.iter().position(|one| one.next_completion() == at)?;
        let visit = self.stations[station].complete(at)?;
        let served = visit.served_before + visit.demand;
        match self.next_station(&visit.job, station + 1) {
            Some(next) => {
                self.enter(at, Visit { served_before: served, ..visit }, next);
                None
            }
            None => {
                let station = station as u32;
                Some(Departure { job: visit.job, at, station, demand: served })
            }
        }
    }

    #[inline]
    fn enter(&mut self, now: Nanos, visit: Visit, (station, demand): (usize, Nanos)) {
        self.stations[station].arrive(now, Visit { demand, ..visit });
    }

    #[inline]
    fn next_station(&mut self, job: &Job, from: usize) -> Option<(usize, Nanos)> {
        for station in from..self.stations.len() {
            if let Some(demand) = self.demands.demand(job, station) {
                return Some((station, demand));
            }
        }
        None
    }

    /// The demands' source.
    pub fn demands_mut(&mut self) -> &mut D {
        &mut self.demands
    }

    /// Requests in the system.
    #[must_use]
    pub fn in_system(&self) -> u64 {
        self.stations.iter().map(Station::number).sum()
    }

    /// Begins the stations' time averages anew.
    pub fn begin_measuring(&mut self, now: Nanos) {
        for station in &mut self.stations {
            station.begin_measuring(now);
        }
    }

    /// The stations' time averages so far.
    #[must_use]
    pub fn summaries(&self, now: Nanos) -> Vec<StationSummary> {
        self.stations.iter().map(|station| station.summary(now)).collect()
    }
}

#[cfg(test)]
mod tests;
