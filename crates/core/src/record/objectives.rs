//! Whether all objectives of a workload can still be met, from what has been measured so far.

use super::Row;
use super::watched::Watched;
use crate::client::{Fate, Limit, Page};
use crate::workload::{Slo, Workload};

/// All objectives of a workload.
#[derive(Debug)]
pub struct Objectives {
    limit: Limit,
    /// By kind of request, the place of its population.
    population_of: Vec<usize>,
    groups: Vec<Group>,
}

/// The objectives of all requests, or of those of a population.
#[derive(Debug)]
struct Group {
    /// What stands before them in words.
    prefix: String,
    /// Whose they are; none where they are everybody's.
    population: Option<usize>,
    requests: Watched,
    pages: Watched,
}

impl Group {
    fn new(name: &str, population: Option<usize>, slo: &Slo, limit: Limit) -> Group {
        Group {
            prefix: if name.is_empty() { String::new() } else { format!("{name}: ") },
            population,
            requests: Watched::new(&slo.response_time_s, slo.errors, limit),
            pages: Watched::new(&slo.page_response_time_s, None, limit),
        }
    }
}

impl Objectives {
    /// The objectives of a run that ends at `limit`.
    #[must_use]
    pub fn new(workload: &Workload, limit: Limit) -> Objectives {
        let slo = &workload.slo;
        let all = Group::new("", None, slo, limit);
        let of =
            |(name, place, slo): &(String, usize, Slo)| Group::new(name, Some(*place), slo, limit);
        Objectives {
            limit,
            population_of: workload.requests.iter().map(|kind| kind.population as usize).collect(),
            groups: std::iter::once(all).chain(slo.populations.iter().map(of)).collect(),
        }
    }

    /// An attempt has ended. Retried ones and those of the warm-up do not count.
    pub fn add(&mut self, row: &Row) {
        if row.fate == Fate::Over && self.limit.counts(row.attempt.request_scheduled) {
            let response = row.done.since(row.attempt.request_scheduled);
            let response = row.error.is_none().then_some(response);
            self.groups_of(row.attempt.kind).for_each(|group| group.requests.take(response));
        }
    }

    /// A page is over.
    pub fn add_page(&mut self, page: &Page) {
        if self.limit.counts(page.scheduled) {
            let response = (!page.failed).then(|| page.done.since(page.scheduled));
            self.groups_of(page.kind).for_each(|group| group.pages.take(response));
        }
    }

    fn groups_of(&mut self, kind: u32) -> impl Iterator<Item = &mut Group> {
        let place = self.population_of.get(kind as usize).copied();
        let own = move |group: &&mut Group| group.population.is_none() || group.population == place;
        self.groups.iter_mut().filter(own)
    }

    /// The objective that can no longer be met, in words: after `time_s` seconds of the run, with
    /// so many requests on their way. To be asked about once a second.
    #[must_use]
    pub fn out_of_reach(&mut self, time_s: f64, in_flight: u64) -> Option<String> {
        let lost = |group: &mut Group| {
            let all = group.population.is_none();
            let requests = group.requests.out_of_reach(time_s, in_flight, all);
            let mut page = || group.pages.out_of_reach(time_s, in_flight, false);
            let found = requests.or_else(|| page().map(|words| format!("page_{words}")))?;
            Some(format!("{}{found}", group.prefix))
        };
        self.groups.iter_mut().find_map(lost)
    }
}
