//! Everything of Thinktime that *behaves*, as state machines without I/O.
//!
//! Nothing here reads a clock, opens a socket, sleeps, starts a thread or draws from a global
//! generator. Machines get an event, the time `now` and their own random stream, and answer with
//! actions; `thinktime-sim` drives them with a virtual clock, `thinktime-net` with the wall clock.

pub mod arrival;
pub mod attempt;
mod calendar;
pub mod change;
pub mod client;
pub mod column;
pub mod data;
pub mod distribution;
pub mod failure;
pub mod files;
mod heap;
pub mod journey;
pub mod limit;
pub mod lru;
mod matrix;
pub mod notation;
pub mod options;
pub mod policy;
pub mod program;
mod queue;
pub mod random;
pub mod record;
pub mod replay;
pub mod request;
mod ring;
pub mod secrets;
pub mod share;
mod simd;
pub mod statistics;
pub mod system;
mod times;
pub mod trace;
pub mod words;
pub mod workload;

pub use thinktime_file::{error, run_file, schema, time, units, workload as file};
