//! One population of the clients: the source of its sessions, and their common properties.

use std::collections::VecDeque;
use std::ops::{Index, IndexMut};

use thinktime_file::time::Nanos;
use thinktime_file::workload::OnError;

use crate::attempt::SESSIONS;

use super::Clients;
use super::breaker::Breaker;
use super::budget::Budget;
use super::course::Course;
use super::laws::Laws;
use crate::arrival::Arrivals;
use crate::attempt::Ticket;
use crate::limit::Limit;
use crate::program::Programs;
use crate::share::Share;
use crate::workload::{ClientLimits, Sessions, Workload};

/// One population.
#[derive(Debug)]
pub(super) struct Population {
    pub(super) source: Source,
    /// The arrival of its next session; never, once no further one arrives.
    pub(super) next: Nanos,
    /// Its place in the workload.
    pub(super) place: u16,
    /// The number of its first session.
    first_session: u64,
    pub(super) laws: Laws,
    /// The course of sessions that browse; `None` if each request is drawn by itself.
    pub(super) course: Option<Course>,
    pub(super) limits: ClientLimits,
    pub(super) budget: Option<Budget>,
    pub(super) breaker: Option<Box<Breaker>>,
    pub(super) programs: Option<Box<dyn Programs>>,
    /// Whether a session ends when one of its requests has failed for good.
    pub(super) ends_on_error: bool,
    /// Whether no session of it will begin a request any more.
    pub(super) ended: bool,
    /// Turns of programs since the last one that asked for a request.
    pub(super) idle_turns: u64,
    /// Sessions of programs that ended since the last request.
    pub(super) idle_sessions: u64,
    /// Requests that programs have asked for and that have not begun yet.
    pub(super) wanted: u64,
    /// Attempts in flight, including those that inherited another's place.
    pub(super) in_flight: u64,
    /// Attempts that wait until others have ended.
    pub(super) waiting: VecDeque<Ticket>,
    /// Sessions that have begun, including those of `left_out`.
    pub(super) sessions_begun: u64,
    /// Sessions that another process began.
    pub(super) left_out: u64,
}

/// All populations, in the order of the workload. The first is stored inline, so that a single
/// population costs its sessions no list access.
#[derive(Debug)]
pub(super) struct Populations {
    first: Population,
    others: Vec<Population>,
}

impl Populations {
    /// The populations of a share of the workload.
    pub(super) fn new(workload: &Workload, share: Share) -> Populations {
        let of = |place| Population::new(workload, place, share);
        Populations { first: of(0), others: (1..workload.populations.len()).map(of).collect() }
    }

    /// The only population; `None` if there are several.
    #[inline(always)]
    pub(super) fn only(&self) -> Option<&Population> {
        self.others.is_empty().then_some(&self.first)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Population> {
        std::iter::once(&self.first).chain(&self.others)
    }
}

impl Index<usize> for Populations {
    type Output = Population;

    #[inline(always)]
    fn index(&self, place: usize) -> &Population {
        if place == 0 { &self.first } else { &self.others[place - 1] }
    }
}

impl IndexMut<usize> for Populations {
    #[inline(always)]
    fn index_mut(&mut self, place: usize) -> &mut Population {
        if place == 0 { &mut self.first } else { &mut self.others[place - 1] }
    }
}

/// The source of sessions.
#[derive(Debug)]
pub(super) enum Source {
    Arriving(Box<Arrivals>),
    Fixed,
}

impl Population {
    /// A share of the population in this place of the workload.
    pub(super) fn new(workload: &Workload, place: usize, share: Share) -> Population {
        let of = &workload.populations[place];
        let seed = workload.population_seed(place);
        let mut left_out = 0;
        let (source, next) = match &of.sessions {
            Sessions::Closed { .. } => (Source::Fixed, Nanos::MAX),
            Sessions::Open { arrivals } | Sessions::PartlyOpen { arrivals, .. } => {
                let mut arrivals = Box::new(arrivals.arrivals(seed));
                let mut next = share.first(|| arrivals.next_arrival());
                while next < share.from {
                    next = share.next(|| arrivals.next_arrival());
                    left_out += 1;
                }
                (Source::Arriving(arrivals), next)
            }
        };
        let mut limits = of.clients.of_share(share);
        let programs = of.programs.as_ref();
        Population {
            source,
            next,
            place: place as u16,
            first_session: place as u64 * SESSIONS,
            laws: Laws::new(workload, place),
            course: of.browses().then(|| Course::new(workload, place)),
            budget: limits.retry_budget.map(Budget::new),
            breaker: limits.breaker.take().map(|rules| Box::new(Breaker::new(*rules))),
            limits,
            programs: programs.map(|source| source.programs_of_share(seed, &of.data, share)),
            ends_on_error: of.browsing.on_error == OnError::End,
            ended: false,
            idle_turns: 0,
            idle_sessions: 0,
            wanted: 0,
            in_flight: 0,
            waiting: VecDeque::new(),
            sessions_begun: left_out,
            left_out,
        }
    }

    /// Whether its sessions arrive by themselves.
    #[inline(always)]
    pub(super) fn arrives(&self) -> bool {
        matches!(self.source, Source::Arriving(_))
    }

    /// The number of its `number`-th session.
    #[inline(always)]
    pub(super) fn session(&self, number: u64) -> u64 {
        self.first_session + number
    }

    /// Its next session begins, which is due now; gives its number.
    #[inline(always)]
    pub(super) fn begin_session(&mut self, share: Share) -> u64 {
        if let Source::Arriving(arrivals) = &mut self.source {
            self.next = share.next(|| arrivals.next_arrival());
        }
        let session = self.session(share.session(self.sessions_begun));
        self.sessions_begun += 1;
        session
    }

    /// Whether its programs say that no session will make a further request. If the run has an end
    /// in time, arrivals may still come until then: a time without them is part of the workload.
    pub(super) fn is_exhausted(&self, limit: &Limit) -> bool {
        let waits = self.arrives() && !limit.until.is_never();
        let exhausted = self.programs.as_ref().is_some_and(|programs| programs.exhausted());
        self.wanted == 0 && !waits && exhausted
    }
}

impl Clients {
    /// Whether no further session arrives, although fewer requests than wanted have begun.
    #[must_use]
    pub fn arrivals_ran_out(&self) -> bool {
        let mut arriving = self.populations.iter().filter(|one| one.arrives());
        self.arriving
            && self.limit.until.is_never()
            && self.launched < self.limit.requests
            && arriving.all(|one| one.next.is_never())
    }

    /// The population of a session.
    #[inline(always)]
    pub(super) fn population_of(&mut self, ticket: Ticket) -> &mut Population {
        let place = self.slots.get(ticket).population;
        &mut self.populations[usize::from(place)]
    }
}
