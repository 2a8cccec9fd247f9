//! Clusters: identical servers behind a switch, each with stations of its own or a machine.
//!
//! A request enters the cluster, is sent to a server by the dispatch policy, visits that server's
//! stations or the services of its machine, and leaves the cluster. The switch knows only the
//! requests that it sent and those that came back.

mod cache;
mod change;
mod effects;
mod figures;
mod fit;
mod gate;
mod machine;
mod model;
mod node;
mod part;
mod server;

pub use cache::CacheModel;
pub use change::{Change, Condition, Effect};
pub use figures::{ClusterSummary, ServerSummary};
pub use model::{ClusterModel, ServerStation};
pub(super) use node::{Cluster, GATE};
pub use thinktime_file::system::{CacheTable, ChangeTable, ClusterTable};

#[cfg(test)]
mod tests;
