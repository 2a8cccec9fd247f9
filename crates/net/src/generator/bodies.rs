//! How the bodies of failures began.

use thinktime_core::program::Report;
use thinktime_core::secrets::KnownSecrets;

use super::plan::Plan;

/// How failures' bodies began, where that is asked for, and what is secret of the workload.
pub(super) struct Bodies<'a> {
    pub(super) began: Option<Report>,
    pub(super) known: Option<&'a KnownSecrets>,
}

impl Bodies<'_> {
    pub(super) fn of(plan: &Plan) -> Self {
        Bodies { began: plan.show_errors.then(Report::default), known: None }
    }

    /// What there is, with what else was found out, and without secrets.
    pub(super) fn joined(&mut self, report: Option<Report>) -> Option<Report> {
        let known = self.known.cloned().unwrap_or_default();
        Report::joined(report, self.began.take()).map(|report| report.without(&known))
    }
}
