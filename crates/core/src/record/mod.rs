//! Results: the one row a request, and what is kept of many.
//!
//! `simulate` and `run` fill the same rows, and the same collector makes the same summary of
//! them, so that measured and simulated numbers can be laid side by side.

mod batches;
mod bins;
mod by_request;
mod collapse;
mod collector;
mod errors;
mod failures;
mod figures;
mod generators;
mod intervals;
mod links;
mod objectives;
mod offered;
mod packed;
mod pages;
mod populations;
mod recent;
mod row;
mod scripts;
mod sections;
mod starved;
mod summary;
mod tally;
mod timeline;
mod verdict;
mod warmup;
mod watched;
mod word;

pub use batches::{BatchMeans, MeanInterval, student_half_width_95};
pub use collapse::Collapse;
pub use collector::{Collector, Ended, Window};
pub use errors::{LATE, STATUS, TIMEOUT, UNANSWERED, UNSENT};
pub use failures::cause;
pub use figures::{
    ClusterFigures, DemandFigures, GeneratorFigures, MachineFigures, PoolFigures,
    PopulationFigures, RequestFigures, StationFigures, TimeFigures,
};
pub use generators::{GeneratorNode, RowsThere};
pub use links::LinkFigures;
pub use objectives::{Lost, Objectives};
pub use offered::{RateMissed, rate_missed};
pub use row::{Row, RowSink, SoFar};
pub use sections::Sections;
pub use starved::Starved;
pub use summary::Summary;
pub use tally::Tally;
pub use timeline::{Cell, Timeline};
pub use verdict::{ObjectiveFigures, Verdict};
pub use warmup::mser5;
pub use word::{Word, made_word};
