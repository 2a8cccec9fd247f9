//! Results: the one row a request, and what is kept of many.
//!
//! `simulate` and `run` fill the same rows, and the same collector makes the same summary of
//! them, so that measured and simulated numbers can be laid side by side.

mod batches;
mod collector;
mod row;
mod summary;
mod tally;
mod timeline;

pub use batches::{BatchMeans, half_width_95};
pub use collector::{Collector, TIMEOUT, Window};
pub use row::{Row, RowSink};
pub use summary::{
    DemandFigures, RequestFigures, StationFigures, Summary, TimeFigures, request_figures,
};
pub use tally::Tally;
pub use timeline::{Cell, Timeline};
