//! Shortest job first, without preemption.

use super::{Discipline, Entry, Order, Rank, Ties, no_arguments};

pub(super) const ENTRY: Entry = Entry::plain(
    "sjf",
    "shortest job first: of those waiting, the smallest service demand",
    |call, _files| {
        no_arguments(call, "sjf")?;
        Ok(Discipline::new(Rank::Demand(Order::SmallestFirst), false, Ties::FirstCome))
    },
);
