//! Preemptive shortest job first.

use super::{Discipline, Entry, Order, Rank, Ties, no_arguments};

pub(super) const ENTRY: Entry = Entry::plain(
    "psjf",
    "preemptive shortest job first: always the smallest original service demand",
    |call, _files| {
        no_arguments(call, "psjf")?;
        Ok(Discipline::new(Rank::Demand(Order::SmallestFirst), true, Ties::FirstCome))
    },
);
