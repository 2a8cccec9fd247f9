//! The table of a server of tokens in a system file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::schema::Scalar;

/// A server of a language model. It works in steps: a step reads tokens of prompts, and gives each
/// of the requests in it whose prompt has been read one more token of its response.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct TokenServerTable {
    /// The name in all tables and charts.
    pub name: String,
    /// The time of a step, as in `"8ms"`, whatever is in it.
    pub step_time: Scalar,
    /// The time that each request in a step adds to it, as in `"100us"`; 0 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_time: Option<Scalar>,
    /// The time that each token of a prompt adds to the step that reads it, as in `"40us"`; 0 by
    /// default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_token_time: Option<Scalar>,
    /// At most this many requests are in a step; others wait.
    pub max_batch: u32,
    /// At most this many tokens of prompts are read in a step, of all its requests together;
    /// without it a step reads whole prompts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefill_chunk: Option<u32>,
    /// The tokens that its memory holds: those of prompts and of responses so far. Unlimited by
    /// default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
}
