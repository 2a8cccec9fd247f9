//! The figures of each population.

use std::collections::BTreeMap;

use super::{Collector, PopulationFigures};
use crate::statistics::{Tally, TimeFigures};
use crate::workload::{Population, Workload};

/// The lengths of the sessions of all populations.
pub(super) fn session_figures(by_population: &[Tally]) -> Option<TimeFigures> {
    let mut all = Tally::default();
    by_population.iter().for_each(|one| all.merge(one));
    times_of(&all)
}

fn times_of(tally: &Tally) -> Option<TimeFigures> {
    (tally.count() > 0).then(|| tally.figures(None))
}

/// The figures of each population by name; empty if the workload names none.
pub(super) fn population_figures(
    workload: &Workload,
    collector: &Collector,
    duration_s: f64,
) -> BTreeMap<String, PopulationFigures> {
    let named = workload.populations.iter().filter(|one| !one.name.is_empty()).zip(0..);
    let figures = |(one, place): (&Population, usize)| {
        let mut tally = Tally::default();
        collector.responses()[one.kinds.clone()].iter().for_each(|kind| tally.merge(kind));
        let populations = &collector.populations;
        let alone = !populations.any();
        let batches = if alone { &collector.batches } else { &populations.batches[place] };
        let errors = collector.failures.of(|kind| one.kinds.contains(&(kind as usize)));
        let ci95 = batches.interval_95().map(|interval| interval.half_width * 1e-9);
        let requests = tally.count() + errors;
        let rate = if duration_s > 0.0 { requests as f64 / duration_s } else { 0.0 };
        let pages = collector.pages.figures(one.kinds.clone());
        let figures = PopulationFigures {
            model: one.model(),
            requests,
            errors,
            offered_rate: rate,
            response_time_s: tally.figures(ci95),
            pages: pages.map(|pages| pages.pages),
            page_errors: pages.map(|pages| pages.failed),
            page_response_time_s: pages.map(|pages| pages.response_time_s),
            session_time_s: collector.session_times.get(place).and_then(times_of),
        };
        (one.name.clone(), figures)
    };
    named.map(figures).collect()
}

impl Collector {
    /// By population, how long its sessions lasted.
    #[must_use]
    pub fn session_times(&self) -> &[Tally] {
        &self.session_times
    }
}
