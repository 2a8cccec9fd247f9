//! How the bodies of failures began.

use thinktime_core::program::Report;
use thinktime_core::secrets::KnownSecrets;

use crate::generator::plan::Plan;

/// How failures' bodies began, where that is asked for, and what is secret of the workload.
pub(crate) struct FailureBodies<'a> {
    pub(crate) began: Option<Report>,
    pub(crate) known: Option<&'a KnownSecrets>,
}

impl FailureBodies<'_> {
    pub(crate) fn of(plan: &Plan) -> Self {
        FailureBodies { began: plan.show_errors.then(Report::default), known: None }
    }

    /// What there is, with what else was found out, and without secrets.
    pub(crate) fn merge_into(&mut self, report: Option<Report>) -> Option<Report> {
        let known = self.known.cloned().unwrap_or_default();
        Report::joined(report, self.began.take()).map(|report| report.without(&known))
    }
}
