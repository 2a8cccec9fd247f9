//! Workload files, system files and `run.toml`: the tables that they consist of, and the units of
//! their values.
//!
//! Only the form of a file is checked here; `thinktime-core` checks the values and builds what
//! runs. Code that reads and writes tables is large and seldom runs: this crate is compiled with
//! little optimisation.

pub mod error;
pub mod features;
pub mod run_file;
pub mod schema;
pub mod system;
pub mod time;
pub mod units;
pub mod workload;
