//! The beginnings of failures' bodies.

use thinktime_core::program::Report;
use thinktime_core::secrets::KnownSecrets;

use crate::generator::plan::Plan;

/// The beginnings of failures' bodies, if configured, and the workload's secrets.
pub(crate) struct FailureBodies<'a> {
    pub(crate) began: Option<Report>,
    pub(crate) known: Option<&'a KnownSecrets>,
}

impl FailureBodies<'_> {
    pub(crate) fn of(plan: &Plan) -> Self {
        FailureBodies { began: plan.show_errors.then(Report::default), known: None }
    }

    /// The bodies, with other findings, and without secrets.
    pub(crate) fn merge_into(&mut self, report: Option<Report>) -> Option<Report> {
        let known = self.known.cloned().unwrap_or_default();
        Report::joined(report, self.began.take()).map(|report| report.without(&known))
    }
}
