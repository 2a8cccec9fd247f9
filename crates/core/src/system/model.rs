//! What a system file says, checked.

use super::behaviour::{Behaviour, Context};
use super::demand::Demand;
use super::file::{BehaviourTable, StationTable, SystemFile};
use super::machine::{MachineModel, MachineTable, ServiceModel, ServiceTable};
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
    /// Its stations, in the order of the file.
    pub stations: Vec<StationModel>,
    /// Its machines. There is a station or a machine.
    pub machines: Vec<MachineModel>,
    /// The services: the machines' own in the machines' order, then those of tables of their own.
    pub services: Vec<ServiceModel>,
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
        if file.station.is_empty() && file.machine.is_empty() {
            return fail("station", "a system needs at least one [[station]] or [[machine]] table");
        }
        if file.pool.len() > POOLS_MAX {
            return fail("pool", "a system has at most 64 pools");
        }
        let station = |table: &StationTable| StationModel::from_table(table, files);
        let stations = read_all(source, "station", &file.station, station, |one| &one.name)?;
        let machine = |table: &MachineTable| MachineModel::from_table(table, files);
        let machines = read_all(source, "machine", &file.machine, machine, |one| &one.name)?;
        let services = read_services(source, &file, &machines, files)?;
        check_names(source, &stations, &file)?;
        let pools = read_all(source, "pool", &file.pool, PoolModel::from_table, |one| &one.name)?;
        let context = Context { stations: &stations, services: &services, pools: &pools, files };
        let behaviour = |table: &BehaviourTable| Behaviour::from_table(table, &context);
        let behaviours =
            read_all(source, "behaviour", &file.behaviour, behaviour, |one| &one.request)?;
        if let (true, Some(at)) =
            (behaviours.is_empty(), stations.iter().position(|one| one.demand.is_none()))
        {
            return fail(&format!("station.{at}"), "missing key `demand`");
        }
        if behaviours.is_empty()
            && stations.is_empty()
            && services.iter().all(|one| one.demand.is_none())
        {
            return fail("machine.0", "missing key `demand`, here or in a [[service]]");
        }
        let name = file.name.clone();
        Ok(SystemModel { name, stations, machines, services, pools, behaviours, file })
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
        self.behaviours.is_empty() && self.machines.is_empty() && self.stations.iter().all(plain)
    }

    /// The number of stations and services.
    #[must_use]
    pub fn places(&self) -> usize {
        self.stations.len() + self.services.len()
    }

    /// The name of a station, or of a service after all stations.
    #[must_use]
    pub fn place_name(&self, place: usize) -> &str {
        match place.checked_sub(self.stations.len()) {
            None => &self.stations[place].name,
            Some(service) => &self.services[service].name,
        }
    }

    /// The demand that a station or service has of its own.
    #[must_use]
    pub fn demand_at(&self, place: usize) -> Option<&Demand> {
        match place.checked_sub(self.stations.len()) {
            None => self.stations[place].demand.as_ref(),
            Some(service) => self.services[service].demand.as_ref(),
        }
    }

    /// What requests named `kinds` do, as a program.
    #[must_use]
    pub fn program_for(&self, workload: &Workload) -> Program {
        let kinds: Vec<&str> = workload.requests.iter().map(|kind| kind.name.as_str()).collect();
        Program::new(self, &kinds)
    }

    /// The mean service demand of a request at each station, and then on each machine, in seconds,
    /// with the workload's mix.
    #[must_use]
    pub fn mean_demands(&self, workload: &Workload) -> Vec<f64> {
        let program = self.program_for(workload);
        let total: f64 = workload.requests.iter().map(|kind| kind.weight).sum();
        let share = |place: usize| -> f64 {
            let kinds = workload.requests.iter().enumerate();
            let part = |(kind, request): (usize, &crate::workload::RequestKind)| {
                request.weight * program.mean_demand_s(kind, place)
            };
            kinds.map(part).sum::<f64>() / total
        };
        let on_machine = |machine: usize| -> f64 {
            let services = self.services.iter().zip(self.stations.len()..);
            services.filter(|(one, _)| one.machine == machine).map(|(_, place)| share(place)).sum()
        };
        let stations = (0..self.stations.len()).map(share);
        stations.chain((0..self.machines.len()).map(on_machine)).collect()
    }

    /// The number of servers of each station, and of cores of each machine.
    pub fn servers(&self) -> impl Iterator<Item = u32> {
        let cores = self.machines.iter().map(|one| one.cores);
        self.stations.iter().map(|one| one.servers).chain(cores)
    }

    /// Whether each station, and each machine, lets everybody wait for as long as it takes.
    pub fn unlimited(&self) -> impl Iterator<Item = bool> {
        let patient = |at: &Overload| at.queue_limit == u64::MAX && at.queue_timeout.is_never();
        let stations = self.stations.iter().map(move |one| patient(&one.overload));
        let machines = 0..self.machines.len();
        stations.chain(machines.map(|machine| {
            let mut there = self.services.iter().filter(move |one| one.machine == machine);
            there.all(|one| one.queue_limit == u64::MAX)
        }))
    }

    /// The load that one request a second puts on the busiest station or machine: its demand
    /// divided by the number of its servers or cores, in seconds.
    #[must_use]
    pub fn bottleneck_demand(&self, workload: &Workload) -> f64 {
        let demands = self.mean_demands(workload).into_iter().zip(self.servers());
        demands.map(|(demand, servers)| demand / f64::from(servers)).fold(0.0, f64::max)
    }
}

/// The machines' own services, and those of tables.
fn read_services(
    source: Source<'_>,
    file: &SystemFile,
    machines: &[MachineModel],
    files: &dyn Files,
) -> Result<Vec<ServiceModel>, SchemaError> {
    let mut services = Vec::new();
    for (at, (table, machine)) in file.machine.iter().zip(machines).enumerate() {
        let own = ServiceModel::of_machine(at, machine, table, files);
        services.push(
            own.map_err(|(key, error)| source.error(&format!("machine.{at}.{key}"), &error))?,
        );
    }
    let service = |table: &ServiceTable| ServiceModel::from_table(table, machines, files);
    services.extend(read_all(source, "service", &file.service, service, |one| &one.name)?);
    Ok(services)
}

/// Whatever a request may use has a name of its own.
fn check_names(
    source: Source<'_>,
    stations: &[StationModel],
    file: &SystemFile,
) -> Result<(), SchemaError> {
    let mut known: Vec<&str> = stations.iter().map(|one| one.name.as_str()).collect();
    let machines = file.machine.iter().enumerate().map(|(at, one)| ("machine", at, &one.name));
    let services = file.service.iter().enumerate().map(|(at, one)| ("service", at, &one.name));
    for (kind, at, name) in machines.chain(services) {
        if known.contains(&name.as_str()) {
            let error = Invalid::new("is taken by another station, machine or service");
            return Err(source.error(&format!("{kind}.{at}.name"), &error));
        }
        known.push(name);
    }
    Ok(())
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
