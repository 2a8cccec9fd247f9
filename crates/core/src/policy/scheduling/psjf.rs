//! Preemptive shortest job first.

use super::{Discipline, Entry, Rank, Ties};

pub(super) const ENTRY: Entry = Entry {
    name: "psjf",
    summary: "preemptive shortest job first: always the smallest original service demand",
    discipline: Discipline { rank: Rank::Demand, preemptive: true, ties: Ties::FirstCome },
};
