//! Never queue.

use super::least::Least;
use super::{Entry, plain};

pub(super) const ENTRY: Entry = Entry {
    usage: "never-queue",
    example: "never-queue",
    summary: "an idle server if there is one, whatever its weight; else by the shortest expected \
              delay",
    source: "Linux Virtual Server, scheduler `nq`",
    needs: &[],
    parse: |call| {
        plain(call, &ENTRY, |setting| {
            Least::boxed(setting, |one| match one.in_progress {
                0 => 0.0,
                busy => f64::from(busy + 1) / one.weight,
            })
        })
    },
};
