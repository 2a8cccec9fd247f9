//! The tables of a machine and of the services on it in a system file.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::demand::DemandValue;
use crate::schema::Scalar;

/// A computer: cores under an operating system's scheduler. Requests use it by its name, or by
/// that of a service on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct MachineTable {
    /// The name in all tables and charts.
    pub name: String,
    /// The number of cores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = MachineTable::CORES))]
    pub cores: Option<u32>,
    /// The operating system's scheduler: a preset's name, or the name of a file that
    /// `thinktime machine show` wrote and that ends in `.toml`.
    pub os: String,
    /// The features that differ from the preset's, in its own tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BTreeMap<String, serde_json::Value>>")]
    pub scheduler: Option<toml::Table>,
    /// What a core loses whenever it turns to another task; nothing by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_switch: Option<Scalar>,
    /// The threads of the machine's own service.
    #[schemars(extend("default" = ThreadsValue::PER_REQUEST))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<ThreadsValue>,
    /// The priority of its threads, as the scheduler's features name it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<PriorityValue>,
    /// The service demand, as in `"exp(5ms)"`, for all requests or by request name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub demand: Option<DemandValue>,
    /// At most this many requests wait for a thread; others are refused at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_limit: Option<u32>,
    /// The most CPU time that its threads may use, in cores, as in `"700m"` or `"1.5"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_limit: Option<Scalar>,
    /// The same as a time in each period, as in `"70ms"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quota: Option<Scalar>,
    /// The period of a limit, from 1 ms to 1 s; 100 ms by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<Scalar>,
    /// How much of what a period leaves may be used later, at most the quota; nothing by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub burst: Option<Scalar>,
}

impl MachineTable {
    /// The number of cores without `cores`.
    pub const CORES: u32 = 1;
}

/// A program on a machine, with threads of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct ServiceTable {
    /// The name in all tables and charts.
    pub name: String,
    /// The machine that it runs on.
    pub machine: String,
    /// Its threads.
    #[schemars(extend("default" = ThreadsValue::PER_REQUEST))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<ThreadsValue>,
    /// The priority of its threads, as the scheduler's features name it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<PriorityValue>,
    /// The cores that its threads may run on, counted from 0; all by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cores: Option<Vec<u32>>,
    /// The service demand, as in `"exp(5ms)"`, for all requests or by request name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub demand: Option<DemandValue>,
    /// At most this many requests wait for a thread; others are refused at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_limit: Option<u32>,
    /// The most CPU time that its threads may use, in cores, as in `"700m"` or `"1.5"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_limit: Option<Scalar>,
    /// The same as a time in each period, as in `"70ms"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quota: Option<Scalar>,
    /// The period of a limit, from 1 ms to 1 s; 100 ms by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<Scalar>,
    /// How much of what a period leaves may be used later, at most the quota; nothing by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub burst: Option<Scalar>,
}

/// Which threads serve requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ThreadsValue {
    /// A pool of this many, each with one request at a time, waits included.
    Pool(u32),
    /// `"per-request"`: a new one for each; `"event-loop"` or `"event-loop(N)"`: one or N threads
    /// that do the work of all requests and wait for none.
    Named(String),
}

impl ThreadsValue {
    /// A new thread for each request, which holds without `threads`.
    pub const PER_REQUEST: &str = "per-request";
}

/// The priority of threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum PriorityValue {
    /// A number on the scheduler's own scale.
    Number(i32),
    /// `"best"`, `"high"`, `"average"`, `"low"`, `"worst"` or `"default"`.
    Named(String),
}
