//! Shortest remaining processing time.

use super::{Discipline, Entry, Rank, Ties, no_arguments};

pub(super) const ENTRY: Entry =
    Entry::plain("srpt", "shortest remaining processing time first, preemptive", |call, _files| {
        no_arguments(call, "srpt")?;
        Ok(Discipline::new(Rank::Remaining, true, Ties::FirstCome))
    });
