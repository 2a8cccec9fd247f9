//! The table `[session]` of a file, and the state of sessions when a run begins.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::schema::Scalar;

/// What a session is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct SessionTable {
    /// The number of requests of a session, as in `"geometric(4)"`, objects of pages not counted;
    /// draws are rounded, and at least 1. Partly open, or closed with `next`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<Scalar>,
    /// The think time between a response and the session's next request, as in `"exp(7s)"`.
    /// Closed and partly open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub think: Option<Scalar>,
    /// Where a journey begins, as in `{ home = 0.8, item = 0.2 }`: shares that sum to 1. It
    /// continues by the `next` of each request; by default it begins with the first request of the
    /// file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<BTreeMap<String, f64>>,
    /// The time that a session lasts, as in `"exp(15min)"`: it sends nothing after this time, from
    /// when its first request was due. Partly open, or closed; a closed session then begins anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lasts: Option<Scalar>,
    /// With `lasts`: it continues until its journey next comes to this request, and ends before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends_at: Option<String>,
    /// Whether a session keeps objects of pages, so that it asks for each once; not by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<bool>,
    /// A file with a program in Luau, as in `"buyer.luau"`: it chooses requests and think times.
    /// Closed and partly open; a closed session begins its program again when it has ended, after
    /// `think`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
    /// Files of comma-separated values, as in `["users.csv"]`; the first line of each names its
    /// columns. A session has a row of each, whose values stand in its requests as `{COLUMN}`; a
    /// script reads them itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<String>,
    /// Which rows of `data`: `"in-turn"` (the default), the next one for each session, or
    /// `"random"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<Rows>,
    /// Whether a session keeps the cookies that a real server sets; not by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cookies: Option<bool>,
    /// The number of redirects of a real server that a request follows, 0 to 50; none by default: a
    /// redirect is a response like any other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirects: Option<u32>,
    /// What becomes of a session when one of its requests has failed for good: `"continue"` (the
    /// default) or `"end"`. Closed and partly open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_error: Option<OnError>,
}

impl SessionTable {
    /// Whether no key is set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == SessionTable::default()
    }
}

/// What becomes of a session when one of its requests has failed for good.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnError {
    /// It continues as after a success.
    #[default]
    Continue,
    /// It ends: a partly-open one leaves, a closed one begins again after a think time.
    End,
}

/// Which row of a data file a session has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rows {
    /// One session after another has the next row, and after the last row the first.
    #[default]
    InTurn,
    /// Each session has any of them.
    Random,
}

/// What a run finds when it begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// As many sessions think as in the long run, each somewhere in its course.
    #[default]
    Steady,
    /// No session is there, and closed clients all begin a think time.
    Empty,
}
