//! What a system file says, checked.

use super::behaviour::{Behaviour, Context};
use super::file::{BehaviourTable, StationTable, SystemFile};
use super::parts::{Overload, PoolModel, StationModel};
use super::program::Program;
use crate::error::Invalid;
use crate::files::Files;
use crate::schema::{SchemaError, Source};
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
