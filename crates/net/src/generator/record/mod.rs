//! Records the ends of requests, and merges the rows of several event loops in the order of time.

pub(crate) mod merger;
pub(crate) mod recorder;
pub(crate) mod trace_sample;
