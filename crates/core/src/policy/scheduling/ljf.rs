//! Longest job first, without preemption.

use super::{Discipline, Entry, Order, Rank, Ties, no_arguments};

pub(super) const ENTRY: Entry = Entry::plain(
    "ljf",
    "longest job first: of those waiting, the largest service demand",
    |call, _files| {
        no_arguments(call, "ljf")?;
        Ok(Discipline::new(Rank::Demand(Order::LargestFirst), false, Ties::FirstCome))
    },
);
