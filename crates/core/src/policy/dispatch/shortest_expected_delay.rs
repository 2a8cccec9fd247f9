//! Shortest expected delay.

use super::least::Least;
use super::{Entry, plain};

pub(super) const ENTRY: Entry = Entry {
    usage: "shortest-expected-delay",
    example: "shortest-expected-delay",
    summary: "the server with the fewest requests in progress, this one included, divided by its \
              weight",
    source: "Linux Virtual Server, scheduler `sed`",
    needs: &[],
    parse: |call| {
        plain(call, &ENTRY, |setting| {
            Least::boxed(setting, |one| f64::from(one.in_progress + 1) / one.weight)
        })
    },
};
