//! Whether a replication makes progress: a file may ask for an endless simulation, or for all
//! memory.

use std::fmt;

use serde::{Deserialize, Serialize};
use thinktime_core::time::Nanos;
use thinktime_core::words;
use thinktime_core::workload::{Population, Workload};

/// If only time ends a replication, that time must pass within this multiple of these events,
/// because many clients may begin at once.
const TIMELESS: u32 = 3;
/// Among these looks, this many must find that a request began or ended.
const LOOKS_MIN: u32 = 16;
/// A replication that ends at a given time may need this multiple of these events.
const PATIENCE: u64 = 1_000;

/// The point at which a simulation that would never end, or would need all memory, is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgressLimits {
    /// The number of events among which some request must begin or end, at least 1.
    pub events: u64,
    /// The most attempts in the system at once, or twice the workload's number of clients if that
    /// is more. Each takes up to some 200 bytes.
    pub in_system: u64,
}

impl Default for ProgressLimits {
    fn default() -> ProgressLimits {
        ProgressLimits { events: 1 << 24, in_system: 1 << 22 }
    }
}

/// The reason why a replication was given up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Stall {
    /// Events continue, and hardly any request ends.
    Still {
        /// The number of these events.
        events: u64,
        /// The virtual time that was reached.
        at: Nanos,
    },
    /// Requests begin and end, and no time passes.
    Timeless {
        /// The number of events at that time.
        events: u64,
        /// The virtual time that was reached.
        at: Nanos,
    },
    /// Too many attempts are in the system at a time.
    Crowded {
        /// The number of attempts.
        number: u64,
        /// The virtual time that was reached.
        at: Nanos,
    },
    /// Requests wait for one another.
    Deadlock {
        /// The number of requests.
        requests: u64,
        /// The kinds of request, and what each has and wants, in words.
        who: String,
        /// The virtual time that was reached.
        at: Nanos,
    },
    /// The next event lies beyond the end of the clock.
    ClockEnd {
        /// The time of the last event before it.
        at: Nanos,
    },
}

impl Stall {
    /// Whether requests wait for one another.
    pub(crate) fn is_deadlock(&self) -> bool {
        matches!(self, Stall::Deadlock { .. })
    }

    /// The virtual time that was reached.
    fn at(&self) -> Nanos {
        let (Stall::Still { at, .. }
        | Stall::Timeless { at, .. }
        | Stall::Crowded { at, .. }
        | Stall::Deadlock { at, .. }
        | Stall::ClockEnd { at }) = self;
        *at
    }
}

impl fmt::Display for Stall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = words::time(self.at().as_secs_f64());
        match self {
            Stall::Still { events, .. } => write!(
                f,
                "the simulation makes no progress: of {} events up to {at} of simulated time \
                 hardly any began or ended a request. Two causes are known: endless retries of \
                 attempts that time out, and turns far shorter than the demands. Limit the \
                 attempts, or give longer timeouts, backoffs or quanta",
                words::count(*events)
            ),
            Stall::Timeless { events, .. } => write!(
                f,
                "no time passes: after {} events it is still {at} of simulated time. Closed \
                 sessions with neither a think time nor a demand ask again at once, without an \
                 end: give a think time or a demand",
                words::count(*events)
            ),
            Stall::Crowded { number, .. } => write!(
                f,
                "after {at} of simulated time {} attempts are in the system at once, and the \
                 simulation follows no more. Attempts pile up under an overload, or if timeouts \
                 are short and clients give them up: limit the attempts, say cancel = \"always\", \
                 give a longer timeout or backoff, or lower the load",
                words::count(*number)
            ),
            Stall::Deadlock { requests, who, .. } => write!(
                f,
                "a deadlock: after {at} of simulated time {} requests wait for one another \
                 for ever. {who}. Let all requests take what they need in the same order",
                words::count(*requests)
            ),
            Stall::ClockEnd { .. } => write!(
                f,
                "the simulated clock ended: it lasts for 292 years, and the event after {at} lies \
                 beyond. Simulate fewer requests, or check the units of rates, demands and think \
                 times"
            ),
        }
    }
}

/// The state at a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProgressMark {
    /// Requests that ended and were counted.
    pub(crate) over: u64,
    /// Requests that began and have not ended.
    pub(crate) open: u64,
    /// When the last one began.
    pub(crate) begun: Nanos,
    /// Whether only time can end the replication, and not a number of requests.
    pub(crate) by_time: bool,
}

/// Looks now and then, at no cost to an event.
#[derive(Debug)]
pub(crate) struct ProgressGuard {
    limits: ProgressLimits,
    last: Option<ProgressMark>,
    since: Nanos,
    events: u64,
    looks: u32,
    /// The number of looks in a row at which no time had passed.
    timeless: u32,
}

impl ProgressGuard {
    pub(crate) fn new(workload: &Workload, limits: ProgressLimits) -> ProgressGuard {
        let clients: u64 = workload.populations.iter().filter_map(Population::clients).sum();
        let in_system = limits.in_system.max(clients.saturating_mul(2));
        ProgressGuard::up_to(ProgressLimits { in_system, ..limits })
    }

    fn up_to(limits: ProgressLimits) -> ProgressGuard {
        ProgressGuard { limits, last: None, since: Nanos::ZERO, events: 0, looks: 0, timeless: 0 }
    }

    /// Looks after `events` more events, at the time `now`, with `number` attempts in the system.
    /// The replication lasts until `end`.
    pub(crate) fn look(
        &mut self,
        events: u64,
        seen: ProgressMark,
        number: u64,
        now: Nanos,
        end: Nanos,
    ) -> Option<Stall> {
        if number > self.limits.in_system {
            return Some(Stall::Crowded { number, at: now });
        }
        self.looks += u32::from(self.last.replace(seen) != Some(seen));
        self.events += events;
        if self.events < self.limits.events {
            return None;
        }
        let moved = now.since(self.since);
        let ends = !end.is_never() && moved.0.saturating_mul(PATIENCE) >= end.since(now).0;
        let gets_on = self.looks >= LOOKS_MIN || ends;
        self.timeless = if seen.by_time && moved == Nanos::ZERO { self.timeless + 1 } else { 0 };
        (self.events, self.looks, self.since) = (0, 0, now);
        let ProgressLimits { events, .. } = self.limits;
        if self.timeless >= TIMELESS {
            return Some(Stall::Timeless { events: events * u64::from(TIMELESS), at: now });
        }
        (!gets_on).then_some(Stall::Still { events, at: now })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: ProgressLimits = ProgressLimits { events: 1 << 24, in_system: 100 };
    const HOUR: Nanos = Nanos(3_600_000_000_000);

    /// Looks once every 2^20 events, 16 to the bound, until `end`; `over` gives the number of
    /// requests that have ended.
    fn after(looks: u64, end: Nanos, step: Nanos, over: impl Fn(u64) -> u64) -> Option<Stall> {
        let mut progress_guard = ProgressGuard::up_to(LIMITS);
        (1..=looks).find_map(|look| {
            let seen =
                ProgressMark { over: over(look), open: 1, begun: Nanos::ZERO, by_time: true };
            progress_guard.look(1 << 20, seen, 50, Nanos(look * step.0), end)
        })
    }

    #[test]
    fn events_that_end_no_request_are_given_up() {
        let stuck = after(64, Nanos::MAX, Nanos(1), |_| 0).unwrap();
        assert_eq!(stuck, Stall::Still { events: 1 << 24, at: Nanos(16) });
        assert!(stuck.to_string().contains("Limit the attempts"));
    }

    #[test]
    fn requests_that_end_are_headway() {
        assert_eq!(after(64, Nanos::MAX, Nanos(1), |look| look), None);
        // One in four looks is too few.
        assert!(after(64, Nanos::MAX, Nanos(1), |look| look / 4).is_some());
    }

    #[test]
    fn requests_that_take_no_time_are_given_up_where_only_time_ends_them() {
        let stuck = after(64, HOUR, Nanos::ZERO, |look| look).unwrap();
        assert_eq!(stuck, Stall::Timeless { events: 3 << 24, at: Nanos::ZERO });
        assert!(stuck.to_string().contains("no time passes"));
        let mut progress_guard = ProgressGuard::up_to(LIMITS);
        for look in 0..99 {
            let seen = ProgressMark { over: look, open: 1, begun: Nanos::ZERO, by_time: false };
            assert_eq!(progress_guard.look(1 << 20, seen, 50, Nanos::ZERO, HOUR), None);
        }
    }

    #[test]
    fn a_run_that_will_end_by_itself_goes_on() {
        assert_eq!(after(64, HOUR, Nanos(HOUR.0 / 1_000), |_| 0), None);
        assert!(after(64, HOUR, Nanos(1), |_| 0).is_some());
    }

    #[test]
    fn crowds_are_given_up() {
        let seen = ProgressMark { over: 0, open: 9, begun: Nanos::ZERO, by_time: true };
        let look = |number| {
            let mut progress_guard = ProgressGuard::up_to(ProgressLimits::default());
            progress_guard.look(1, seen, number, HOUR, Nanos::MAX)
        };
        assert_eq!(look(1 << 22), None);
        let stuck = look((1 << 22) + 1).unwrap();
        assert!(stuck.to_string().contains("4,194,305 attempts"), "{stuck}");
    }
}
