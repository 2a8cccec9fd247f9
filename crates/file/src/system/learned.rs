//! The table of a system that was learned from a log.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Invalid;
use crate::schema::Scalar;
use crate::units::parse_rate;

/// How a system was learned, and how sure it is. Results on it repeat the doubt until it is
/// confirmed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct LearnedTable {
    /// The log or logs from which it was learned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// How sure it is.
    pub confidence: Confidence,
    /// The parts that the log does not show.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guesses: Vec<Guess>,
    /// Why the log does not show them, or how it shows them, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Requests a second, as in `"26/s"`, up to which all models that explain the log agree.
    /// Results at higher rates are not to be trusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up_to: Option<Scalar>,
    /// Whether somebody who knows the server, or has measured it, has confirmed the model; `false`
    /// by default.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub confirmed: bool,
}

/// How sure a learned model is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// The log shows all of it.
    High,
    /// The log shows it roughly.
    Fair,
    /// Some of it is a guess that matters.
    Low,
}

/// A part of a learned model that the log does not show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Guess {
    /// The scheduling policy.
    Policy,
    /// The number of servers.
    Servers,
    /// Service demands.
    Demands,
}

impl Confidence {
    /// Its word in files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Confidence::High => "high",
            Confidence::Fair => "fair",
            Confidence::Low => "low",
        }
    }
}

impl Guess {
    /// Its word in files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Guess::Policy => "policy",
            Guess::Servers => "servers",
            Guess::Demands => "demands",
        }
    }
}

impl LearnedTable {
    /// The highest rate at which results are to be trusted, in requests a second.
    ///
    /// # Errors
    /// When it is not a rate.
    pub fn rate_max(&self) -> Result<Option<f64>, Invalid> {
        self.up_to.as_ref().map(|rate| parse_rate(&rate.text())).transpose()
    }
}
