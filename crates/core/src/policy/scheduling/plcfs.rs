//! Preemptive last come, first served.

use super::{Discipline, Entry, Rank, Ties, no_arguments};

pub(super) const ENTRY: Entry = Entry::plain(
    "plcfs",
    "preemptive last come, first served: always the newest",
    |call, _files| {
        no_arguments(call, "plcfs")?;
        Ok(Discipline::new(Rank::Equal, true, Ties::LastCome))
    },
);
