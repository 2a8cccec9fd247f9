//! How long sessions last, from their first request to the end of the last one.

use thinktime_file::time::Nanos;

use super::Clients;
use super::population::{Population, Populations};
use crate::attempt::Ticket;
use crate::limit::Limit;
use crate::statistics::Tally;

/// The lengths of sessions that arrived by themselves in the time that counts, and have ended.
#[derive(Debug)]
pub(super) struct SessionTimes {
    limit: Limit,
    /// By slot, when its session arrived; never if that is not to be counted.
    arrived: Vec<Nanos>,
    by_population: Vec<Tally>,
}

impl SessionTimes {
    /// If sessions of several requests arrive by themselves: the times of those of one request are
    /// those of their requests.
    pub(super) fn of(populations: &Populations, limit: Limit) -> Option<SessionTimes> {
        let long = |one: &Population| {
            let planned = one.course.is_some() || one.programs.is_some();
            one.arrives() && (planned || !one.laws.one_request)
        };
        populations.iter().any(long).then(|| {
            let by_population = vec![Tally::default(); populations.iter().count()];
            SessionTimes { limit, arrived: Vec::new(), by_population }
        })
    }

    /// A session arrives, and begins its first request.
    #[inline(always)]
    pub(super) fn arrive(&mut self, now: Nanos, ticket: Ticket) {
        let slot = ticket.slot();
        if slot >= self.arrived.len() {
            self.arrived.resize(slot + 1, Nanos::MAX);
        }
        self.arrived[slot] = if self.limit.counts(now) { now } else { Nanos::MAX };
    }

    /// The session in this slot has ended.
    #[inline(always)]
    pub(super) fn end(&mut self, now: Nanos, slot: usize, population: u16) {
        let Some(arrived) = self.arrived.get_mut(slot) else { return };
        let began = std::mem::replace(arrived, Nanos::MAX);
        if !began.is_never() {
            self.by_population[usize::from(population)].add(now.since(began));
        }
    }
}

impl Clients {
    /// By population, how long its sessions lasted that have ended: from the first request to the
    /// end of the last one, thinking included. Those that were there before the run began, that
    /// arrived in its warm-up, or that its end cuts off are not counted. Empty if sessions have one
    /// request or never end.
    #[must_use]
    pub fn session_times(&self) -> &[Tally] {
        self.slots.times.as_ref().map_or(&[], |times| &times.by_population)
    }
}
