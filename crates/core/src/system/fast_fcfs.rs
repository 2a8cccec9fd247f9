//! The fast engine for the commonest system: one server, first come, first served.
//!
//! There a request's departure is known when it arrives: it begins when the one before it ends
//! (Lindley, 1952). So departures need not be events. Tests compare this with [`super::System`],
//! which knows nothing of it.

use thinktime_file::time::Nanos;

use super::station::{Brought, Measured, Overload, StationSummary};
use super::{DemandSource, Departure, EntranceId, Job, SystemModel};
use crate::policy::scheduling::{Rank, Ties};
use crate::ring::Ring;

/// A waiting line with one server.
#[derive(Debug)]
pub struct FastFcfs<D> {
    demands: D,
    /// When the server will have served all present requests.
    free_at: Nanos,
    /// The present requests, by the time at which they leave.
    leaving: Ring<FcfsDeparture>,
    /// When the first of them leaves.
    next: Nanos,
    /// The server's idle time, up to when it will be free.
    idle: u64,
    /// The sum of the times in the system of all requests so far. At 128 bits it cannot overflow.
    stays: u128,
    number_max: u64,
    brought: Brought,
    /// When measuring began, and the integrals up to then.
    began: Nanos,
    before: Integrals,
    number_before: u64,
}

/// Integrals over time, in nanoseconds. They are cheap because departures are known in advance:
/// each arrival adds its time in the system, and a departure adds nothing.
#[derive(Clone, Copy, Debug, Default)]
struct Integrals {
    busy: i128,
    present: i128,
}

/// A request in the line.
#[derive(Clone, Copy, Debug, Default)]
pub struct FcfsDeparture {
    /// When it came.
    pub came: Nanos,
    /// When it leaves.
    pub at: Nanos,
}

impl<D: DemandSource> FastFcfs<D> {
    /// An empty line, if the system has only one.
    pub fn new(model: &SystemModel, demands: impl FnOnce() -> D) -> Option<FastFcfs<D>> {
        let plain = model.only_station().is_some_and(|only| {
            only.servers == 1
                && only.discipline.rank == Rank::Equal
                && only.discipline.ties == Ties::FirstCome
                && only.overload == Overload::NONE
        });
        if !plain {
            return None;
        }
        Some(FastFcfs {
            demands: demands(),
            free_at: Nanos::ZERO,
            leaving: Ring::new(),
            next: Nanos::MAX,
            idle: 0,
            stays: 0,
            number_max: 0,
            brought: Brought::default(),
            began: Nanos::ZERO,
            before: Integrals::default(),
            number_before: 0,
        })
    }

    /// A request arrives: gives its departure, which lies ahead.
    #[inline(always)]
    pub fn arrive(&mut self, now: Nanos, job: Job) -> Departure {
        let demand = self.demands.demand(&job, 0).unwrap_or_default();
        let begins = self.free_at.max(now);
        let at = begins + demand;
        self.idle += begins.0 - self.free_at.0;
        self.stays += u128::from(at.0 - now.0);
        self.free_at = at;
        self.next = self.next.min(at);
        self.leaving.push_back(FcfsDeparture { came: now, at });
        self.number_max = self.number_max.max(self.number());
        self.brought.add(demand);
        Departure { job, at, station: EntranceId(0), demand, error: None }
    }

    /// Removes a request that has left by `now`.
    #[inline(always)]
    pub fn leave(&mut self, now: Nanos) -> Option<FcfsDeparture> {
        if self.next > now {
            return None;
        }
        let first = *self.leaving.front()?;
        self.leaving.pop_front();
        self.next = self.leaving.front().map_or(Nanos::MAX, |next| next.at);
        Some(first)
    }

    /// When the last one leaves, if there is one.
    #[must_use]
    pub fn last_leaves(&self) -> Option<Nanos> {
        self.leaving.back().map(|last| last.at)
    }

    /// The number of present requests.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.leaving.len() as u64
    }

    /// Restarts the time averages.
    pub fn begin_measuring(&mut self, now: Nanos) {
        (self.began, self.before) = (now, self.up_to(now));
        (self.number_max, self.brought) = (self.number(), Brought::default());
        self.number_before = self.number();
    }

    fn up_to(&self, now: Nanos) -> Integrals {
        let still = |one: &FcfsDeparture| i128::from(one.at.0) - i128::from(now.0);
        let still: i128 = self.leaving.iter().map(still).sum();
        Integrals {
            busy: i128::from(now.min(self.free_at).0) - i128::from(self.idle),
            present: self.stays as i128 - still,
        }
    }

    /// The time averages so far.
    #[must_use]
    pub fn summary(&self, now: Nanos) -> StationSummary {
        let Integrals { busy, present } = self.up_to(now);
        Measured {
            servers: 1,
            span: now.since(self.began),
            busy: busy - self.before.busy,
            present: present - self.before.present,
            number_max: self.number_max,
            numbers: (self.number_before, self.number()),
            brought: self.brought,
        }
        .summary()
    }
}

#[cfg(test)]
mod tests {
    use super::super::node::NodeSummary;
    use super::super::{DrawnDemands, Program, System};
    use super::*;
    use crate::files::NoFiles;
    use crate::random::{Purpose, Stream};
    use thinktime_file::schema::Source;

    /// Departures and time averages equal those of the system, to the last bit, read when some
    /// requests are in the line and when none are.
    #[test]
    fn it_is_the_system() {
        let text = "name = 's'\n[[station]]\nname = 'a'\ndemand = 'exp(10ms)'";
        let model = SystemModel::parse(Source { file: "", text }, &NoFiles).unwrap();
        let program = Program::new(&model, &["request"]);
        let demands = || DrawnDemands::new(&program, 5, Purpose::Demand);
        let mut line = FastFcfs::new(&model, demands).unwrap();
        let mut system = System::new(&model, &program, &["request"], demands(), 5);
        let (mut stream, mut now) = (Stream::new(3, 0, Purpose::Arrival), 0.0);
        let (mut told, mut left, mut busy) = (Vec::new(), Vec::new(), 0);
        for session in 0..2000 {
            now += -0.011 * stream.uniform().ln();
            let at = Nanos::from_secs_f64(now);
            while system.next_event() <= at {
                left.extend(system.advance());
            }
            while line.leave(at).is_some() {}
            if session == 1000 {
                line.begin_measuring(at);
                system.begin_measuring(at);
            }
            let Some(NodeSummary::Station(summary)) = &system.summaries(at)[0] else {
                panic!("the node is a station")
            };
            assert_eq!(line.summary(at), *summary);
            assert_eq!(line.number(), system.in_system());
            busy += u32::from(line.number() > 0);
            let job = Job { token: session, session, serial: 0, kind: 0 };
            told.push(line.arrive(at, job));
            system.arrive(at, job);
        }
        while !system.next_event().is_never() {
            left.extend(system.advance());
        }
        assert_eq!(told, left);
        assert!((1..2000).contains(&busy), "{busy} of 2000 find somebody");
    }
}
