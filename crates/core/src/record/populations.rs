//! What is collected by population, if there are several.

use serde::{Deserialize, Serialize};

use crate::statistics::BatchMeans;
use crate::workload::Workload;

/// By population, the figures that sums over its kinds of request do not give.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Populations {
    /// By kind, the place of its population; empty if there is one population.
    of_kind: Vec<u32>,
    /// Of response times in nanoseconds.
    pub(super) batches: Vec<BatchMeans>,
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
