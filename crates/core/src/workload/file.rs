//! The workload file: the one schema, from which reading, writing and the JSON Schema come.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::clients::ClientsTable;
use super::session::SessionTable;
use super::slo::SloTable;
use super::start::Start;
use crate::schema::Scalar;

/// A workload: which sessions arrive, and what they do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Thinktime workload")]
pub struct WorkloadFile {
    /// A name for tables and charts.
    pub name: String,
    /// The seed of all random streams: the same seed gives the same sessions.
    #[serde(default = "first_seed")]
    pub seed: u64,
    /// When sessions arrive. Needed, unless there are populations, of which each has its own.
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

/// Users of one kind: which sessions of theirs arrive, and what they do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
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
    /// The populations with the path of their keys: the file's own tables where it has none.
    pub(super) fn populations(&self) -> Vec<(String, PopulationTable)> {
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
    pub(super) fn arrivals_tables(&mut self) -> impl Iterator<Item = &mut ArrivalsTable> {
        self.arrivals.iter_mut().chain(self.population.iter_mut().map(|one| &mut one.arrivals))
    }

    /// The tables `session`, in the order of the populations.
    pub(super) fn session_tables(&mut self) -> impl Iterator<Item = &mut SessionTable> {
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
#[serde(deny_unknown_fields)]
pub struct ArrivalsTable {
    /// The system model.
    pub model: Model,
    /// Open: requests a second; partly open: sessions a second. As in `"12/s"` or `"600/min"`.
    /// Not for closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Scalar>,
    /// `"poisson"` (the default), `"even"`, or any distribution of inter-arrival times, which
    /// gives the shape; `rate`, where present, gives the mean. Or `"trace(FILE)"`: a column of
    /// arrival times, or an access log whose requests are replayed (for closed a log only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<String>,
    /// The number of sessions of a closed model (its MPL).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clients: Option<u64>,
    /// The rate over time, as a factor of `rate`: `"constant"` (the default),
    /// `"ramp(from=0, to=1, over=10min)"`, `"steps(0s: 1, 5min: 2)"` or
    /// `"sine(period=20min, low=1/3)"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// What a run finds when it begins: `"steady"` (the default), as many sessions thinking as in
    /// the long run, each somewhere in its course; or `"empty"`, nobody. Partly open and closed,
    /// without a script, a log or a trace, whose long run is not known: those begin empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Start>,
}

/// One kind of request. One of `get`, `head`, `post`, `put`, `delete`, `grpc`, `send` and
/// `send_hex` may be given; without any, the request is `GET /`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestTable {
    /// The name in all tables and charts.
    pub name: String,
    /// How often it is chosen, relative to the others; not where requests have a `next`. Without
    /// it, a request that is an object of a page comes as that only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// What follows this request, as in `{ item = 0.6, search = 0.3, end = 0.1 }`: shares that sum
    /// to 1; `end` ends the session, or begins a closed one anew. Where one request has it, all
    /// have, but for objects of pages. Closed and partly open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<BTreeMap<String, f64>>,
    /// What a page asks for as soon as its base, this request, has been answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objects: Option<ObjectsTable>,
    /// The think time after this request, instead of the session's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub think: Option<Scalar>,
    /// The size of the response in bytes, as in `"bounded_pareto(shape=1.1, lo=1kB, hi=1MB)"`. Each
    /// target has one, drawn by the workload's seed and rounded, the same every time it is asked
    /// for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Scalar>,
    /// The target of a GET. `{...}` holds a distribution whose draw, rounded, is put there:
    /// `"/item/{zipf(n=10000, s=0.9)}"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub get: Option<String>,
    /// The target of a HEAD.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// The target of a POST.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub post: Option<String>,
    /// The target of a PUT.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub put: Option<String>,
    /// The target of a DELETE.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delete: Option<String>,
    /// The target of a PATCH.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
    /// The target of an OPTIONS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<String>,
    /// The body of a POST, PUT or PATCH.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// A method of gRPC that takes and gives one message, as in `"shop.Orders/Place"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grpc: Option<String>,
    /// The file of descriptors that the method is in, as `protoc --descriptor_set_out` writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub descriptors: Option<String>,
    /// The method's message, as JSON; an empty one by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What is sent to a target of `ws`, `wss`, `tcp` or `udp`, as in `'PING\r\n'`: a text with the
    /// escapes `\r \n \t \0 \\ \" \{ \} \xHH`, in which `{`, a letter and so on to `}` is a
    /// distribution, as in targets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub send: Option<String>,
    /// The same in hexadecimal digits; a binary message in WebSocket.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub send_hex: Option<String>,
    /// When the answer is complete: `'length(12)'`, `'delimiter("\n")'`, `'pattern(REGEX)'`, or
    /// `'message'`: a message of WebSocket or a datagram, the default there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<String>,
    /// How long the client waits for the whole response before it gives the attempt up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Scalar>,
    /// What becomes of an attempt in a modelled system when the client gives it up: `"never"`
    /// (the default: it is served all the same), `"queued"` (taken back if it still waits) or
    /// `"always"` (taken back even out of service).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel: Option<Cancel>,
    /// Whether and when a failed attempt is made again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetryTable>,
}

/// The objects of a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObjectsTable {
    /// How many there are, as in `"pareto(shape=1.33, scale=2)"`; draws are rounded, and at most
    /// 100,000.
    pub count: Scalar,
    /// Which requests they are, with shares relative to one another: `{ image = 3, script = 1 }`.
    pub of: BTreeMap<String, f64>,
    /// How many are asked for at a time, over as many connections; 6 by default, as browsers do
    /// with HTTP/1.1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections: Option<u32>,
}

/// Whether and when a failed attempt (error or timeout) is made again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RetryTable {
    /// The largest number of attempts, the first included, or `"unlimited"`.
    pub attempts: Scalar,
    /// `"timeout"` (the default): the client gives up at the timeout and tries again; `"late"`:
    /// it waits for the response, and tries again if that took longer than the timeout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<RetryWhen>,
    /// The wait before the second attempt, as in `"uniform(0s, 100ms)"`; none by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backoff: Option<Scalar>,
    /// The factor by which the wait grows with each further attempt; 1 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub growth: Option<f64>,
    /// The longest wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backoff_max: Option<Scalar>,
    /// Whether every attempt brings the service demand of the first one to a modelled system;
    /// by default each draws its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_demand: Option<bool>,
}

/// What becomes of an attempt in a modelled system when the client gives it up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Cancel {
    /// It is served all the same.
    #[default]
    Never,
    /// It is taken back if it still waits.
    Queued,
    /// It is taken back, even out of service.
    Always,
}

/// When a client tries again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RetryWhen {
    /// At the timeout, giving the attempt up.
    #[default]
    Timeout,
    /// When the response has come and was late.
    Late,
}
