//! Preemptive expected longest job first.

use super::{Entry, Order, expected};

const USAGE: &str = "peljf(error=DISTRIBUTION)";

pub(super) const ENTRY: Entry = Entry {
    usage: USAGE,
    example: "peljf(error=lognormal(mu=0, sigma=0.5))",
    summary: "preemptive expected longest job first: always the largest expected demand, which is \
              the mean of the request's name or, with an error, the true demand times a draw",
    parse: |call, files| expected(call, USAGE, Order::LargestFirst, files),
};
