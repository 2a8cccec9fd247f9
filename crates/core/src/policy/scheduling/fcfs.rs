//! First come, first served.

use super::{Discipline, Entry, Rank, Ties, no_arguments};

pub(super) const ENTRY: Entry = Entry::plain("fcfs", "first come, first served", |call, _files| {
    no_arguments(call, "fcfs")?;
    Ok(Discipline::new(Rank::Equal, false, Ties::FirstCome))
});
