//! The table of one kind of request in a workload file.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::CheckValue;
use super::content::{
    FormValue, GrpcMessages, Isolation, MessagesValue, MultipartValue, one_statement,
};
use super::hedge::HedgeTable;
use super::tokens::TokensTable;
use crate::schema::Scalar;

/// One kind of request. One of `get`, `head`, `post`, `put`, `delete`, `patch`, `options`,
/// `method`, `grpc`, `send`, `send_hex`, `sql` and `transaction` may be given; without any, the
/// request is `GET /`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct RequestTable {
    /// The name in all tables and charts.
    pub name: String,
    /// How often it is chosen, relative to the others; not if requests have a `next`. Without it,
    /// an object of a page comes only with its page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// What follows this request, as in `{ item = 0.6, search = 0.3, end = 0.1 }`: shares that sum
    /// to 1; `end` ends the session, or begins a closed one anew. If one request has it, all have
    /// it, except objects of pages. Closed and partly open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<BTreeMap<String, f64>>,
    /// What a page asks for as soon as its base, this request, has been answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objects: Option<ObjectsTable>,
    /// The think time after this request, instead of the session's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub think: Option<Scalar>,
    /// The size of the response in bytes, as in `"bounded_pareto(shape=1.1, lo=1kB, hi=1MB)"`. Each
    /// target has one, drawn by the workload's seed and rounded, the same for all its requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Scalar>,
    /// The tokens of the prompt and of the response, as in
    /// `{ prompt = "lognormal(mu=6, sigma=1)", output = "geometric(200)" }`; for modelled servers
    /// of tokens, which draw them for each attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<TokensTable>,
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
    /// Any other method, as in `"PROPFIND"`; goes with `target`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The target of `method`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Header fields, as in `{ Accept = "text/html" }`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// The body, as it is. It, or one of the four keys below, goes with all methods but GET and
    /// HEAD, unless these are written as `method`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The body as a value that is sent as JSON, as in `{ id = 7, tags = ["new"] }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub json: Option<serde_json::Value>,
    /// The fields of a form (`application/x-www-form-urlencoded`); a field may be a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<BTreeMap<String, FormValue>>,
    /// The fields of a form with files (`multipart/form-data`): texts, or files as in
    /// `{ file = "photo.jpg", type = "image/jpeg" }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub multipart: Option<BTreeMap<String, MultipartValue>>,
    /// The file whose bytes are the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_file: Option<String>,
    /// A method of gRPC, as in `"shop.Orders/Place"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grpc: Option<String>,
    /// The file of descriptors that the method is in, as `protoc --descriptor_set_out` writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub descriptors: Option<String>,
    /// The method's message, as a table of its fields, `{ item = "{first}", amount = 2 }`, or as
    /// JSON in a text; an empty one by default. Draws and values may stand in it. A list is for
    /// methods that take a stream: its messages go out one after another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<GrpcMessages>,
    /// What is sent to a target of `ws`, `wss`, `tcp` or `udp`, as in `'PING\r\n'`: a text with the
    /// escapes `\r \n \t \0 \\ \" \{ \} \xHH`, in which `{`, a letter and so on to `}` is a
    /// distribution, as in targets. A list is several messages of WebSocket, one after another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub send: Option<MessagesValue>,
    /// The same in hexadecimal digits; a binary message in WebSocket.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub send_hex: Option<String>,
    /// When the answer is complete: `'length(12)'`, `'delimiter("\n")'`, `'pattern(REGEX)'`, or
    /// `'message'`: a message of WebSocket or a datagram, the default there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<String>,
    /// The number of messages in the answer of a WebSocket; 1 by default. For a method of gRPC that
    /// gives a stream: the number that is enough for the client; by default it waits for the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<u32>,
    /// Whether each message of a list to `send` waits for the answer to the one before; otherwise
    /// they go out at once. `expect` and `messages` are then about the answer to each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_for_each: Option<bool>,
    /// A statement of SQL, as in `"select price from item where id = $1"`, for targets of
    /// `postgresql`. It is prepared once on each connection.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "one_statement")]
    pub sql: Option<String>,
    /// Statements of SQL that are one transaction, each sent when the one before has been answered.
    /// It begins and ends by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transaction: Option<Vec<String>>,
    /// The values of `$1`, `$2` and so on, the same in all statements of a transaction: numbers,
    /// distributions whose draws are rounded, as `"zipf(n=10000, s=0.9)"`, or texts in which draws
    /// and values may stand in braces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<Scalar>,
    /// The isolation of the transaction from others: `"read-committed"`, `"repeatable-read"` or
    /// `"serializable"`; as the server has it by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isolation: Option<Isolation>,
    /// The form of a response that comes as a stream of events, whose times are measured: `"sse"`
    /// (server-sent events), `"lines"` (each line that is not blank) or `"chunks"` (whatever
    /// arrives together).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<StreamFormat>,
    /// The longest time in which nothing of a streamed response arrives, from the sending on; after
    /// it the client gives the attempt up. It goes with `stream`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silence: Option<Scalar>,
    /// What the session takes from the response, by name, as in `{ token = "json:$.token" }`:
    /// `"status"`, `"time"`, `"body"`, `"header:NAME"`, `"json:PATH"` or `"regex:PATTERN"`. It
    /// stands in its later requests as `{token}`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub take: BTreeMap<String, String>,
    /// What is checked of the response, by the name that it is counted under: a part that must be
    /// there, as in `"json:$.token"`, or a table such as `{ of = "status", is = 200 }`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub checks: BTreeMap<String, CheckValue>,
    /// The wait for the whole response after which the client gives the attempt up: a time, or a
    /// law from which each attempt draws its own, as in `"exp(2s)"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Scalar>,
    /// The fate of an attempt in a modelled system when the client gives it up: `"never"` (the
    /// default: it is served all the same), `"queued"` (taken back if it still waits) or `"always"`
    /// (taken back even out of service).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel: Option<Cancel>,
    /// Whether and when a failed attempt is made again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetryTable>,
    /// A copy that is sent if no answer has come after a time, as in `{ after = "50ms" }`: the
    /// first answer counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hedge: Option<HedgeTable>,
}

/// The objects of a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct ObjectsTable {
    /// The number of objects, as in `"pareto(shape=1.33, scale=2)"`; draws are rounded, and at most
    /// 100,000.
    pub count: Scalar,
    /// The requests that are objects, with relative shares: `{ image = 3, script = 1 }`.
    pub of: BTreeMap<String, f64>,
    /// The number requested at a time, over as many connections; 6 by default, as in browsers with
    /// HTTP/1.1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections: Option<u32>,
}

/// Whether and when a failed attempt (error or timeout) is made again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct RetryTable {
    /// The largest number of attempts, the first included, or `"unlimited"`.
    pub attempts: Scalar,
    /// `"timeout"` (the default): the client gives up at the timeout and tries again; `"late"`:
    /// it waits for the response, and tries again if that took longer than the timeout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<RetryWhen>,
    /// After which failures alone: words as results count them, as in
    /// `["sqlstate_40001", "timeout", "status 503"]`; after any by default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on: Vec<String>,
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

/// The form of a response that is a stream of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StreamFormat {
    /// Server-sent events: `text/event-stream`.
    Sse,
    /// Lines; blank ones are no events.
    Lines,
    /// Bytes that arrive together.
    Chunks,
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
