//! What a collection says against itself.

use super::Collector;
use crate::program::Report;
use crate::statistics::MeanInterval;
use crate::words;

pub(super) const CORRELATED: &str = "the run is too short: even its longest batches depend on one \
                                    another, so the interval of the mean is too narrow";

pub(super) const NO_REQUEST: &str =
    "no request was begun in the measured time, or none of them ended";

/// The first warnings of a summary.
pub(super) fn first_warnings(collector: &Collector, interval: Option<MeanInterval>) -> Vec<String> {
    let mut warnings = Vec::new();
    for (message, count) in collector.programs.iter().flat_map(Report::errors) {
        let (number, plural) = (words::count(*count), if *count == 1 { "" } else { "s" });
        warnings.push(format!("the script ended {number} session{plural}: {message}"));
    }
    warnings.extend(collector.programs.iter().flat_map(Report::warnings).cloned());
    warnings.extend(collector.programs.iter().flat_map(Report::missed));
    if collector.counts.requests == 0 {
        warnings.push(NO_REQUEST.to_owned());
    }
    if interval.is_some_and(|one| one.correlated) {
        warnings.push(CORRELATED.to_owned());
    }
    warnings
}
