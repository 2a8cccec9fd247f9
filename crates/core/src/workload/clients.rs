//! What all clients of a population have in common: the table of the file, and what it says.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::credentials::{AwsTable, Oauth2Table};
use crate::error::Invalid;
use crate::schema::Scalar;
use crate::trace::TRACEPARENT;
use crate::units::parse_share;

/// What all clients have in common, as behind one proxy or in one process.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct ClientsTable {
    /// At most this many attempts are in flight; others wait for one to end, first come, first
    /// served.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<u32>,
    /// At most this many attempts wait so; others fail at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<u32>,
    /// A limit of all retries together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_budget: Option<RetryBudgetTable>,
    /// Header fields of all requests of HTTP, unless one has its own, as in
    /// `{ Accept-Language = "en" }`. Without a `User-Agent`, it is `thinktime/VERSION`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// The subprotocols of WebSocket that are offered, the best first, as in `["chat.v2", "chat"]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subprotocols: Vec<String>,
    /// Where the token is kept by which clients say who they are, as in `"env:TOKEN"` or
    /// `"file:PATH"`: it goes into the header field `Authorization`, and into no result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bearer: Option<String>,
    /// The same for `user:password`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basic: Option<String>,
    /// The same by a token that is asked for before the run and renewed beside it, as in
    /// `{ url = "https://id.example/token", client = "env:ID", secret = "env:SECRET" }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oauth2: Option<Oauth2Table>,
    /// The same by a signature of each request, as AWS wants them (Signature Version 4).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aws: Option<AwsTable>,
    /// Where the password is kept by which clients log in to a database, as in `"env:PGPASSWORD"`
    /// (the default) or `"file:PATH"`; it goes into no result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
    /// How long a connection to a real server is used; `keep-alive` by default. Or how many there
    /// are at most, as in `20`: a pool of connections, each with one request at a time, for which
    /// requests wait, first come, first served.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections: Option<ConnectionsValue>,
    /// Whether requests of HTTP tell servers which trace they belong to, in the header field
    /// `traceparent` of W3C Trace Context: `false` by default. Ids follow from the seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<bool>,
}

impl ClientsTable {
    /// Those of its keys that say where secrets are kept.
    pub(super) fn secrets(&self) -> impl Iterator<Item = &'static str> {
        let all = [
            ("bearer", self.bearer.is_some()),
            ("basic", self.basic.is_some()),
            ("oauth2", self.oauth2.is_some()),
            ("aws", self.aws.is_some()),
            ("password", self.password.is_some()),
        ];
        all.into_iter().filter_map(|(key, given)| given.then_some(key))
    }
}

/// How connections are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a number, \"keep-alive\", \"per-session\" or \"per-request\"")]
pub enum ConnectionsValue {
    /// So long.
    Reuse(Reuse),
    /// By a pool of so many.
    Pool(u32),
}

/// How long a connection is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reuse {
    /// It is kept for later requests, of the same session or others.
    #[default]
    KeepAlive,
    /// It carries the requests of one session, and is closed when that ends.
    PerSession,
    /// It carries one request, which says that it will be closed.
    PerRequest,
}

/// A token bucket: each retry takes a token, and without one the request fails instead.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct RetryBudgetTable {
    /// The tokens that each request puts in, as in `"10%"`: retries are at most this share of
    /// requests in the long run.
    pub share: Scalar,
    /// The most tokens that it holds, and holds at first; 10 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub burst: Option<f64>,
}

/// Limits on all clients together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClientLimits {
    /// The largest number of attempts in flight.
    pub concurrency: u64,
    /// The largest number of attempts that wait until others have ended.
    pub waiting: u64,
    /// The limit of all retries together, if there is one.
    pub retry_budget: Option<RetryBudget>,
    /// How long a connection to a real server is used.
    pub connections: Reuse,
    /// Whether the limit of attempts in flight is that of a pool of connections.
    pub pooled: bool,
    /// Whether requests say which trace they belong to.
    pub traced: bool,
}

/// A token bucket for retries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetryBudget {
    /// The tokens that each request puts in.
    pub share: f64,
    /// The most tokens that it holds, and holds at first.
    pub burst: f64,
}

impl ClientLimits {
    /// No limits.
    pub const NONE: ClientLimits = ClientLimits {
        concurrency: u64::MAX,
        waiting: u64::MAX,
        retry_budget: None,
        connections: Reuse::KeepAlive,
        pooled: false,
        traced: false,
    };

    pub(super) fn from_table(
        table: Option<&ClientsTable>,
    ) -> Result<ClientLimits, (&'static str, Invalid)> {
        let Some(table) = table else { return Ok(ClientLimits::NONE) };
        if table.concurrency == Some(0) {
            return Err(("concurrency", Invalid::new("must be at least 1")));
        }
        let (connections, pool) = match table.connections {
            Some(ConnectionsValue::Pool(0)) => {
                return Err(("connections", Invalid::new("must be at least 1")));
            }
            Some(ConnectionsValue::Pool(_)) if table.concurrency.is_some() => {
                let why = "is how many requests are in flight: leave `concurrency` out";
                return Err(("connections", Invalid::new(why)));
            }
            Some(ConnectionsValue::Pool(number)) => (Reuse::KeepAlive, Some(number)),
            Some(ConnectionsValue::Reuse(reuse)) => (reuse, None),
            None => (Reuse::default(), None),
        };
        if table.waiting.is_some() && table.concurrency.or(pool).is_none() {
            let why = "goes with `concurrency` or a number of `connections` only";
            return Err(("waiting", Invalid::new(why)));
        }
        let budget = table.retry_budget.as_ref().map(RetryBudget::from_table).transpose();
        Ok(ClientLimits {
            concurrency: table.concurrency.or(pool).map_or(u64::MAX, u64::from),
            waiting: table.waiting.map_or(u64::MAX, u64::from),
            retry_budget: budget.map_err(|error| ("retry_budget", error))?,
            connections,
            pooled: pool.is_some(),
            traced: traced(table).map_err(|error| ("traceparent", error))?,
        })
    }
}

/// Whether requests say which trace they belong to, and nothing else does.
fn traced(table: &ClientsTable) -> Result<bool, Invalid> {
    let traced = table.traceparent == Some(true);
    if traced && table.headers.keys().any(|name| name.eq_ignore_ascii_case(TRACEPARENT)) {
        return Err(Invalid::new("does not go with a `traceparent` among the `headers`"));
    }
    Ok(traced)
}

impl RetryBudget {
    fn from_table(table: &RetryBudgetTable) -> Result<RetryBudget, Invalid> {
        let share = parse_share(&table.share.text())?;
        let burst = table.burst.unwrap_or(10.0);
        if !(burst >= 0.0 && burst.is_finite()) {
            return Err(Invalid::new(format!("`burst` must be 0 or more, not {burst}")));
        }
        Ok(RetryBudget { share, burst })
    }
}
