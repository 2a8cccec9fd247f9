//! The parts of a summary that are added to a result after it was made.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// The link that a run crossed, and its traffic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CrossedLink {
    /// The link as `--link` takes it.
    pub asked: String,
    /// The congestion control of its connections.
    pub congestion_control: String,
    /// The seed of its losses and delays.
    pub seed: u64,
    /// Packets to the target by their fate; absent if the kernel carried them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_target: Option<BTreeMap<String, u64>>,
    /// Packets from the target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_target: Option<BTreeMap<String, u64>>,
    /// Why the measurements do not show the link's own behaviour, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spoilt: Option<String>,
}

/// The finding of a check of the result's foundations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CheckFinding {
    /// The check.
    pub name: String,
    /// Its outcome.
    pub verdict: CheckOutcome,
    /// The examined data and the finding, in words.
    pub found: String,
    /// The advice; empty if nothing needs to be done.
    pub advice: String,
}

/// The outcome of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CheckOutcome {
    /// Nothing speaks against the result.
    Fine,
    /// Something may be wrong.
    Doubtful,
    /// The result is spoilt.
    #[serde(rename = "not to be trusted")]
    Spoilt,
    /// The check lacks its data.
    #[serde(rename = "could not look")]
    Unseen,
}

/// A note, if it is whole; a damaged one is as good as absent.
pub(super) fn whole<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    from: D,
) -> Result<Option<T>, D::Error> {
    Value::deserialize(from).map(|value| serde_json::from_value(value).ok())
}
