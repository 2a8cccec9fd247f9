//! Where the event loops write down how requests ended, and how the rows of several loops become
//! one book in the order of time.

pub(crate) mod merger;
pub(crate) mod recorder;
pub(crate) mod trace_sample;
