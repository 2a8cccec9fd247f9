//! Preemptive expected shortest job first.

use super::{Entry, Order, expected};

const USAGE: &str = "pesjf(error=DISTRIBUTION)";

pub(super) const ENTRY: Entry = Entry {
    usage: USAGE,
    example: "pesjf(error=lognormal(mu=0, sigma=0.5))",
    summary: "preemptive expected shortest job first: always the smallest expected demand, which \
              is the mean of the request's name or, with an error, the true demand times a draw",
    parse: |call, files| expected(call, USAGE, Order::SmallestFirst, files),
};
