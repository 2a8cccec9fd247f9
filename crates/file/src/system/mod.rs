//! The system file: the one schema for reading, writing and the JSON Schema.

mod cluster;
mod demand;
mod learned;
mod limiter;
mod link;
mod machine;
mod station;
mod token_server;

pub use cluster::{CacheTable, ChangeTable, ClusterTable};
pub use demand::DemandValue;
pub use learned::{Confidence, Guess, LearnedTable};
pub use limiter::{LimiterKind, LimiterTable};
pub use link::LinkTable;
pub use machine::{MachineTable, PriorityValue, ServiceTable, ThreadsValue};
pub use station::{BatchTable, FailureTable, ScaleTable, StationTable};
pub use token_server::TokenServerTable;

use schemars::{JsonSchema, Schema, schema_for};
use serde::{Deserialize, Serialize};

use crate::error::Invalid;
use crate::schema::{Scalar, SchemaError, Source, to_toml};

/// A system: stations, machines, pools, and how requests go through them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
#[schemars(title = "Thinktime system")]
pub struct SystemFile {
    /// A name for tables and charts.
    pub name: String,
    /// How it was learned from a log, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learned: Option<LearnedTable>,
    /// The stations. A request without a behaviour visits, in this order, those that have a
    /// demand for it, and then the machines, services and servers of tokens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub station: Vec<StationTable>,
    /// The machines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub machine: Vec<MachineTable>,
    /// The services on machines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub service: Vec<ServiceTable>,
    /// Servers of language models.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub token_server: Vec<TokenServerTable>,
    /// Places that requests take and give back: threads, connections.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pool: Vec<PoolTable>,
    /// Servers behind a switch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cluster: Vec<ClusterTable>,
    /// Lines over which requests and responses go. A request without a behaviour goes over all of
    /// them, in this order, before it visits anything, and its response comes back over them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub link: Vec<LinkTable>,
    /// Limits of the rate of requests. A request without a behaviour passes all of them, in this
    /// order, before it visits anything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limiter: Vec<LimiterTable>,
    /// The steps that requests go through, by request name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub behaviour: Vec<BehaviourTable>,
}

impl SystemFile {
    /// Reads a file.
    ///
    /// # Errors
    /// When the text is not TOML, or has unknown, missing or mistyped keys.
    pub fn read(source: &Source<'_>) -> Result<SystemFile, SchemaError> {
        source.read()
    }

    /// The file's text.
    ///
    /// # Errors
    /// When a value cannot be written, such as an infinite number.
    pub fn to_toml(&self) -> Result<String, SchemaError> {
        to_toml(self)
    }

    /// The JSON Schema of such files.
    #[must_use]
    pub fn schema() -> Schema {
        schema_for!(SystemFile)
    }

    /// The names that steps can `use`, in the order in which a request without a behaviour visits
    /// them: the kind of table, its number, and its name.
    pub fn used(&self) -> impl Iterator<Item = (&'static str, usize, &str)> {
        let stations = self.station.iter().map(|one| one.name.as_str());
        let machines = self.machine.iter().map(|one| one.name.as_str());
        let services = self.service.iter().map(|one| one.name.as_str());
        let numbered = stations.enumerate().map(|(at, name)| ("station", at, name));
        let machines = machines.enumerate().map(|(at, name)| ("machine", at, name));
        let services = services.enumerate().map(|(at, name)| ("service", at, name));
        let token_servers = self.token_server.iter().map(|one| one.name.as_str());
        let token_servers = token_servers.enumerate().map(|(at, name)| ("token_server", at, name));
        numbered.chain(machines).chain(services).chain(token_servers)
    }

    /// Whether a machine exists for clusters to copy, and not by itself.
    pub fn is_copied(&self, machine: &str) -> bool {
        self.cluster.iter().any(|one| one.copies(machine))
    }

    /// The same system with processor sharing on all machines. All that belongs to a scheduler is
    /// left out: changed features, threads' priorities, the cores they may run on, limits of their
    /// CPU time, and the cost of turning to another task.
    #[must_use]
    pub fn processor_sharing(&self) -> SystemFile {
        let machine = self.machine.iter().map(|one| MachineTable {
            os: PROCESSOR_SHARING.to_owned(),
            scheduler: None,
            priority: None,
            context_switch: None,
            cpu_limit: None,
            quota: None,
            period: None,
            burst: None,
            ..one.clone()
        });
        let service = self.service.iter();
        let service = service.map(|one| ServiceTable {
            priority: None,
            cores: None,
            cpu_limit: None,
            quota: None,
            period: None,
            burst: None,
            ..one.clone()
        });
        SystemFile { machine: machine.collect(), service: service.collect(), ..self.clone() }
    }

    /// The same system with one server of its cluster instead of all, for a switch elsewhere;
    /// changes of the other servers are left out. Servers are counted from 0.
    ///
    /// # Errors
    /// When it is not exactly one cluster, or has no such server.
    pub fn only_server(&self, server: u32) -> Result<SystemFile, Invalid> {
        let [cluster] = self.cluster.as_slice() else {
            let number = self.cluster.len();
            return Err(Invalid::new(format!(
                "`server` is for a system of one cluster; this one has {number}"
            )));
        };
        let SystemFile { station, machine, service, token_server, .. } = self;
        let SystemFile { pool, behaviour, link, limiter, .. } = self;
        let others = machine.iter().filter(|one| !cluster.copies(&one.name)).count()
            + service.iter().filter(|one| !cluster.copies(&one.machine)).count();
        let others = others + token_server.len();
        let passed = link.len() + limiter.len();
        let beside = [station.len(), others, pool.len(), behaviour.len(), passed];
        if beside.iter().any(|number| *number > 0) {
            return Err(Invalid::new("`server` is for a cluster with nothing beside it"));
        }
        if server >= cluster.servers {
            let last = cluster.servers.saturating_sub(1);
            return Err(Invalid::new(format!(
                "`server` must be from 0 to {last}: servers are counted from 0"
            )));
        }
        let its = cluster.change.iter().filter(|change| change.server == server);
        let one = ClusterTable {
            servers: 1,
            dispatch: "round-robin".to_owned(),
            weights: Vec::new(),
            change: its.map(|change| ChangeTable { server: 0, ..change.clone() }).collect(),
            ..cluster.clone()
        };
        Ok(SystemFile { cluster: vec![one], ..self.clone() })
    }
}

/// The preset under which all tasks of a machine run at once.
const PROCESSOR_SHARING: &str = "processor-sharing";

/// Places that requests take and give back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct PoolTable {
    /// The name in all tables and charts.
    pub name: String,
    /// The number of places.
    pub size: u32,
    /// At most this many requests wait for a place; others are refused at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_limit: Option<u32>,
}

/// What requests of a name do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct BehaviourTable {
    /// The request's name; without it, all that have no behaviour of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// The steps, one after another.
    pub steps: Vec<StepTable>,
}

/// One step: exactly one of `use`, `delay`, `acquire`, `release`, `pass`, `fork`, `send` and
/// `receive`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct StepTable {
    /// Be served at this station, or run on this machine or in this service.
    #[serde(default, rename = "use", skip_serializing_if = "Option::is_none")]
    pub visits: Option<String>,
    /// The service demand of this `use`, instead of the station's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub demand: Option<Scalar>,
    /// Wait for a time, beside any number of others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<Scalar>,
    /// Whether this `delay` is a disk's: schedulers tell that from a timer or a message.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub disk: bool,
    /// Take a place of this pool, or wait for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acquire: Option<String>,
    /// Give a place of this pool back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release: Option<String>,
    /// Pass this limiter: at once or after a wait, or be refused by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass: Option<String>,
    /// Lists of steps that run at the same time; the request continues when all are done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fork: Option<Vec<Vec<StepTable>>>,
    /// Send the request over this link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub send: Option<String>,
    /// Receive the response over this link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receive: Option<String>,
    /// The bytes that go over the link by this `send` or `receive`, as in `"2kB"`; by default 200
    /// for `send`, and the size of the response for `receive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Scalar>,
}

impl StepTable {
    /// The keys that give the kind of step.
    pub fn kinds(&self) -> Vec<&'static str> {
        let given = [
            (self.visits.is_some(), "use"),
            (self.delay.is_some(), "delay"),
            (self.acquire.is_some(), "acquire"),
            (self.release.is_some(), "release"),
            (self.pass.is_some(), "pass"),
            (self.fork.is_some(), "fork"),
            (self.send.is_some(), "send"),
            (self.receive.is_some(), "receive"),
        ];
        given.into_iter().filter(|(is, _)| *is).map(|(_, key)| key).collect()
    }
}
