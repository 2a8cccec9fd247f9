//! The table `breaker` of `[clients]`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::schema::Scalar;

/// A circuit breaker: after many failures attempts fail at once, unsent, for a while. Exactly one
/// of `failures` and `share` says when it opens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct BreakerTable {
    /// It opens after this many failed attempts in a row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failures: Option<u32>,
    /// It opens if at least this share of the attempts that ended within the last `window` failed,
    /// as in `"50%"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<Scalar>,
    /// The time over which the `share` is taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Scalar>,
    /// The least number of attempts within `window` of which the `share` counts; 20 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<u32>,
    /// How long it turns all attempts away, once it has opened.
    pub open: Scalar,
    /// The number of attempts that it then lets through to try: if all succeed it closes, and if
    /// one fails it opens again; 1 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trials: Option<u32>,
    /// Which failures alone count: words as results count them, as in
    /// `["timeout", "status 503"]`; any by default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on: Vec<String>,
}
