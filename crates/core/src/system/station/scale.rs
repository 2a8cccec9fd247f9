//! A station whose number of servers changes: an autoscaler, a plan over time, or servers that are
//! turned on for the requests that wait.
//!
//! [`fleet::Fleet`] knows the rule, and counts servers; [`Ranked`] serves the requests on as many.
//! A server that goes finishes its request first: the first one that becomes free goes.

mod fleet;
mod model;
mod plan;
#[cfg(test)]
mod tests;
mod wishes;

use thinktime_file::time::Nanos;

use super::ranked::Ranked;
use super::summary::ScaleSummary;
use crate::random::{Purpose, StreamFamily};
use crate::system::jobs::{Handle, Jobs};
use fleet::{Fleet, Totals};
pub use model::ScaleModel;

#[derive(Debug)]
pub(super) struct Scale {
    engine: Ranked,
    fleet: Fleet,
    /// The servers that take requests.
    taking: u32,
    /// Those that go when they have finished their requests.
    leaving: u32,
    /// The places of servers that are not there.
    off: Vec<u32>,
    /// The number of requests there.
    number: u32,
    next: Nanos,
    /// When the measured time began, with the totals until then.
    began: (Nanos, Totals),
}

impl Scale {
    /// A station whose requests `engine` serves. Its draws are named by the seed and its number.
    pub(super) fn new(mut engine: Ranked, model: &ScaleModel, (seed, number): (u64, u64)) -> Scale {
        let draws = StreamFamily::new(seed, Purpose::Setup).member(number);
        let off = engine.without_servers();
        Scale {
            engine,
            fleet: Fleet::new(model.clone(), draws),
            taking: 0,
            leaving: 0,
            off,
            number: 0,
            next: Nanos::MAX,
            began: (Nanos::ZERO, Totals::default()),
        }
    }

    pub(super) fn next_event(&self) -> Nanos {
        self.next
    }

    /// A job arrives. Gives the next event, as all that follow.
    #[inline(never)]
    pub(super) fn arrive(&mut self, now: Nanos, handle: Handle, jobs: &mut Jobs) -> Nanos {
        self.fleet.catch_up(now);
        self.follow(now, jobs);
        self.number += 1;
        self.engine.arrive(now, handle, jobs);
        self.turn(now, jobs)
    }

    /// The event that is due now: gives the job that is done, if it is a completion. Completions
    /// come before changes of the number at the same instant.
    #[inline(never)]
    pub(super) fn advance(&mut self, now: Nanos, jobs: &mut Jobs) -> (Option<Handle>, Nanos) {
        if self.engine.next_event() > now {
            self.fleet.catch_up(now);
            return (None, self.turn(now, jobs));
        }
        let (done, gone) = self.engine.advance_and_go(now, self.leaving > 0, jobs);
        self.forget(gone);
        self.number -= u32::from(done.is_some());
        (done, self.turn(now, jobs))
    }

    /// A job leaves unfinished.
    #[inline(never)]
    pub(super) fn withdraw(
        &mut self,
        now: Nanos,
        (handle, in_service): (Handle, bool),
        jobs: &mut Jobs,
    ) -> Nanos {
        if in_service {
            let gone = self.engine.withdraw_and_go(now, handle, self.leaving > 0, jobs);
            self.forget(gone);
        } else {
            self.engine.leave_queue();
        }
        self.number -= 1;
        self.turn(now, jobs)
    }

    /// How long a job has been in service since it last began.
    pub(super) fn served(&self, now: Nanos, handle: Handle) -> Nanos {
        self.engine.servers.served(now, handle)
    }

    /// The measured time begins.
    pub(super) fn begin(&mut self, now: Nanos) {
        self.began = (now, self.fleet.totals(now));
    }

    /// The figures of the measured time.
    pub(super) fn summary(&self, now: Nanos) -> ScaleSummary {
        let (began, before) = self.began;
        self.fleet.totals(now).since(&before).summary(now.since(began))
    }

    fn forget(&mut self, gone: Option<u32>) {
        if let Some(slot) = gone {
            self.leaving -= 1;
            self.off.push(slot);
        }
    }

    /// The rule sees the present state, and the servers follow it. Nothing happens at an empty
    /// station: what has happened meanwhile is made up for when a request comes.
    fn turn(&mut self, now: Nanos, jobs: &mut Jobs) -> Nanos {
        self.note(now);
        self.fleet.see(now, self.number);
        self.follow(now, jobs);
        let events = || self.engine.next_event().min(self.fleet.next());
        self.next = if self.number == 0 { Nanos::MAX } else { events() };
        self.next
    }

    /// As many servers take requests as the fleet has.
    fn follow(&mut self, now: Nanos, jobs: &mut Jobs) {
        while self.taking < self.fleet.up() {
            let slot = self.off.pop().unwrap_or_else(|| self.engine.another_server());
            self.engine.open(now, slot, jobs);
            self.taking += 1;
        }
        while self.taking > self.fleet.up() {
            match self.engine.close_idle() {
                Some(slot) => self.off.push(slot),
                None => self.leaving += 1,
            }
            self.taking -= 1;
        }
        self.note(now);
    }

    /// The fleet learns how many servers are busy.
    fn note(&mut self, now: Nanos) {
        let busy = self.taking - self.engine.idle_servers();
        self.fleet.note(now, busy, self.leaving);
    }
}
