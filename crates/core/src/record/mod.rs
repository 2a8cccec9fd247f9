//! Results: the one row a request, and the figures of many.
//!
//! `simulate` and `run` fill the same rows, and the same collector makes the same summary of them,
//! so that measured and simulated numbers can be compared directly.

mod annotations;
mod attainment;
mod by_population;
mod by_request;
mod collapse;
mod collector;
mod collector_input;
mod errors_in_words;
mod event_figures;
mod failures;
mod figures;
mod generators;
mod intervals;
mod links;
mod nodes;
mod objective_monitor;
mod objectives;
mod pages;
mod populations;
mod precision;
mod rate_shortfall;
mod rates;
mod replications;
mod row;
mod schema;
mod scripts;
mod served_batch;
mod sink;
mod starvation;
mod station_figures;
mod station_intervals;
mod streams;
mod summary;
mod timeline;
mod token_servers;
mod warnings;

pub use crate::attempt::EventTimes;
pub use annotations::{CheckFinding, CheckOutcome, CrossedLink};
pub use by_request::pool_requests;
pub use collapse::Collapse;
pub use collector::{Collector, EndPhase, Window};
pub use event_figures::GoodputFigures;
pub use failures::cause;
pub use figures::{
    Attainment, ClusterFigures, DemandFigures, GeneratorFigures, LimitFigures, MachineFigures,
    ObjectiveFigures, PopulationFigures, RequestFigures,
};
pub use generators::{GeneratorNode, RemoteRows};
pub use links::LinkFigures;
pub use objectives::{ObjectiveOutOfReach, Objectives};
pub use precision::{StopRule, check_precision};
pub use rate_shortfall::{RateShortfall, rate_shortfall};
pub use rates::Rates;
pub use replications::pool_sessions;
pub use row::Row;
pub use sink::{RowSink, RunProgress};
pub use starvation::Starvation;
pub use station_figures::{
    FlowIntervals, QueueFigures, ScaleFigures, StationFigures, StationRequestFigures,
};
pub use station_intervals::set_station_intervals;
pub use summary::Summary;
pub use timeline::{Cell, Timeline};
pub use token_servers::TokenServerFigures;
