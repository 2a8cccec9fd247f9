//! The metrics of scripts, and scripts that measure nothing because they fail.

use super::Collector;
use crate::program::Report;
use crate::statistics::TimeFigures;
use crate::words;

pub(super) fn metric_figures(report: &Report) -> impl Iterator<Item = (String, TimeFigures)> + '_ {
    report.metrics().iter().map(|(name, tally)| (name.clone(), tally.figures(None)))
}

impl Collector {
    /// Why a result of scripts is unreliable, if it is: nothing was measured because their sessions
    /// ended by errors.
    #[must_use]
    pub fn scripts_failed(&self) -> Option<String> {
        let failed = self.programs.iter().flat_map(Report::errors).map(|(_, count)| count);
        let failed = failed.sum::<u64>();
        (failed > 0 && self.counts.requests == 0).then(|| {
            let sessions = match failed {
                1 => "1 session".to_owned(),
                many => format!("{} sessions", words::count(many)),
            };
            format!("the script failed before its first request, in {sessions}")
        })
    }
}
