//! The early end of a run whose objectives can no longer be met.

use std::cell::RefCell;

use thinktime_core::attempt::Page;
use thinktime_core::program::CheckCounts;
use thinktime_core::record::{ObjectiveOutOfReach, Objectives, Row, RowSink};
use thinktime_core::workload::Workload;

use crate::generator::plan::{Plan, RunProgress};

/// The time between two checks of the objectives, in seconds.
const LOOK_S: f64 = 1.0;

/// Watches the rows of a run, and reports when its objectives can no longer be met.
pub(crate) struct EarlyEnd {
    /// None if no objective may end the run.
    objectives: Option<RefCell<Objectives>>,
}

impl EarlyEnd {
    pub(crate) fn new(workload: &Workload, plan: &Plan) -> EarlyEnd {
        let objectives = Objectives::new(workload, plan.limit, plan.stop_on_slo);
        EarlyEnd { objectives: objectives.map(RefCell::new) }
    }

    /// The watcher of the progress: `watch`, and the objectives once a second. An objective that
    /// can no longer be met goes to `reason`.
    pub(crate) fn watch<'a>(
        &'a self,
        watch: &'a mut dyn FnMut(RunProgress) -> bool,
        reason: &'a mut Option<ObjectiveOutOfReach>,
    ) -> impl FnMut(RunProgress) -> bool + 'a {
        let mut next_look_s = LOOK_S;
        move |progress: RunProgress| {
            let goes_on = watch(progress);
            if let Some(objectives) = self.objectives.as_ref().filter(|_| goes_on)
                && progress.time_s >= next_look_s
            {
                next_look_s = progress.time_s + LOOK_S;
                let mut objectives = objectives.borrow_mut();
                *reason = objectives.out_of_reach(progress.time_s, progress.in_flight);
            }
            goes_on && reason.is_none()
        }
    }

    /// The sink for all rows.
    pub(crate) fn wrap<'a>(&'a self, sink: &'a mut dyn RowSink) -> ObservedSink<'a> {
        ObservedSink { objectives: self.objectives.as_ref(), sink }
    }
}

/// Rows that are checked on their way.
pub(crate) struct ObservedSink<'a> {
    objectives: Option<&'a RefCell<Objectives>>,
    sink: &'a mut dyn RowSink,
}

impl RowSink for ObservedSink<'_> {
    #[inline]
    fn row(&mut self, row: &Row) {
        if let Some(objectives) = self.objectives {
            objectives.borrow_mut().add(row);
        }
        self.sink.row(row);
    }

    fn page(&mut self, page: &Page) {
        if let Some(objectives) = self.objectives {
            objectives.borrow_mut().add_page(page);
        }
        self.sink.page(page);
    }

    fn checks(&mut self, so_far: &CheckCounts) {
        if let Some(objectives) = self.objectives {
            objectives.borrow_mut().checks(so_far);
        }
        self.sink.checks(so_far);
    }

    fn flush(&mut self) {
        self.sink.flush();
    }
}
