//! A system file's machines and services, checked.

use thinktime_file::error::{Invalid, unknown};
use thinktime_file::schema::SchemaError;
use thinktime_file::system::{
    DemandValue, MachineTable, PriorityValue, ServiceTable, ThreadsValue,
};
use thinktime_file::time::Nanos;
use thinktime_file::units::parse_time;

use super::super::demand::Demand;
use super::super::read::{ReadResult, Reading, named};
use super::features::{Features, preset};
use super::limit::{Limit, LimitKeys};
use crate::files::Files;

/// A machine, checked.
#[derive(Clone, Debug)]
pub struct MachineModel {
    /// Its name.
    pub name: String,
    /// Its number among the machines.
    pub(in crate::system) number: u32,
    /// The number of cores, 1 to 128.
    pub cores: u32,
    /// Its operating system, by its name in the file.
    pub os: String,
    /// Its scheduler.
    pub features: Features,
    /// The time that a core loses whenever it turns to another task.
    pub context_switch: Nanos,
    /// The services on it: its own, and then those of tables of their own.
    pub services: Vec<ServiceModel>,
}

/// A service, checked. Every machine has one of its own name.
#[derive(Clone, Debug)]
pub struct ServiceModel {
    /// Its name.
    pub name: String,
    /// Its threads.
    pub threads: Threads,
    /// The number of levels from the best one down to the priority of its threads.
    pub level: u32,
    /// A bit for each core that its threads may run on.
    pub cores: u128,
    /// The service demand, if it has one.
    pub demand: Option<Demand>,
    /// The largest number of requests that wait for a thread.
    pub queue_limit: u64,
    /// The CPU time that its threads may use, if that has a limit.
    pub limit: Option<Limit>,
}

/// The threads that serve requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// A new one for each request, which ends with the request's last use of the service.
    PerRequest,
    /// A pool: a request has one of them from its first use of the service to its last.
    Pool(u32),
    /// Each does the bursts of many requests, one after another.
    EventLoops(u32),
}

/// The largest number of cores.
const CORES_MAX: u32 = 128;
/// The largest number of threads.
const THREADS_MAX: u32 = 1_000_000;

fn wrong<T>(key: &str, message: impl Into<String>) -> ReadResult<T> {
    Err((key.to_owned(), Invalid::new(message)))
}

impl MachineModel {
    /// All machines of a file, including those that clusters copy, with the services on them.
    pub(in crate::system) fn read_all(
        reading: &Reading<'_>,
    ) -> Result<Vec<MachineModel>, SchemaError> {
        let Reading { file, files, .. } = *reading;
        let machine = |table: &MachineTable| MachineModel::from_table(table, files);
        let mut machines =
            reading.all("machine", &file.machine, machine, |one| one.name.clone())?;
        for ((machine, table), number) in machines.iter_mut().zip(&file.machine).zip(0..) {
            machine.number = number;
            let place = |key: String| format!("machine.{number}.{key}");
            let own = ServiceModel::of_machine(machine, table, files)
                .map_err(|(key, error)| reading.source.error(&place(key), &error))?;
            machine.services.push(own);
        }
        let service = |table: &ServiceTable| ServiceModel::from_table(table, &machines, files);
        let name = |(_, one): &(usize, ServiceModel)| one.name.clone();
        for (machine, service) in reading.all("service", &file.service, service, name)? {
            machines[machine].services.push(service);
        }
        Ok(machines)
    }

    fn from_table(table: &MachineTable, files: &dyn Files) -> ReadResult<MachineModel> {
        let cores = table.cores.unwrap_or(MachineTable::CORES);
        if !(1..=CORES_MAX).contains(&cores) {
            return wrong("cores", format!("must be from 1 to {CORES_MAX}"));
        }
        let context_switch = match &table.context_switch {
            None => Nanos::ZERO,
            Some(scalar) => parse_time(&scalar.text())
                .map(Nanos::from_secs_f64)
                .map_err(|error| ("context_switch".to_owned(), error))?,
        };
        let features = features(table, files)?;
        if context_switch > Nanos::ZERO && features.time_sharing.levels().is_none() {
            return wrong(
                "context_switch",
                "does not go with processor sharing, where all tasks run at once",
            );
        }
        if let Some(all) = &features.balancing.fixed.probabilities
            && all.len() != cores as usize
        {
            let message = format!(
                "balancing.static.probabilities has {} of them for {cores} cores",
                all.len()
            );
            return wrong("scheduler", message);
        }
        let name = named(&table.name)?;
        let os = table.os.clone();
        Ok(MachineModel { name, number: 0, cores, os, features, context_switch, services: vec![] })
    }

    fn level(&self, priority: Option<&PriorityValue>) -> Result<u32, Invalid> {
        let Some(levels) = self.features.time_sharing.levels() else {
            return match priority {
                None => Ok(0),
                Some(_) => Err(Invalid::new(format!(
                    "`{}` knows no priorities: all tasks have equal shares",
                    self.os
                ))),
            };
        };
        let value = match priority {
            None => levels.default,
            Some(PriorityValue::Number(value)) => *value,
            Some(PriorityValue::Named(name)) => levels.named(name).ok_or_else(|| {
                let names = ["best", "high", "average", "low", "worst", "default"];
                unknown("priority", name, names.into_iter())
            })?,
        };
        levels.level_of(value).ok_or_else(|| {
            let (best, worst) = (levels.best, levels.worst);
            Invalid::new(format!("must be from {best} (best) to {worst} (worst)"))
        })
    }

    fn all_cores(&self) -> u128 {
        u128::MAX >> (CORES_MAX - self.cores)
    }
}

fn features(table: &MachineTable, files: &dyn Files) -> ReadResult<Features> {
    let key = |error| ("os".to_owned(), error);
    let text = if table.os.ends_with(".toml") {
        files.read(&table.os).map_err(key)?
    } else {
        preset(&table.os).map_err(key)?.to_owned()
    };
    let changes = table.scheduler.clone().unwrap_or_default();
    Features::parse(&text, &changes).map_err(|error| {
        let place = if changes.is_empty() { "os" } else { "scheduler" };
        (place.to_owned(), error)
    })
}

/// The common part of a machine's own table and a service's.
struct Common<'a> {
    name: &'a str,
    threads: Option<&'a ThreadsValue>,
    priority: Option<&'a PriorityValue>,
    cores: Option<&'a [u32]>,
    demand: Option<&'a DemandValue>,
    queue_limit: Option<u32>,
    limit: LimitKeys<'a>,
}

/// The keys of a limit, of either table.
macro_rules! limit_keys {
    ($table:expr) => {
        LimitKeys {
            cpu_limit: $table.cpu_limit.as_ref(),
            quota: $table.quota.as_ref(),
            period: $table.period.as_ref(),
            burst: $table.burst.as_ref(),
        }
    };
}

impl ServiceModel {
    /// The service that is the machine itself.
    fn of_machine(
        machine: &MachineModel,
        table: &MachineTable,
        files: &dyn Files,
    ) -> ReadResult<ServiceModel> {
        let common = Common {
            name: &table.name,
            threads: table.threads.as_ref(),
            priority: table.priority.as_ref(),
            cores: None,
            demand: table.demand.as_ref(),
            queue_limit: table.queue_limit,
            limit: limit_keys!(table),
        };
        ServiceModel::new(machine, &common, files)
    }

    /// The service, and the number of its machine.
    fn from_table(
        table: &ServiceTable,
        machines: &[MachineModel],
        files: &dyn Files,
    ) -> ReadResult<(usize, ServiceModel)> {
        let names = machines.iter().map(|one| one.name.as_str());
        let Some(number) = names.clone().position(|name| name == table.machine) else {
            return Err(("machine".to_owned(), unknown("machine", &table.machine, names)));
        };
        let common = Common {
            name: &table.name,
            threads: table.threads.as_ref(),
            priority: table.priority.as_ref(),
            cores: table.cores.as_deref(),
            demand: table.demand.as_ref(),
            queue_limit: table.queue_limit,
            limit: limit_keys!(table),
        };
        Ok((number, ServiceModel::new(&machines[number], &common, files)?))
    }

    fn new(machine: &MachineModel, common: &Common<'_>, files: &dyn Files) -> ReadResult<Self> {
        let threads = common.threads.map_or(Ok(Threads::PerRequest), Threads::parse);
        let level = machine.level(common.priority).map_err(|error| ("priority".into(), error))?;
        let cores = match common.cores {
            None => machine.all_cores(),
            Some(listed) => mask(listed, machine)?,
        };
        Ok(ServiceModel {
            name: named(common.name)?,
            threads: threads.map_err(|error| ("threads".to_owned(), error))?,
            level,
            cores,
            demand: common.demand.map(|value| Demand::parse(value, files)).transpose()?,
            queue_limit: common.queue_limit.map_or(u64::MAX, u64::from),
            limit: Limit::read(common.limit, &machine.features)?,
        })
    }
}

fn mask(listed: &[u32], machine: &MachineModel) -> ReadResult<u128> {
    if machine.features.time_sharing.levels().is_none() {
        return wrong("cores", "does not go with processor sharing, which has no cores to choose");
    }
    match listed.iter().find(|core| **core >= machine.cores) {
        Some(core) => wrong(
            "cores",
            format!("has {core}, but `{}` has cores 0 to {}", machine.name, machine.cores - 1),
        ),
        None if listed.is_empty() => wrong("cores", "is empty: leave it out for all cores"),
        None => Ok(listed.iter().fold(0, |mask, core| mask | 1 << core)),
    }
}

impl Threads {
    fn parse(value: &ThreadsValue) -> Result<Threads, Invalid> {
        const USAGE: &str = "event-loop(N)";
        let counted = |count: u32| match count {
            1..=THREADS_MAX => Ok(count),
            _ => Err(Invalid::new(format!("must be from 1 to {THREADS_MAX}"))),
        };
        let text = match value {
            ThreadsValue::Pool(count) => return counted(*count).map(Threads::Pool),
            ThreadsValue::Named(text) => text,
        };
        match text.as_str() {
            ThreadsValue::PER_REQUEST => return Ok(Threads::PerRequest),
            "event-loop" => return Ok(Threads::EventLoops(1)),
            _ => {}
        }
        if let Some(count) =
            text.strip_prefix("event-loop(").and_then(|rest| rest.strip_suffix(')'))
            && let Ok(count) = count.trim().parse()
        {
            return counted(count).map(Threads::EventLoops);
        }
        Err(Invalid::new(format!(
            "`{text}` is none of \"per-request\", a number of threads, \"event-loop\" and \
             \"{USAGE}\""
        )))
    }
}
