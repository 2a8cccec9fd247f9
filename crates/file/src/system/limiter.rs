//! The table of a rate limiter in a system file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::schema::Scalar;

/// A limit of the rate of requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct LimiterTable {
    /// The name by which steps `pass` it.
    pub name: String,
    /// The rate of requests in the long run, as in `"100/s"`.
    pub rate: Scalar,
    /// `"token"` (the default): requests beyond the rate are refused at once; `"leaky"`: they wait,
    /// and pass one by one at the rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<LimiterKind>,
    /// The number of requests that may pass at once, after a time without any; 1 by default. It
    /// goes with `kind = "token"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub burst: Option<u32>,
    /// At most this many requests wait; others are refused. It goes with `kind = "leaky"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_limit: Option<u32>,
}

/// What becomes of requests beyond the rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LimiterKind {
    /// They are refused: a bucket of tokens.
    #[default]
    Token,
    /// They wait: a leaky bucket.
    Leaky,
}
