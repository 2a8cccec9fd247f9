//! The table `hedge` of a request.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::schema::Scalar;

/// Hedging: if an attempt has no answer after a time, the client sends a copy of the request, takes
/// the first answer that is no failure, and gives the other attempts up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table, as in { after = \"50ms\" }")]
pub struct HedgeTable {
    /// The wait for an answer before a copy is sent, and before each further copy.
    pub after: Scalar,
    /// The largest number of copies of one attempt; 1 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<u32>,
}
