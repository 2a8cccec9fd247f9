//! Processor sharing.

use super::{Discipline, Entry, Rank, Ties, no_arguments};

pub(super) const ENTRY: Entry = Entry::plain(
    "ps",
    "processor sharing: all jobs are served at once, at equal shares of the servers",
    |call, _files| {
        no_arguments(call, "ps")?;
        Ok(Discipline::new(Rank::Equal, false, Ties::Share))
    },
);
