//! The tokens of requests to language models.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::schema::Scalar;

/// The tokens of a request to a language model: laws of whole numbers, whose draws are rounded, and
/// at least 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct TokensTable {
    /// Those of the prompt, as in `"lognormal(mu=6, sigma=1)"`, or in
    /// `"trace(FILE, column=ContextTokens)"` one row after another.
    pub prompt: Scalar,
    /// Those of the response, as in `"geometric(200)"`.
    pub output: Scalar,
}
