//! Workload and system files: the tables that they consist of, and the units of their values.
//!
//! Only the form of a file is checked here; `thinktime-core` checks the values and builds what
//! runs. Reading and writing tables is most of what there is to compile, and little of what there
//! is to run: this crate is compiled with little optimisation.

pub mod error;
pub mod features;
pub mod schema;
pub mod system;
pub mod time;
pub mod units;
pub mod workload;
