//! The fast engine for the commonest system: one server, first come, first served.
//!
//! There a request's departure is known when it arrives: it begins when the one before it ends
//! (Lindley, 1952). So departures need not be events. Tests compare this with [`super::System`],
//! which knows nothing of it.

use thinktime_file::time::Nanos;

use super::node::Detail;
use super::station::{Left, Monitor, Overload, StationSummary};
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
    /// When the one before it left; kept if there are several kinds of request.
    last_left: Nanos,
    monitor: Monitor,
}

/// A request in the line.
#[derive(Clone, Copy, Debug, Default)]
pub struct FcfsDeparture {
    /// When it came.
    pub came: Nanos,
    /// When it leaves.
    pub at: Nanos,
    kind: u32,
}

impl<D: DemandSource> FastFcfs<D> {
    /// An empty line for this many kinds of request, if the system has only one.
    pub fn new(
        model: &SystemModel,
        kinds: usize,
        demands: impl FnOnce() -> D,
    ) -> Option<FastFcfs<D>> {
        let plain = model.only_station().is_some_and(|only| {
            only.servers == 1
                && only.discipline.rank == Rank::Equal
                && only.discipline.ties == Ties::FirstCome
                && only.overload == Overload::NONE
                && only.is_steady()
        });
        if !plain {
            return None;
        }
        Some(FastFcfs {
            demands: demands(),
            free_at: Nanos::ZERO,
            leaving: Ring::new(),
            next: Nanos::MAX,
            last_left: Nanos::ZERO,
            monitor: Monitor::new(1, kinds),
        })
    }

    /// A request arrives: gives its departure, which lies ahead.
    #[inline(always)]
    pub fn arrive(&mut self, now: Nanos, job: Job) -> Departure {
        let demand = self.demands.demand(&job, 0).unwrap_or_default();
        let at = self.free_at.max(now) + demand;
        self.free_at = at;
        self.next = self.next.min(at);
        self.leaving.push_back(FcfsDeparture { came: now, at, kind: job.kind });
        self.monitor.arrive(now, demand, || job.kind);
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
        let last_left = &mut self.last_left;
        self.monitor.depart(first.at, || {
            let begun = first.came.max(std::mem::replace(last_left, first.at));
            Left { kind: first.kind, served: first.at.since(begun) }
        });
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
        self.monitor.number()
    }

    /// Restarts the time averages. All that leave up to now must have been removed, as before
    /// [`FastFcfs::summary`].
    pub fn begin_measuring(&mut self, now: Nanos) {
        self.monitor.begin(now);
    }

    /// The time averages so far.
    #[must_use]
    pub fn summary(&self, now: Nanos) -> StationSummary {
        self.monitor.summary(now, Detail::Whole)
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
        let mut line = FastFcfs::new(&model, 1, demands).unwrap();
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
