//! First come, first served.

use super::{Discipline, Entry, Rank, Ties};

pub(super) const ENTRY: Entry = Entry {
    name: "fcfs",
    summary: "first come, first served",
    discipline: Discipline { rank: Rank::Equal, preemptive: false, ties: Ties::FirstCome },
};
