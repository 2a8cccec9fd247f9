//! The system file: the one schema for reading, writing and the JSON Schema.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cluster::ClusterTable;
use super::link::LinkTable;
use super::machine::{MachineTable, ServiceTable};
use crate::schema::Scalar;

/// A system: stations, machines, pools, and how requests go through them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
#[schemars(title = "Thinktime system")]
pub struct SystemFile {
    /// A name for tables and charts.
    pub name: String,
    /// The stations. A request without a behaviour visits, in this order, those that have a
    /// demand for it, and then the machines and services.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub station: Vec<StationTable>,
    /// The machines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub machine: Vec<MachineTable>,
    /// The services on machines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub service: Vec<ServiceTable>,
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
    /// The steps that requests go through, by request name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub behaviour: Vec<BehaviourTable>,
}

impl SystemFile {
    /// The names that steps can `use`, in the order in which a request without a behaviour visits
    /// them: the kind of table, its number, and its name.
    pub(super) fn used(&self) -> impl Iterator<Item = (&'static str, usize, &str)> {
        let stations = self.station.iter().map(|one| one.name.as_str());
        let machines = self.machine.iter().map(|one| one.name.as_str());
        let services = self.service.iter().map(|one| one.name.as_str());
        let numbered = stations.enumerate().map(|(at, name)| ("station", at, name));
        let machines = machines.enumerate().map(|(at, name)| ("machine", at, name));
        let services = services.enumerate().map(|(at, name)| ("service", at, name));
        numbered.chain(machines).chain(services)
    }
}

/// One queue with its servers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct StationTable {
    /// The name in all tables and charts.
    pub name: String,
    /// The number of servers; 1 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub servers: Option<u32>,
    /// The scheduling policy, as in `"ps"` or `"rr(10ms)"`; `"fcfs"` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// The service demand, as in `"h2(10ms, cv2=8)"` or `"1ms + size / 12.5MB/s"`, for all requests
    /// or by request name; it may be left out if behaviours give their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub demand: Option<DemandValue>,
    /// The class of each request name under `priority`: the smallest is served first, and names
    /// without a class come last.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub priority: BTreeMap<String, u32>,
    /// At most this many requests wait; others are refused at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_limit: Option<u32>,
    /// A request that has waited longer than this when its turn comes is dropped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_timeout: Option<Scalar>,
    /// With more than this many waiting, the newest is served first. Under `fcfs` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newest_first_above: Option<u32>,
    /// Who visits a station of a cluster's server: with `"miss"` those whose response the
    /// server's cache does not hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
}

/// A service demand for all requests, or one for each request name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum DemandValue {
    /// The same distribution for every request.
    All(Scalar),
    /// By request name; requests without an entry do not visit the station.
    ByRequest(BTreeMap<String, Scalar>),
}

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

/// One step: exactly one of `use`, `delay`, `acquire`, `release`, `fork`, `send` and `receive`.
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
    pub(super) fn kinds(&self) -> Vec<&'static str> {
        let given = [
            (self.visits.is_some(), "use"),
            (self.delay.is_some(), "delay"),
            (self.acquire.is_some(), "acquire"),
            (self.release.is_some(), "release"),
            (self.fork.is_some(), "fork"),
            (self.send.is_some(), "send"),
            (self.receive.is_some(), "receive"),
        ];
        given.into_iter().filter(|(is, _)| *is).map(|(_, key)| key).collect()
    }
}
