//! The workload file: the one schema for reading, writing and the JSON Schema.

use schemars::{JsonSchema, Schema, schema_for};
use serde::{Deserialize, Serialize};

use super::clients::ClientsTable;
use super::objectives::SloTable;
use super::request::RequestTable;
use super::session::{SessionTable, Start};
use super::shared::SharedValue;
use crate::schema::{Scalar, SchemaError, Source, to_toml};

/// A workload: which sessions arrive, and what they do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
#[schemars(title = "Thinktime workload")]
pub struct WorkloadFile {
    /// A name for tables and charts.
    pub name: String,
    /// The seed of all random streams: the same seed gives the same sessions.
    #[serde(default = "first_seed")]
    pub seed: u64,
    /// The server for the variables of scripts, as in `"redis://127.0.0.1:6379"`, or
    /// `{ url = ..., password = "env:NAME" }`; the process itself by default, and in simulations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared: Option<SharedValue>,
    /// When sessions arrive. Required, unless there are populations; each of them has its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<ArrivalsTable>,
    /// What a session is.
    #[serde(default, skip_serializing_if = "SessionTable::is_empty")]
    pub session: SessionTable,
    /// What all clients have in common.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clients: Option<ClientsTable>,
    /// The requests that sessions send, chosen by weight. Without any, each is `GET /`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub request: Vec<RequestTable>,
    /// Users of several kinds at once, instead of the four tables above: each has its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub population: Vec<PopulationTable>,
    /// The objectives that a run is checked against.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slo: Option<SloTable>,
}

/// Users of one kind: their sessions, and what these do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct PopulationTable {
    /// A name for tables and charts, different from the others'.
    pub name: String,
    /// When sessions arrive.
    pub arrivals: ArrivalsTable,
    /// What a session is.
    #[serde(default, skip_serializing_if = "SessionTable::is_empty")]
    pub session: SessionTable,
    /// What all clients of the population have in common.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clients: Option<ClientsTable>,
    /// The requests that sessions send, chosen by weight. Without any, each is `GET /`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub request: Vec<RequestTable>,
}

impl WorkloadFile {
    /// Reads a file.
    ///
    /// # Errors
    /// When the text is not TOML, or has unknown, missing or mistyped keys.
    pub fn read(source: &Source<'_>) -> Result<WorkloadFile, SchemaError> {
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
        schema_for!(WorkloadFile)
    }

    /// All of it as one value, to look for keys anywhere.
    ///
    /// # Errors
    /// When a value cannot be written, such as an infinite number.
    pub fn to_value(&self) -> Result<toml::Value, String> {
        toml::Value::try_from(self).map_err(|error| error.to_string())
    }

    /// The file whose tables a value has.
    ///
    /// # Errors
    /// When it has unknown, missing or mistyped keys.
    pub fn from_value(value: toml::Value) -> Result<WorkloadFile, String> {
        value.try_into().map_err(|error: toml::de::Error| error.to_string())
    }

    /// The populations with the path of their keys: the file's own tables if it has no populations.
    pub fn populations(&self) -> Vec<(String, PopulationTable)> {
        let own = self.arrivals.as_ref().map(|arrivals| PopulationTable {
            name: String::new(),
            arrivals: arrivals.clone(),
            session: self.session.clone(),
            clients: self.clients.clone(),
            request: self.request.clone(),
        });
        let numbered = self.population.iter().enumerate();
        let named = numbered.map(|(at, table)| (format!("population.{at}."), table.clone()));
        own.map(|table| (String::new(), table)).into_iter().chain(named).collect()
    }

    /// The tables `arrivals`, in the order of the populations.
    pub fn arrivals_tables(&mut self) -> impl Iterator<Item = &mut ArrivalsTable> {
        self.arrivals.iter_mut().chain(self.population.iter_mut().map(|one| &mut one.arrivals))
    }

    /// The tables `session`, in the order of the populations.
    pub fn session_tables(&mut self) -> impl Iterator<Item = &mut SessionTable> {
        let own = self.population.is_empty().then_some(&mut self.session);
        own.into_iter().chain(self.population.iter_mut().map(|one| &mut one.session))
    }
}

fn first_seed() -> u64 {
    1
}

/// The system model of the workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Model {
    /// Sessions of one request arrive by themselves.
    Open,
    /// A fixed number of sessions that never end: each waits for its response, thinks, and sends
    /// the next request.
    Closed,
    /// Sessions of several requests arrive by themselves and leave.
    PartlyOpen,
}

impl std::fmt::Display for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Model::Open => "open",
            Model::Closed => "closed",
            Model::PartlyOpen => "partly-open",
        })
    }
}

/// When sessions arrive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct ArrivalsTable {
    /// The system model.
    pub model: Model,
    /// Open: requests a second; partly open: sessions a second. As in `"12/s"` or `"600/min"`.
    /// Not for closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Scalar>,
    /// `"poisson"`, `"even"`, or any distribution of inter-arrival times, which gives the shape;
    /// `rate`, if present, gives the mean. Or a process with a memory, as in `"mmpp(2s: 20/s,
    /// 500ms: 120/s)"`. Or `"trace(FILE)"`: a column of arrival times, or an
    /// access log whose requests are replayed (for closed a log only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = ArrivalsTable::PROCESS))]
    pub process: Option<String>,
    /// The number of sessions of a closed model (its MPL).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clients: Option<u64>,
    /// The rate over time, as a factor of `rate`: `"constant"`, `"ramp(from=0, to=1, over=10min)"`,
    /// `"steps(0s: 1, 5min: 2)"` or `"sine(period=20min, low=1/3)"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = ArrivalsTable::PROFILE))]
    pub profile: Option<String>,
    /// What a run finds when it begins: `"steady"` (the default), as many sessions thinking as in
    /// the long run, each somewhere in its course; or `"empty"`, nobody. Partly open and closed,
    /// without a script, a log or a trace, whose long run is not known: those begin empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Start>,
}

impl ArrivalsTable {
    /// The process without a `process`.
    pub const PROCESS: &str = "poisson";
    /// The rate over time without a `profile`.
    pub const PROFILE: &str = "constant";
}
