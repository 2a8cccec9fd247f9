//! A station whose speed varies: with the number of requests there, while it has failed, and while
//! it is set up.
//!
//! Another engine serves the requests, by a clock of the station's own that goes as fast as each
//! busy server. So no scheduling policy need know of speeds. An event is a completion by that
//! clock, or a change of the speed.

mod failures;
mod model;
mod setups;

use thinktime_file::time::Nanos;

use super::Engine;
use crate::random::{Purpose, StreamFamily};
use crate::system::clock::Clock;
use crate::system::jobs::{Handle, Jobs};
use failures::Failures;
pub use model::PaceModel;
use setups::Setups;

#[derive(Debug)]
pub(in super::super) struct Pace {
    /// It serves by the own clock, as if each busy server had a speed of 1.
    engine: Engine,
    clock: Clock,
    servers: f64,
    /// As those of the model.
    rates: Vec<f64>,
    failures: Option<Failures>,
    setups: Option<Setups>,
    /// The number of requests there.
    number: usize,
    next: Nanos,
}

impl Pace {
    /// A station of this many servers, which `engine` serves. Its draws are named by the seed and
    /// its number.
    pub(super) fn new(
        engine: Engine,
        model: &PaceModel,
        servers: u32,
        (seed, number): (u64, u64),
    ) -> Pace {
        let draws = |purpose| StreamFamily::new(seed, purpose).member(number);
        let failures =
            |law: &model::FailureLaw| Failures::new(law.clone(), draws(Purpose::Failure));
        let setups = |law: &model::SetupLaw| Setups::new(law.clone(), draws(Purpose::Setup));
        Pace {
            engine,
            clock: Clock::new(),
            servers: servers.into(),
            rates: model.rates.clone(),
            failures: model.failure.as_ref().map(failures),
            setups: model.setup.as_ref().map(setups),
            number: 0,
            next: Nanos::MAX,
        }
    }

    pub(super) fn next_event(&self) -> Nanos {
        self.next
    }

    /// A job arrives. Gives the next event, as all that follow.
    #[inline(never)]
    pub(super) fn arrive(&mut self, now: Nanos, handle: Handle, jobs: &mut Jobs) -> Nanos {
        if self.number == 0 {
            self.failures.iter_mut().for_each(|one| one.catch_up(now));
            self.setups.iter_mut().for_each(|one| one.begin(now));
        }
        self.number += 1;
        self.engine.arrive(self.clock.own(now), handle, jobs);
        self.turn(now)
    }

    /// The event that is due now: gives the job that is done, if it is a completion.
    #[inline(never)]
    pub(super) fn advance(&mut self, now: Nanos, jobs: &mut Jobs) -> (Option<Handle>, Nanos) {
        let due = self.engine.next_event();
        if self.clock.at(due) > now {
            self.failures.iter_mut().for_each(|one| one.catch_up(now));
            return (None, self.turn(now));
        }
        let (done, _) = self.engine.advance(due, jobs);
        if done.is_some() {
            self.leave(now);
        }
        (done, self.turn(now))
    }

    /// A job leaves unfinished.
    #[inline(never)]
    pub(super) fn withdraw(
        &mut self,
        now: Nanos,
        (handle, in_service): (Handle, bool),
        jobs: &mut Jobs,
    ) -> Nanos {
        self.engine.withdraw(self.clock.own(now), (handle, in_service), jobs);
        self.leave(now);
        self.turn(now)
    }

    /// The service that a present job has had.
    pub(super) fn served(&mut self, now: Nanos, handle: Handle, jobs: &Jobs) -> Nanos {
        self.engine.served(self.clock.own(now), handle, jobs)
    }

    fn leave(&mut self, now: Nanos) {
        self.number -= 1;
        if self.number == 0 {
            self.setups.iter_mut().for_each(|one| one.end(now));
        }
    }

    /// Takes the speed of the present state. Nothing happens at an empty station: what has happened
    /// meanwhile is made up for when a request comes.
    fn turn(&mut self, now: Nanos) -> Nanos {
        let is_ready = self.setups.as_ref().is_none_or(|one| one.is_ready(now));
        let works = is_ready && self.number > 0;
        self.failures.iter_mut().for_each(|one| one.set_work(now, works));
        if self.number == 0 {
            self.next = Nanos::MAX;
            return self.next;
        }
        let is_up = self.failures.as_ref().is_none_or(Failures::is_up);
        let speed = if works && is_up { self.speed() } else { 0.0 };
        if speed != self.clock.speed() {
            self.clock.set_speed(now, speed);
        }
        let failure = self.failures.as_ref().map_or(Nanos::MAX, Failures::next);
        let setup = self.setups.as_ref().map_or(Nanos::MAX, |one| one.next(now));
        self.next = self.clock.at(self.engine.next_event()).min(failure).min(setup);
        self.next
    }

    /// The speed of each busy server, if the station works.
    fn speed(&self) -> f64 {
        match self.rates.get(self.number - 1).or(self.rates.last()) {
            None => 1.0,
            Some(total) => total / self.servers.min(self.number as f64),
        }
    }
}

#[cfg(test)]
pub(in super::super) mod tests;
