//! Last come, first served, without preemption.

use super::{Discipline, Entry, Rank, Ties, no_arguments};

pub(super) const ENTRY: Entry = Entry::plain(
    "lcfs",
    "last come, first served: of those waiting, the newest",
    |call, _files| {
        no_arguments(call, "lcfs")?;
        Ok(Discipline::new(Rank::Equal, false, Ties::LastCome))
    },
);
