//! A circuit breaker: after failures it turns attempts away for a while, and then lets a few try.
//!
//! It is asked when an attempt would be sent. Closed, it lets all through; open, none; half-open,
//! its trials. Ends of attempts that were sent before it last changed are ignored, because they say
//! nothing about the server since (M. Nygard, Release It!, 2nd edition, 2018, "Circuit Breaker").

use std::collections::VecDeque;

use thinktime_file::time::Nanos;

use super::action::Refusal;
use super::{ClientAction, Clients};
use crate::attempt::Ticket;
use crate::request::Cause;
use crate::workload::{BreakerRules, Trip};

/// The breaker of a population.
#[derive(Debug)]
pub(super) struct Breaker {
    rules: BreakerRules,
    state: State,
    /// When that state began.
    since: Nanos,
}

#[derive(Debug)]
enum State {
    Closed(Ends),
    Open,
    HalfOpen { sent: u32, succeeded: u32 },
}

/// The ends of attempts of a closed breaker that may open it.
#[derive(Debug, Default)]
struct Ends {
    /// Failures since the last success, if they are counted in a row.
    in_a_row: u32,
    /// Recent ends and whether the attempts failed, if shares are taken.
    recent: VecDeque<(Nanos, bool)>,
    /// How many of these failed.
    failed: u64,
}

impl Ends {
    /// An attempt ended; says whether that opens the breaker.
    fn trips(&mut self, now: Nanos, failed: bool, trip: Trip) -> bool {
        match trip {
            Trip::InARow(most) => {
                self.in_a_row = if failed { self.in_a_row + 1 } else { 0 };
                self.in_a_row >= most
            }
            Trip::Share { share, window, least } => {
                self.recent.push_back((now, failed));
                self.failed += u64::from(failed);
                while let Some((at, failed)) = self.recent.front()
                    && now.since(*at) >= window
                {
                    self.failed -= u64::from(*failed);
                    self.recent.pop_front();
                }
                let all = self.recent.len() as u64;
                all >= u64::from(least) && self.failed as f64 >= share * all as f64
            }
        }
    }
}

impl Breaker {
    pub(super) fn new(rules: BreakerRules) -> Breaker {
        Breaker { rules, state: State::Closed(Ends::default()), since: Nanos::ZERO }
    }

    /// Whether an attempt may be sent now.
    pub(super) fn would_admit(&self, now: Nanos) -> bool {
        match self.state {
            State::Closed(_) => true,
            State::Open => now >= self.since + self.rules.open,
            State::HalfOpen { sent, .. } => sent < self.rules.trials,
        }
    }

    /// An attempt would be sent now: says whether it may, and counts it then.
    pub(super) fn admit(&mut self, now: Nanos) -> bool {
        if !self.would_admit(now) {
            return false;
        }
        match &mut self.state {
            State::Closed(_) => {}
            State::Open => self.change(now, State::HalfOpen { sent: 1, succeeded: 0 }),
            State::HalfOpen { sent, .. } => *sent += 1,
        }
        true
    }

    /// An attempt ended that was sent then, and failed or not.
    pub(super) fn note(&mut self, now: Nanos, sent_at: Nanos, failed: bool) {
        if sent_at < self.since {
            return;
        }
        match &mut self.state {
            State::Closed(ends) => {
                if ends.trips(now, failed, self.rules.trip) {
                    self.change(now, State::Open);
                }
            }
            State::Open => {}
            State::HalfOpen { .. } if failed => self.change(now, State::Open),
            State::HalfOpen { succeeded, .. } => {
                *succeeded += 1;
                if *succeeded == self.rules.trials {
                    self.change(now, State::Closed(Ends::default()));
                }
            }
        }
    }

    /// An attempt that was sent then was given up without a verdict: another may try instead.
    pub(super) fn forget(&mut self, sent_at: Nanos) {
        if sent_at >= self.since
            && let State::HalfOpen { sent, .. } = &mut self.state
        {
            *sent -= 1;
        }
    }

    fn change(&mut self, now: Nanos, state: State) {
        (self.state, self.since) = (state, now);
    }
}

impl Clients {
    /// As [`Breaker::note`], of the attempt that this ticket names, and its error and status.
    #[inline(never)]
    pub(super) fn note_end(
        &mut self,
        now: Nanos,
        ticket: Ticket,
        failed: bool,
        (error, status): (Option<&str>, u16),
    ) {
        let Some(attempt) = self.slots.in_flight(ticket) else { return };
        if let Some(breaker) = &mut self.population_of(ticket).breaker {
            let failed = failed && Cause::any(&breaker.rules.on, error, status);
            breaker.note(now, attempt.due, failed);
        }
    }

    /// As [`Clients::send_or_wait`], if a breaker must let the attempt through: at once if it has a
    /// place. One that would wait for a place fails now if it would fail now with one.
    #[inline(never)]
    pub(super) fn send_if_admitted(&mut self, now: Nanos, ticket: Ticket) -> ClientAction {
        let population = self.population_of(ticket);
        let has_place = population.in_flight < population.limits.concurrency;
        let admitted = population.breaker.as_mut().is_none_or(|breaker| match has_place {
            true => breaker.admit(now),
            false => breaker.would_admit(now),
        });
        match admitted {
            true => self.send_or_queue(now, ticket),
            false => self.refuse(now, ticket, Refusal::Breaker),
        }
    }

    /// An attempt that waited has got its place.
    pub(super) fn send_granted(&mut self, now: Nanos, ticket: Ticket) -> ClientAction {
        let breaker = &mut self.population_of(ticket).breaker;
        if breaker.as_mut().is_none_or(|breaker| breaker.admit(now)) {
            return ClientAction::Send(self.send(now, ticket));
        }
        self.free_place(now, ticket);
        self.refuse(now, ticket, Refusal::Breaker)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Nanos {
        Nanos(seconds * 1_000_000_000)
    }

    fn breaker(trip: Trip, trials: u32) -> Breaker {
        Breaker::new(BreakerRules { trip, open: at(10), trials, on: Vec::new() })
    }

    #[test]
    fn failures_in_a_row_open_it_and_a_success_closes_it() {
        let mut breaker = breaker(Trip::InARow(2), 1);
        for (second, failed) in [(1, true), (2, false), (3, true)] {
            assert!(breaker.admit(at(second)));
            breaker.note(at(second), at(second), failed);
        }
        assert!(breaker.admit(at(4)) && breaker.admit(at(5)));
        breaker.note(at(6), at(4), true);
        assert!(!breaker.admit(at(6)) && !breaker.admit(Nanos(at(16).0 - 1)));
        // One was sent before it opened, and changes nothing; one tries at 16 s, and no other.
        breaker.note(at(7), at(5), false);
        assert!(breaker.admit(at(16)) && !breaker.admit(at(16)));
        breaker.note(at(17), at(5), false);
        assert!(!breaker.admit(at(17)));
        breaker.note(at(18), at(16), true);
        assert!(!breaker.admit(at(27)) && breaker.admit(at(28)));
        breaker.note(at(29), at(28), false);
        assert!(breaker.admit(at(29)) && breaker.admit(at(29)));
    }

    #[test]
    fn all_trials_must_succeed() {
        let mut breaker = breaker(Trip::InARow(1), 2);
        breaker.note(at(1), at(1), true);
        assert!(breaker.admit(at(11)) && breaker.admit(at(12)) && !breaker.admit(at(12)));
        breaker.note(at(13), at(12), false);
        // The other was given up without a verdict, and one more tries.
        breaker.forget(at(11));
        assert!(breaker.admit(at(14)) && !breaker.admit(at(14)));
        breaker.note(at(15), at(14), false);
        assert!((0..9).all(|_| breaker.admit(at(15))));
    }

    #[test]
    fn a_share_of_recent_failures_opens_it() {
        let trip = Trip::Share { share: 0.5, window: at(4), least: 4 };
        let mut breaker = breaker(trip, 1);
        // The failures at 1 s and 2 s count until 5 s and 6 s.
        for (second, failed) in [(1, true), (2, true), (3, false), (5, false), (6, true)] {
            breaker.note(at(second), at(second), failed);
            assert!(breaker.would_admit(at(second)), "{second}");
        }
        // Of those at 3, 5, 6 and 6 s two failed.
        breaker.note(at(6), at(6), true);
        assert!(!breaker.would_admit(at(6)));
    }
}
