//! Least connections.

use super::least::Least;
use super::{Entry, plain};

pub(super) const ENTRY: Entry = Entry {
    usage: "least-connections",
    example: "least-connections",
    summary: "the server with the fewest requests in progress, divided by its weight",
    source: "Linux Virtual Server, schedulers `lc` and `wlc`",
    needs: &[],
    parse: |call| {
        plain(call, &ENTRY, |setting| {
            Least::boxed(setting, |one| f64::from(one.in_progress) / one.weight)
        })
    },
};
