//! Service in random order, without preemption.

use super::{Discipline, Entry, Rank, Ties, no_arguments};

pub(super) const ENTRY: Entry = Entry::plain(
    "siro",
    "service in random order: of those waiting, any with the same probability",
    |call, _files| {
        no_arguments(call, "siro")?;
        Ok(Discipline::new(Rank::Random, false, Ties::FirstCome))
    },
);
