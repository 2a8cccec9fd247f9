//! Least attained service, also called foreground-background.

use super::{Discipline, Entry, Rank, Ties, no_arguments};

pub(super) const ENTRY: Entry = Entry::plain(
    "las",
    "least attained service (foreground-background): those served least so far share the servers",
    |call, _files| {
        no_arguments(call, "las")?;
        Ok(Discipline::new(Rank::Attained, true, Ties::Share))
    },
);
