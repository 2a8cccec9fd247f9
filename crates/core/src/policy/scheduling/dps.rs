//! Discriminatory processor sharing (Kleinrock, JACM 14, 1967).

use super::{Discipline, Entry, Rank, Ties, no_arguments};

pub(super) const ENTRY: Entry = Entry::plain(
    "dps",
    "discriminatory processor sharing: all jobs are served at once by one server, each at a share \
     in proportion to its weight, as the station's `weight.NAME` gives it; names without one have \
     a weight of 1",
    |call, _files| {
        no_arguments(call, "dps")?;
        Ok(Discipline::new(Rank::Weight, false, Ties::Share))
    },
);
