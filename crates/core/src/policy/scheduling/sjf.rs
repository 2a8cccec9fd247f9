//! Shortest job first, without preemption.

use super::{Discipline, Entry, Rank, Ties};

pub(super) const ENTRY: Entry = Entry {
    name: "sjf",
    summary: "shortest job first: of those waiting, the smallest service demand",
    discipline: Discipline { rank: Rank::Demand, preemptive: false, ties: Ties::FirstCome },
};
