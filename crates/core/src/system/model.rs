//! What a system file says, checked.

use super::behaviour::{Behaviour, Context};
use super::demand::{Demand, DemandLaw};
use super::file::{BehaviourTable, PoolTable, StationTable, SystemFile};
use super::program::Program;
use crate::error::{Invalid, nearest};
use crate::files::Files;
use crate::policy::scheduling::{self, Discipline, Rank, Ties};
use crate::schema::{SchemaError, Source};
use crate::time::Nanos;
use crate::units::parse_time;
use crate::workload::Workload;

/// A system, checked.
#[derive(Clone, Debug)]
pub struct SystemModel {
    /// Its name.
    pub name: String,
    /// Its stations, in the order of the file; never empty.
    pub stations: Vec<StationModel>,
    /// Its pools.
    pub pools: Vec<PoolModel>,
    /// What requests do; those without a behaviour visit the stations in their order.
    pub behaviours: Vec<Behaviour>,
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

/// Held pools are bits of a word.
const POOLS_MAX: usize = 64;

impl SystemModel {
    /// Parses a system file. `files` reads the files that it names.
    ///
    /// # Errors
    /// When the text is no TOML, or a key is unknown, missing or has a bad value; the error names
    /// file, line, key and what would be right.
    pub fn parse(source: Source<'_>, files: &dyn Files) -> Result<SystemModel, SchemaError> {
        let file: SystemFile = source.read()?;
        let fail = |key: &str, message: &str| Err(source.error(key, &Invalid::new(message)));
        if file.station.is_empty() {
            return fail("station", "a system needs at least one [[station]] table");
        }
        if file.pool.len() > POOLS_MAX {
            return fail("pool", "a system has at most 64 pools");
        }
        let station = |table: &StationTable| StationModel::from_table(table, files);
        let stations = read_all(source, "station", &file.station, station, |one| &one.name)?;
        let pools = read_all(source, "pool", &file.pool, PoolModel::from_table, |one| &one.name)?;
        let context = Context { stations: &stations, pools: &pools, files };
        let behaviour = |table: &BehaviourTable| Behaviour::from_table(table, &context);
        let behaviours =
            read_all(source, "behaviour", &file.behaviour, behaviour, |one| &one.request)?;
        if let (true, Some(at)) =
            (behaviours.is_empty(), stations.iter().position(|one| one.demand.is_none()))
        {
            return fail(&format!("station.{at}"), "missing key `demand`");
        }
        Ok(SystemModel { name: file.name.clone(), stations, pools, behaviours, file })
    }

    /// Builds a system from plain tables.
    ///
    /// # Errors
    /// As [`SystemModel::parse`]; the line is that of the tables written out.
    pub fn from_file(file: &SystemFile, files: &dyn Files) -> Result<SystemModel, SchemaError> {
        let text = crate::workload::to_toml(file)?;
        SystemModel::parse(Source { file: "", text: &text }, files)
    }

    /// The behaviour of requests of this name; none where they visit the stations in order.
    #[must_use]
    pub fn behaviour_of(&self, request: &str) -> Option<&Behaviour> {
        let named =
            |name: Option<&str>| self.behaviours.iter().find(|one| one.request.as_deref() == name);
        named(Some(request)).or_else(|| named(None))
    }

    /// Whether it is nothing but stations that all requests visit in their order, and that take
    /// in and finish everything.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        let plain = |one: &StationModel| one.overload == Overload::NONE;
        self.behaviours.is_empty() && self.stations.iter().all(plain)
    }

    /// What requests named `kinds` do, as a program.
    #[must_use]
    pub fn program_for(&self, workload: &Workload) -> Program {
        let kinds: Vec<&str> = workload.requests.iter().map(|kind| kind.name.as_str()).collect();
        Program::new(self, &kinds)
    }

    /// Checks that the system can serve the workload: every request visits a station, every step
    /// has its demand, and every request that the system names exists.
    ///
    /// # Errors
    /// When a request has no demand, or the system names an unknown request.
    pub fn check_requests(&self, workload: &Workload) -> Result<(), Invalid> {
        let known: Vec<&str> = workload.requests.iter().map(|kind| kind.name.as_str()).collect();
        for (place, name) in self.named_requests() {
            if !known.contains(&name) {
                let hint = nearest(name, known.iter().copied())
                    .map_or(String::new(), |near| format!(" (did you mean `{near}`?)"));
                return Err(Invalid::new(format!(
                    "{place} `{name}`, but the workload has no request of that name{hint}"
                )));
            }
        }
        let program = Program::new(self, &known);
        let again = workload.requests.iter().position(|one| one.retry.same_demand);
        if let Some(kind) = again.filter(|kind| program.has_trace(*kind)) {
            return Err(Invalid::new(format!(
                "the request `{}` brings the same demand with every attempt, but a trace gives the \
                 next one each time it is asked: leave out `same_demand`, or the trace",
                known[kind]
            )));
        }
        for (kind, name) in known.iter().enumerate() {
            let stations = 0..self.stations.len();
            let demand: f64 = stations.map(|at| program.mean_demand_s(kind, at)).sum();
            let declared = self.behaviour_of(name).is_some();
            match program.lacks_demand(kind).filter(|_| declared) {
                Some(at) => {
                    return Err(Invalid::new(format!(
                        "the behaviour of `{name}` uses `{}`, which has no demand for it: give the \
                     step a `demand`, or the station",
                        self.stations[at].name
                    )));
                }
                None if !declared && demand <= 0.0 && !self.visits_any(name) => {
                    return Err(Invalid::new(format!(
                        "no station has a demand for the request `{name}`: add demand.{name} = \
                         \"...\""
                    )));
                }
                None => {}
            }
        }
        Ok(())
    }

    fn visits_any(&self, request: &str) -> bool {
        let of = |one: &StationModel| one.demand.as_ref()?.of(request).map(|_| ());
        self.stations.iter().any(|one| of(one).is_some())
    }

    /// Every request name in the system, with where it stands.
    fn named_requests(&self) -> Vec<(String, &str)> {
        let mut named = Vec::new();
        for station in &self.stations {
            if let Some(Demand::ByRequest(laws)) = &station.demand {
                let place = format!("station `{}` has a demand for", station.name);
                named.extend(laws.iter().map(|(name, _)| (place.clone(), name.as_str())));
            }
            let place = format!("station `{}` has a priority for", station.name);
            named.extend(station.classes.iter().map(|(name, _)| (place.clone(), name.as_str())));
        }
        for request in self.behaviours.iter().filter_map(|one| one.request.as_deref()) {
            named.push(("there is a behaviour of".to_owned(), request));
        }
        named
    }

    /// The mean service demand of a request at each station, in seconds, with the workload's mix.
    #[must_use]
    pub fn mean_demands(&self, workload: &Workload) -> Vec<f64> {
        let program = self.program_for(workload);
        let total: f64 = workload.requests.iter().map(|kind| kind.weight).sum();
        let share = |station: usize| -> f64 {
            let kinds = workload.requests.iter().enumerate();
            let part = |(kind, request): (usize, &crate::workload::RequestKind)| {
                request.weight * program.mean_demand_s(kind, station)
            };
            kinds.map(part).sum::<f64>() / total
        };
        (0..self.stations.len()).map(share).collect()
    }

    /// The load that one request a second puts on the busiest station: its demand divided by the
    /// number of its servers, in seconds.
    #[must_use]
    pub fn bottleneck_demand(&self, workload: &Workload) -> f64 {
        let demands = self.mean_demands(workload).into_iter().zip(&self.stations);
        demands.map(|(demand, at)| demand / f64::from(at.servers)).fold(0.0, f64::max)
    }
}

/// Checks the tables of one kind, whose names must differ.
fn read_all<Table, Model, Name: PartialEq>(
    source: Source<'_>,
    kind: &str,
    tables: &[Table],
    read: impl Fn(&Table) -> Result<Model, (String, Invalid)>,
    name: impl Fn(&Model) -> &Name,
) -> Result<Vec<Model>, SchemaError> {
    let mut all: Vec<Model> = Vec::new();
    for (at, table) in tables.iter().enumerate() {
        let place = |key: &str| format!("{kind}.{at}.{key}");
        let one = read(table).map_err(|(key, error)| source.error(&place(&key), &error))?;
        if all.iter().any(|other| name(other) == name(&one)) {
            let error = Invalid::new(format!("is taken by another {kind}"));
            let key = if kind == "behaviour" { "request" } else { "name" };
            return Err(source.error(&place(key), &error));
        }
        all.push(one);
    }
    Ok(all)
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
    fn from_table(table: &PoolTable) -> Result<PoolModel, (String, Invalid)> {
        Ok(PoolModel {
            name: named(&table.name)?,
            size: at_least_one("size", table.size)?,
            queue_limit: table.queue_limit.map_or(u64::MAX, u64::from),
        })
    }
}

impl StationModel {
    fn from_table(
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
    pub(super) fn class_of(&self, request: &str) -> u64 {
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

    fn from_table(
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
