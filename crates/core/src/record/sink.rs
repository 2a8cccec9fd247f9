//! The receiver of a run's rows.

use super::{Collector, Row, Summary};
use crate::attempt::Page;
use crate::program::CheckCounts;

/// Takes the rows of a run one by one, in the order in which attempts end.
pub trait RowSink {
    /// Takes one row.
    fn row(&mut self, row: &Row);

    /// Whether it uses rows at all; they take time to make. May not change.
    fn wants_rows(&self) -> bool {
        true
    }

    /// Takes a page that has ended, after the row of its last request.
    fn page(&mut self, _page: &Page) {}

    /// Reports once a second how often checks have held so far, if objectives of checks may end the
    /// run.
    fn checks(&mut self, _so_far: &CheckCounts) {}

    /// Called several times a second: the sink now sends the rows that wait in it.
    fn flush(&mut self) {}

    /// Called several times a second by drivers that collect figures: the sink may ask for the
    /// figures so far, which costs milliseconds.
    fn look(&mut self, _so_far: &dyn Fn() -> RunProgress) {}
}

/// The figures of a run that has not ended yet.
#[derive(Clone, Debug)]
pub struct RunProgress {
    /// The figures if it ended now.
    pub summary: Summary,
    /// Everything collected.
    pub collector: Collector,
}

/// Keeps nothing.
impl RowSink for () {
    fn row(&mut self, _row: &Row) {}

    fn wants_rows(&self) -> bool {
        false
    }
}

/// Keeps all rows in memory.
impl RowSink for Vec<Row> {
    fn row(&mut self, row: &Row) {
        self.push(*row);
    }
}
