//! Processor sharing.

use super::{Discipline, Entry, Rank, Ties};

pub(super) const ENTRY: Entry = Entry {
    name: "ps",
    summary: "processor sharing: all jobs are served at once, at equal shares of the servers",
    discipline: Discipline { rank: Rank::Equal, preemptive: false, ties: Ties::Share },
};
