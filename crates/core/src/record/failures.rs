//! Failures, their numbers and causes.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use super::Row;
use crate::failure::{STATUS, TIMEOUT, Word, kept};

/// The number of failed attempts, by kind of request, error and status.
type Attempts = BTreeMap<(u32, Word, u16), u64>;

/// Attempts and requests that failed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Failures {
    /// Failed attempts by kind of request, error and status.
    #[serde(deserialize_with = "attempts")]
    attempts: Attempts,
    /// By kind, requests that failed for good.
    requests: BTreeMap<u32, u64>,
}

/// Reads them as another process wrote them.
fn attempts<'de, D: Deserializer<'de>>(from: D) -> Result<Attempts, D::Error> {
    let read = BTreeMap::<(u32, String, u16), u64>::deserialize(from)?;
    Ok(read
        .into_iter()
        .map(|((kind, error, status), count)| ((kind, kept(&error), status), count))
        .collect())
}

impl Failures {
    /// An attempt failed; says whether by its timeout.
    pub(super) fn attempt(&mut self, row: &Row, error: &'static str) -> bool {
        let status = if error == STATUS { row.status } else { 0 };
        *self.attempts.entry((row.attempt.kind, error, status)).or_default() += 1;
        error == TIMEOUT
    }

    /// A request of this kind failed for good.
    pub(super) fn request(&mut self, kind: u32) {
        *self.requests.entry(kind).or_default() += 1;
    }

    /// The number of requests of the given kinds that failed for good.
    pub(super) fn of(&self, kinds: impl Fn(u32) -> bool) -> u64 {
        self.requests.iter().filter(|(kind, _)| kinds(**kind)).map(|(_, count)| count).sum()
    }

    /// Failed attempts by error.
    pub(super) fn by_kind(&self) -> BTreeMap<String, u64> {
        let mut found = BTreeMap::new();
        for ((_, error, _), count) in &self.attempts {
            *found.entry((*error).to_owned()).or_default() += count;
        }
        found
    }

    /// Those that failed by their status, by that status.
    pub(super) fn by_status(&self) -> BTreeMap<u16, u64> {
        let mut found = BTreeMap::new();
        for ((_, error, status), count) in &self.attempts {
            if *error == STATUS {
                *found.entry(*status).or_default() += count;
            }
        }
        found
    }

    /// Failed attempts of one kind of request by cause, as in `timeout` or `status 404`.
    pub(super) fn causes(&self, kind: u32) -> impl Iterator<Item = (String, u64)> + '_ {
        let of = self.attempts.range((kind, "", 0)..).take_while(move |one| one.0.0 == kind);
        of.map(|((_, error, status), count)| (cause(error, *status), *count))
    }

    pub(super) fn merge(&mut self, other: &Failures) {
        for (key, count) in &other.attempts {
            *self.attempts.entry(*key).or_default() += count;
        }
        for (kind, count) in &other.requests {
            *self.requests.entry(*kind).or_default() += count;
        }
    }
}

/// The error, in words, as in `timeout` or `status 404`.
#[must_use]
pub fn cause(error: &str, status: u16) -> String {
    if error == STATUS { format!("status {status}") } else { error.to_owned() }
}
