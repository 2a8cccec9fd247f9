//! Statistics of times, in memory that does not grow with their number.

mod batches;
mod bins;
mod figures;
mod packed;
mod sections;
mod tally;
mod warmup;

pub use batches::{BatchMeans, MeanInterval, mean_interval_95, student_half_width_95};
pub(crate) use batches::{NORMAL_975, student_quantile_975};
pub use figures::TimeFigures;
pub use sections::Sections;
pub use tally::Tally;
pub(crate) use tally::{BATCHES, independent_needed};
pub use warmup::mser5;
