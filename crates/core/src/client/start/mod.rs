//! The sessions that think when a run begins, in the steady state of thinking.
//!
//! Sessions begin at rate r and think N - 1 times, Z each. So by Little's law r E[N-1] E[Z] of them
//! think at any time. The law of the think time's place is weighted by the number of think times
//! (P(N = n) / E[N-1] for each of the n - 1), and the rest of the think time has the equilibrium
//! law of Z. For Poisson arrivals all this is exact, since the number is Poisson. For others only
//! the variance of the number is not exact: it is taken to be the same. If the rate varied before
//! the start, a session is present with the probability that follows from the rate at its begin.
//!
//! Only the queue needs a warm-up: the system is empty, and no session waits for it.

mod mid_session;
mod session_length;

use std::collections::BinaryHeap;

use thinktime_file::time::Nanos;

use self::session_length::finder;
use super::Clients;
use super::laws::Laws;
use super::population::Population;
use super::session::{Slots, TimerKind};
use crate::arrival::ArrivalProcess;
use crate::attempt::{FIRST_SESSION, Ticket};
use crate::distribution::{Distribution, Equilibrium};
use crate::journey::{Count, ThinkTimeCount};
use crate::random::{Purpose, StreamFamily};
use crate::share::Share;
use crate::workload::{InitialState, Sessions, Workload};
use mid_session::Position;

/// A session that thinks when the run begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ThinkingSession {
    /// Its number.
    pub(super) session: u64,
    /// The requests that it has made.
    pub(super) behind: u32,
    /// The requests that it has left, 1 or more.
    pub(super) left: u64,
    /// When its next request is due.
    pub(super) due: Nanos,
}

/// The draws of such a session, each from a stream of its own.
#[derive(Clone, Copy)]
enum Draw {
    Course,
    Rest,
    Past,
}

/// All sessions that think when the run begins.
pub(super) struct ThinkingSessions<'a> {
    arrivals: &'a ArrivalProcess,
    think: Equilibrium<Distribution>,
    thinks_behind: Equilibrium<ThinkTimeCount>,
    streams: StreamFamily,
    count: u64,
}

/// The largest number of past think times that are drawn for a session. If it has more, the others
/// have their mean length.
const PAST_DRAWN: u32 = 1000;

/// The largest number of requests that a session has made: they are counted up to 2^32.
const BEHIND_MAX: f64 = 2_147_483_648.0;
impl<'a> ThinkingSessions<'a> {
    /// `None` if there are no such sessions: each has one request, or never thinks.
    pub(super) fn new(workload: &'a Workload, place: usize) -> Option<ThinkingSessions<'a>> {
        let population = &workload.populations[place];
        let Sessions::PartlyOpen { arrivals, requests: Some(requests), think } =
            &population.sessions
        else {
            return None;
        };
        let length = Count::from_one(requests.clone());
        let streams = StreamFamily::new(workload.population_seed(place), Purpose::Start);
        let count = Distribution::poisson_count(population.thinking_before_start()).ok()?;
        Some(ThinkingSessions {
            arrivals,
            think: Equilibrium::new(think.clone())?,
            thinks_behind: length.thinks_behind()?,
            streams,
            count: count.sample(&mut streams.stream(u64::MAX)) as u64,
        })
    }

    /// The sessions of a share.
    pub(super) fn of_share(&self, share: Share) -> impl Iterator<Item = ThinkingSession> + '_ {
        let numbers = (0..share.of_number(self.count)).map(move |number| share.session(number));
        numbers.filter_map(|number| self.session(number))
    }

    /// The session of this number, if it was present: fewer were, if the rate varied.
    fn session(&self, number: u64) -> Option<ThinkingSession> {
        let stream = |draw: Draw| self.streams.substream(number, draw as u64);
        let mut course = stream(Draw::Course);
        let behind = self.thinks_behind.sample(&mut course).floor() + 1.0;
        let length = self.thinks_behind.tail().length().draw_above(behind, &mut course);
        let rest_s = self.think.sample(&mut stream(Draw::Rest));
        if self.arrivals.varied_before_start() {
            let mut past = stream(Draw::Past);
            let share = self.arrivals.share_before_start(self.age_s(behind, rest_s, &mut past));
            if past.uniform() > share {
                return None;
            }
        }
        Some(ThinkingSession {
            session: FIRST_SESSION + number,
            behind: behind.min(BEHIND_MAX) as u32,
            left: length.saturating_sub(behind as u64).clamp(1, u64::MAX - 1),
            due: Nanos::from_secs_f64(rest_s),
        })
    }

    /// The age of a session with this remainder of its think time: the elapsed part of that think
    /// time and all earlier ones. (Responses are taken to have come at once.)
    fn age_s(&self, behind: f64, rest_s: f64, past: &mut crate::random::Stream) -> f64 {
        let think = self.think.tail();
        let mut age_s = think.longer_than(rest_s, past) - rest_s;
        let earlier = behind - 1.0;
        let drawn = earlier.min(f64::from(PAST_DRAWN));
        for _ in 0..drawn as u32 {
            age_s += think.sample(past);
        }
        age_s + (earlier - drawn) * think.mean()
    }
}

impl Laws {
    /// The first think times of closed clients that begin in steady state: the rest of one.
    pub(super) fn first_think(&self) -> Option<impl Fn(u64) -> Nanos + use<>> {
        let rest = Equilibrium::new(self.think.clone()?)?;
        let streams = StreamFamily::new(self.seed, Purpose::Start);
        Some(move |session| Nanos::from_secs_f64(rest.sample(&mut streams.stream(session))))
    }
}

impl Slots {
    /// A session that has made this many requests and has this many left.
    fn begin_amid(&mut self, one: &ThinkingSession, population: &Population) -> Ticket {
        let session = population.session(one.session);
        let ticket = self.begin(session, one.left, population.place);
        self.get_mut(ticket).index = one.behind;
        ticket
    }
}

impl Clients {
    /// The sessions that are present when the run begins.
    pub(super) fn begin_sessions(&mut self, workload: &Workload) {
        for (place, of) in workload.populations.iter().enumerate() {
            let steady = of.beginning() == InitialState::Steady;
            match &of.sessions {
                Sessions::Closed { clients, .. } => {
                    let clients = self.share.of_number(*clients);
                    let mid_session = steady && of.thinks_by_kind();
                    if !(mid_session && self.begin_closed_amid(workload, place, clients)) {
                        self.begin_closed(place, clients, steady);
                    }
                }
                Sessions::PartlyOpen { .. } if steady => self.begin_thinking(workload, place),
                _ => {}
            }
        }
    }

    fn begin_thinking(&mut self, workload: &Workload, place: usize) {
        if workload.populations[place].thinks_by_kind() {
            return self.begin_amid(workload, place);
        }
        let Some(thinking) = ThinkingSessions::new(workload, place) else { return };
        // Memory only for the sessions that will act.
        let acts = self.share.from..self.limit.until;
        for one in thinking.of_share(self.share).filter(|one| acts.contains(&one.due)) {
            let population = &self.populations[place];
            let ticket = self.slots.begin_amid(&one, population);
            self.timers.set(one.due, ticket, population.first_timer());
            if population.course.is_some() {
                self.begin_course(one.due, ticket);
            }
        }
    }

    /// Sessions in the middle of their journey, as many as think in the long run.
    fn begin_amid(&mut self, workload: &Workload, place: usize) {
        let of = &workload.populations[place];
        let count = Distribution::poisson_count(of.thinking_before_start());
        let (Some(find), Ok(count)) = (finder(workload, place), count) else { return };
        let seed = workload.population_seed(place);
        let count = count.sample(&mut StreamFamily::new(seed, Purpose::Start).stream(u64::MAX));
        for number in 0..self.share.of_number(count as u64) {
            let number = self.share.session(number);
            let Some(found) = find(number) else { continue };
            if (self.share.from..self.limit.until).contains(&found.due) {
                let session = self.populations[place].session(FIRST_SESSION + number);
                self.go_on_amid(place, session, &found);
            }
        }
    }

    /// The session of this number continues after the request that was taken for its last.
    fn go_on_amid(&mut self, place: usize, session: u64, found: &Position) {
        let population = &self.populations[place];
        let ticket = self.slots.begin(session, found.left, population.place);
        let slot = self.slots.get_mut(ticket);
        slot.index = found.behind;
        let last = population.laws.first_kind + found.last;
        slot.want(last);
        self.timers.set(found.due, ticket, TimerKind::Request);
        let Some(course) = &population.course else { return };
        let next = match population.arrives() {
            _ if found.left == 0 => None,
            true => Some(course.next_going_on(&population.laws, session, found.behind, last)),
            false => course.next(&population.laws, session, found.behind, last),
        };
        let rest = course.rest_of_time(session);
        match next {
            Some(kind) => {
                let base = course.objects_of(kind).is_some();
                self.slots.get_mut(ticket).want_page(kind, base);
                self.visit(ticket).until = found.due + rest;
            }
            None => {
                self.slots.get_mut(ticket).remaining = population.laws.length_of_turn(session, 0);
                self.begin_course(found.due, ticket);
            }
        }
    }

    /// Closed sessions amid their course.
    fn begin_closed_amid(&mut self, workload: &Workload, place: usize, clients: u64) -> bool {
        let Some(find) = finder(workload, place) else { return false };
        self.populations[place].sessions_begun = clients;
        for number in 0..clients {
            let session = self.populations[place].session(self.share.session(number));
            let Some(found) = find(session) else { continue };
            let due = self.share.from + found.due;
            self.go_on_amid(place, session, &Position { behind: 0, due, ..found });
        }
        true
    }

    fn begin_closed(&mut self, place: usize, clients: u64, steady: bool) {
        let alone = self.populations.only().is_some();
        let population = &mut self.populations[place];
        population.sessions_begun = clients;
        let rest = if steady { population.laws.first_think() } else { None };
        let first = |number| {
            let session = population.session(self.share.session(number));
            let think = || population.laws.first_think_of(session, 0);
            let wait = rest.as_ref().map_or_else(think, |rest| rest(session));
            (self.share.from + wait, session)
        };
        // A limit that counts from the start allows a number of requests, and no more sessions than
        // that ever begin one: those whose first request is due first.
        let limited = population.programs.is_none() && self.limit.warmup == Nanos::ZERO && alone;
        let most = usize::try_from(self.limit.requests).unwrap_or(usize::MAX);
        let (timer, place) = (population.first_timer(), population.place);
        if population.course.is_some() {
            let length = |session| population.laws.length_of_turn(session, 0);
            let lasting = |(at, session)| (at, session, length(session));
            let all: Vec<_> = (0..clients).map(first).map(lasting).collect();
            for (at, session, length) in all {
                let ticket = self.slots.begin(session, length, place);
                self.timers.set(at, ticket, timer);
                self.begin_course(at, ticket);
            }
            return;
        }
        let begin = |(at, session)| {
            let ticket = self.slots.begin(session, u64::MAX, place);
            self.timers.set(at, ticket, timer);
        };
        if limited && self.limit.requests < clients {
            earliest((0..clients).map(first), most).into_iter().for_each(begin);
        } else {
            (0..clients).map(first).for_each(begin);
        }
    }
}

/// This many of these sessions, the ones that are due first, in the order of their numbers.
fn earliest(all: impl Iterator<Item = (Nanos, u64)>, most: usize) -> Vec<(Nanos, u64)> {
    let mut kept = BinaryHeap::with_capacity(most);
    for one in all {
        if kept.len() < most {
            kept.push(one);
        } else if let Some(mut last) = kept.peek_mut()
            && one < *last
        {
            *last = one;
        }
    }
    let mut kept = kept.into_vec();
    kept.sort_unstable_by_key(|(_, number)| *number);
    kept
}
