//! The figures of each population, if there are several.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Collector, PopulationFigures, Summary};
use crate::statistics::{BatchMeans, Tally};
use crate::workload::{Population, Workload};

/// By population, the figures that sums over its kinds of request do not give.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Populations {
    /// By kind, the place of its population; empty if there is one population.
    of_kind: Vec<u32>,
    /// Of response times in nanoseconds.
    batches: Vec<BatchMeans>,
}

impl Populations {
    pub(super) fn new(workload: &Workload) -> Populations {
        let number = workload.populations.len();
        if number == 1 {
            return Populations::default();
        }
        Populations {
            of_kind: workload.requests.iter().map(|kind| kind.population).collect(),
            batches: vec![BatchMeans::default(); number],
        }
    }

    /// A request of this kind succeeded after this many nanoseconds.
    #[inline]
    pub(super) fn add(&mut self, kind: u32, response_ns: u64) {
        if let Some(place) = self.of_kind.get(kind as usize) {
            self.batches[*place as usize].add(response_ns as f64);
        }
    }

    /// Whether there are several.
    pub(super) fn any(&self) -> bool {
        !self.of_kind.is_empty()
    }
}

impl Summary {
    /// The figures of each population by name; empty if the workload names none.
    pub(super) fn populations_of(
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
            };
            (one.name.clone(), figures)
        };
        named.map(figures).collect()
    }
}
