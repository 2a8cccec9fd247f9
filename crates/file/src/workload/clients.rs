//! The table `[clients]` of a file, and the clients' credentials.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::breaker::BreakerTable;
use crate::schema::Scalar;

/// What all clients have in common, as behind one proxy or in one process.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct ClientsTable {
    /// At most this many attempts are in flight; others wait for one to end, first come, first
    /// served.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<u32>,
    /// At most this many attempts wait; others fail at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<u32>,
    /// A limit of all retries and copies together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_budget: Option<RetryBudgetTable>,
    /// A circuit breaker, as in `{ failures = 5, open = "30s" }`: after many failures attempts fail
    /// at once, unsent, for a while.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breaker: Option<BreakerTable>,
    /// Header fields of all requests of HTTP, unless one has its own, as in
    /// `{ Accept-Language = "en" }`. Without a `User-Agent`, it is `thinktime/VERSION`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// The subprotocols of WebSocket that are offered, the best first, as in `["chat.v2", "chat"]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subprotocols: Vec<String>,
    /// The place of the token by which clients identify themselves, as in `"env:TOKEN"` or
    /// `"file:PATH"`: it goes into the header field `Authorization`, and into no result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bearer: Option<String>,
    /// The same for `user:password`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basic: Option<String>,
    /// The same by a token that is requested before the run and renewed during it, as in
    /// `{ url = "https://id.example/token", client = "env:ID", secret = "env:SECRET" }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oauth2: Option<Oauth2Table>,
    /// The same by a signature of each request, as AWS wants them (Signature Version 4).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aws: Option<AwsTable>,
    /// The place of the password by which clients log in to a database, as in `"env:PGPASSWORD"`
    /// (the default) or `"file:PATH"`; it goes into no result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
    /// The life of a connection to a real server; `keep-alive` by default. Or the largest number of
    /// them, as in `20`: a pool of connections, each with one request at a time, for which requests
    /// wait, first come, first served.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections: Option<ConnectionsValue>,
    /// Whether requests of HTTP tell servers which trace they belong to, in the header field
    /// `traceparent` of W3C Trace Context. Ids follow from the seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = false))]
    pub traceparent: Option<bool>,
}

impl ClientsTable {
    /// Those of its keys that name sources of secrets.
    pub fn secrets(&self) -> impl Iterator<Item = &'static str> {
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
    /// For this life.
    Reuse(Reuse),
    /// By a pool of that number.
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

/// A token bucket: each retry takes a token, and without one the request fails instead. A copy of a
/// request (`hedge`) takes one, too, and is not sent without.
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

/// Tokens of OAuth 2.0 by client credentials (RFC 6749, section 4.4).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct Oauth2Table {
    /// The address that gives tokens, as in `"https://id.example/token"`.
    pub url: String,
    /// The place of the client's identifier, as in `"env:ID"` or `"file:PATH"`.
    pub client: String,
    /// The place of its secret.
    pub secret: String,
    /// The scope of the token: names with blanks between them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Further fields that the server requires, as in `{ audience = "shop" }`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, String>,
    /// Whether identifier and secret are form fields, too, for servers that require it; otherwise
    /// they go in the field `Authorization`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_body: Option<bool>,
    /// The file with the authorities, as PEM, by which the server's certificate must be valid,
    /// instead of those of Mozilla and of `--ca`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca: Option<String>,
}

/// Signatures by AWS Signature Version 4.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct AwsTable {
    /// The region, as in `"eu-west-1"`.
    pub region: String,
    /// The service, as in `"s3"` or `"execute-api"`.
    pub service: String,
    /// The place of the access key's identifier, as in `"env:AWS_ACCESS_KEY_ID"`.
    pub key: String,
    /// The place of the secret access key, as in `"env:AWS_SECRET_ACCESS_KEY"`.
    pub secret: String,
    /// The place of the session token, if there is one, as in `"env:AWS_SESSION_TOKEN"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}
