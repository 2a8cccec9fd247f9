//! Whether the objectives of a workload can still be met, from what has been measured so far.

use super::Row;
use super::watched::Watched;
use crate::client::{Fate, Limit, Page};
use crate::workload::{Figure, Objective, Of, Workload};

/// Objectives that are watched as a run goes on.
#[derive(Debug)]
pub struct Objectives {
    limit: Limit,
    watched: Vec<One>,
}

#[derive(Debug)]
struct One {
    /// Its place among the workload's objectives.
    place: usize,
    figure: Figure,
    /// By kind of request, whether it is about them.
    about: Vec<bool>,
    /// What stands before it in words.
    prefix: String,
    watched: Watched,
}

impl One {
    fn is_about(&self, kind: u32) -> bool {
        self.about.get(kind as usize).is_some_and(|about| *about)
    }
}

/// An objective that can no longer be met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// Its place among the workload's objectives.
    pub place: usize,
    /// Which it is and how much is wanted, in words.
    pub words: String,
}

impl Objectives {
    /// Those for which a run that ends at `limit` may end early: `all`, or the ones of which the
    /// workload says so. None where there are none; what checks are to hold is told at the end.
    #[must_use]
    pub fn new(workload: &Workload, limit: Limit, all: bool) -> Option<Objectives> {
        let objectives = workload.slo.objectives.iter().enumerate();
        let wanted = objectives
            .filter(|(_, one)| (all || one.abort) && one.figure != Figure::Checks)
            .map(|(place, one)| watched(workload, limit, place, one));
        let watched: Vec<One> = wanted.collect();
        (!watched.is_empty()).then_some(Objectives { limit, watched })
    }

    /// An attempt has ended. Retried ones and those of the warm-up do not count.
    pub fn add(&mut self, row: &Row) {
        if row.fate == Fate::Over && self.limit.counts(row.attempt.request_scheduled) {
            let response = row.done.since(row.attempt.request_scheduled);
            let response = row.error.is_none().then_some(response);
            let kind = row.attempt.kind;
            let own = |one: &&mut One| !one.is_of_pages() && one.is_about(kind);
            self.watched.iter_mut().filter(own).for_each(|one| one.watched.take(response));
        }
    }

    /// A page is over.
    pub fn add_page(&mut self, page: &Page) {
        if self.limit.counts(page.scheduled) {
            let response = (!page.failed).then(|| page.done.since(page.scheduled));
            let own = |one: &&mut One| one.is_of_pages() && one.is_about(page.kind);
            self.watched.iter_mut().filter(own).for_each(|one| one.watched.take(response));
        }
    }

    /// The objective that can no longer be met: after `time_s` seconds of the run, with so many
    /// requests on their way. To be asked about once a second.
    #[must_use]
    pub fn out_of_reach(&mut self, time_s: f64, in_flight: u64) -> Option<Lost> {
        self.watched.iter_mut().find_map(|one| {
            let all = one.about.iter().all(|about| *about) && !one.is_of_pages();
            let found = one.watched.out_of_reach(time_s, in_flight, all)?;
            let page = if one.is_of_pages() { "page_" } else { "" };
            let words = format!("{}{page}{found}", one.prefix);
            Some(Lost { place: one.place, words })
        })
    }
}

impl One {
    fn is_of_pages(&self) -> bool {
        matches!(self.figure, Figure::Page(_))
    }
}

fn watched(workload: &Workload, limit: Limit, place: usize, objective: &Objective) -> One {
    let Objective { figure, of, limit: most, .. } = objective;
    let about = workload.requests.iter().map(|kind| match of {
        Of::All | Of::Check(_) => true,
        Of::Population(_, place) => kind.population as usize == *place,
        Of::Request(name) => kind.name == *name,
    });
    let watched = match figure {
        Figure::Response(name) | Figure::Page(name) => Watched::of_time(name, *most, limit),
        Figure::Errors | Figure::Checks => Watched::of_errors(*most, limit),
    };
    One {
        place,
        figure: *figure,
        about: about.collect(),
        prefix: of.name().map_or(String::new(), |name| format!("{name}: ")),
        watched,
    }
}
