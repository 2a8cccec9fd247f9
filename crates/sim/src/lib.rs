//! The virtual driver: clients and a modelled system, on a virtual clock.
//!
//! [`simulate`] runs a workload against a system model as fast as the machine can, once or in
//! independent replications on all cores. The result depends only on its inputs: not on the number
//! of threads, not on the time of day.

mod cluster_findings;
mod driver;
mod failure;
mod findings;
mod fixed_demands;
mod heavy_tail;
mod load;
mod modelled_system;
mod node_figures;
mod outcome;
mod overload;
mod pilot;
mod plan;
mod progress;
mod remote;
mod replication;
mod replications;
mod samples;
mod simulate;
mod turns;

pub use driver::ProgressLimits;
pub use failure::SimulationError;
pub use fixed_demands::response_times;
pub use load::{FINE, at_load, offered_load};
pub use outcome::SimulationOutcome;
pub use plan::{Plan, WarmUp};
pub use progress::{Control, SimulationProgress};
pub use remote::{RemoteReplication, RemoteReplications};
pub use replication::replicate_as_bytes;
pub use simulate::{simulate, simulate_with};
