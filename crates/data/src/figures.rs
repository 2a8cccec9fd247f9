//! The figures of a real run from its rows, as they arrive: for the checkpoints of a running
//! result.

use thinktime_core::limit::Limit;
use thinktime_core::record::{Collector, EndPhase, Row, Summary, Window};
use thinktime_core::time::Nanos;
use thinktime_core::workload::Workload;

/// The interval of the timeline.
const SECOND: Nanos = Nanos(1_000_000_000);

/// Collects the figures of a killed run. The generator itself collects more.
#[derive(Debug)]
pub struct Figures {
    workload: Workload,
    limit: Limit,
    collector: Collector,
    /// When the last attempt ended.
    last: Nanos,
    /// Sessions that began, by population.
    sessions: Vec<u64>,
    any: bool,
}

impl Figures {
    /// For a run of this workload.
    #[must_use]
    pub fn new(workload: &Workload, limit: Limit) -> Figures {
        Figures {
            workload: workload.clone(),
            limit,
            collector: Collector::of(workload, limit, true, SECOND),
            last: Nanos::ZERO,
            sessions: vec![0; workload.populations.len()],
            any: false,
        }
    }

    pub(crate) fn take(&mut self, row: &Row) {
        self.collector.add(row, EndPhase::InWindow);
        self.last = self.last.max(row.done);
        self.any = true;
        if let Some((population, number)) = row.attempt.population_and_number() {
            let begun = &mut self.sessions[population];
            *begun = (*begun).max(number + 1);
        }
    }

    /// Whether any row has arrived.
    pub(crate) fn any(&self) -> bool {
        self.any
    }

    pub(crate) fn collector(&self) -> &Collector {
        &self.collector
    }

    /// As if the run had ended with the last attempt.
    pub(crate) fn summary(&self) -> Summary {
        let end = self.last.min(self.limit.until);
        let window = Window { begin: self.limit.warmup.min(end), end };
        Summary::new("run", &self.workload, &self.collector, window, self.sessions.iter().sum())
    }
}
