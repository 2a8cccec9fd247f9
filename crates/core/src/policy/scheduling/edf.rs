//! Earliest deadline first.

use super::{Discipline, Entry, Rank, Ties, is_preemptive};
use crate::notation::Arguments;

const USAGE: &str = "edf(preemptive=yes)";

pub(super) const ENTRY: Entry = Entry {
    usage: USAGE,
    example: "edf(preemptive=no)",
    summary: "earliest deadline first: a request's deadline lies the station's `deadline.NAME` \
              after its arrival there; names without one come last",
    parse: |call, _files| {
        let mut arguments = Arguments::new(call, USAGE, &["preemptive"])?;
        let preemptive = is_preemptive(&mut arguments)?;
        arguments.finish()?;
        Ok(Discipline::new(Rank::Deadline, preemptive, Ties::FirstCome))
    },
};
