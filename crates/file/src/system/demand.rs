//! The service demand of a station, machine or service in a system file.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::schema::Scalar;

/// A service demand for all requests, or one for each request name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum DemandValue {
    /// The same distribution for every request.
    All(Scalar),
    /// By request name; requests without an entry do not visit the station.
    ByRequest(BTreeMap<String, Scalar>),
}
