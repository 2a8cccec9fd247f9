//! Links: lines over which TCP carries requests and responses. The README beside describes them.

mod direction;
mod figures;
mod flight;
mod model;
mod node;
mod steps;
#[cfg(test)]
mod tests;
mod timer;
mod transfer;
mod window;

pub use figures::{Counts, LinkSummary};
pub use model::LinkModel;
pub(super) use node::Link;
pub(super) use steps::connections;
pub use thinktime_file::system::LinkTable;
pub use window::CongestionControl;
