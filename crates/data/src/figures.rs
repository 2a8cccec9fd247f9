//! The figures of a real run from its rows, as they come: for what is kept while it runs.

use thinktime_core::client::Limit;
use thinktime_core::record::{Collector, Ended, Row, Summary, Window};
use thinktime_core::time::Nanos;
use thinktime_core::workload::Workload;

/// The interval of the timeline.
const SECOND: Nanos = Nanos(1_000_000_000);

/// Collects what a killed run will be known by. The generator itself collects more.
#[derive(Debug)]
pub struct Figures {
    workload: Workload,
    limit: Limit,
    collector: Collector,
    /// When the last attempt ended.
    last: Nanos,
    sessions: u64,
}

impl Figures {
    /// For a run of this workload.
    #[must_use]
    pub fn new(workload: &Workload, limit: Limit) -> Figures {
        Figures {
            workload: workload.clone(),
            limit,
            collector: Collector::new(workload.requests.len(), limit, true, SECOND),
            last: Nanos::ZERO,
            sessions: 0,
        }
    }

    pub(crate) fn take(&mut self, row: &Row) {
        self.collector.add(row, Ended::InWindow);
        self.last = self.last.max(row.done);
        self.sessions = self.sessions.max(row.attempt.session + 1);
    }

    /// Whether there is anything yet.
    pub(crate) fn any(&self) -> bool {
        self.sessions > 0
    }

    pub(crate) fn collector(&self) -> &Collector {
        &self.collector
    }

    /// As if the run had ended with the last attempt.
    pub(crate) fn summary(&self) -> Summary {
        let end = self.last.min(self.limit.until);
        let window = Window { begin: self.limit.warmup.min(end), end };
        Summary::new("run", &self.workload, &self.collector, window, self.sessions)
    }
}
