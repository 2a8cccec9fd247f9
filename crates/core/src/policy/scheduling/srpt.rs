//! Shortest remaining processing time.

use super::{Discipline, Entry, Rank, Ties};

pub(super) const ENTRY: Entry = Entry {
    name: "srpt",
    summary: "shortest remaining processing time first, preemptive",
    discipline: Discipline { rank: Rank::Remaining, preemptive: true, ties: Ties::FirstCome },
};
