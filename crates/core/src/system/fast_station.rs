//! The fast engine for a system that is one station alone.
//!
//! There a request has no steps to go through: it comes to the station, and leaves when it is done.
//! A test compares this with [`super::System`], which knows nothing of it.

use thinktime_file::time::Nanos;

use super::ids::NodeId;
use super::jobs::Jobs;
use super::node::{Building, Detail, Node};
use super::station::{Overload, Station, StationModel, StationSummary};
use super::{DemandSource, Departure, EntranceId, Job, Program, SystemModel};

/// One station that never turns a request away, whatever its policy.
#[derive(Debug)]
pub struct FastStation<D> {
    demands: D,
    station: Station,
    jobs: Jobs,
}

impl<D: DemandSource> FastStation<D> {
    /// An empty station, if the system has only one. The parameters are those of
    /// [`System::new`](super::System::new).
    pub fn new(
        model: &SystemModel,
        program: &Program,
        kinds: &[&str],
        demands: impl FnOnce() -> D,
        seed: u64,
    ) -> Option<FastStation<D>> {
        let all_visit = program.laws.iter().all(|draws| draws.iter().all(Option::is_some));
        let plain = |only: &&StationModel| only.overload == Overload::NONE && all_visit;
        let only = model.only_station().filter(plain)?;
        let building = Building { entrances: &model.entrances, forecast: program, kinds, seed };
        let station = only.station((NodeId(0), 0), only.number.into(), &building);
        Some(FastStation { demands: demands(), station, jobs: Jobs::default() })
    }

    /// A request arrives. `now` must not be before any earlier event.
    #[inline(always)]
    pub fn arrive(&mut self, now: Nanos, job: Job) {
        let demand = self.demands.demand(&job, 0).unwrap_or_default();
        let handle = self.jobs.add_to_node(job);
        let admit = self.station.admit(now, handle, demand, &mut self.jobs);
        debug_assert!(admit, "the queue has no limit");
    }

    /// When the station next acts; [`Nanos::MAX`] when it is empty.
    #[inline(always)]
    #[must_use]
    pub fn next_event(&self) -> Nanos {
        self.station.next_event()
    }

    /// Acts on the event that is due at [`FastStation::next_event`], which is `now`. Perhaps a
    /// request leaves.
    #[inline(always)]
    pub fn advance(&mut self, now: Nanos) -> Option<Departure> {
        let handle = self.station.act(now, &mut self.jobs)?;
        let visitor = &self.jobs[handle];
        let (job, demand) = (visitor.job, visitor.demand);
        self.jobs.remove(handle);
        Some(Departure { job, at: now, station: EntranceId(0), demand, error: None })
    }

    /// The number of present requests.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.station.monitor().number()
    }

    /// The number of present requests.
    pub fn inside(&self) -> impl Iterator<Item = &Job> {
        self.jobs.requests()
    }

    /// Restarts the time averages.
    pub fn begin_measuring(&mut self, now: Nanos) {
        self.station.begin_measuring(now);
    }

    /// The time averages so far.
    #[must_use]
    pub fn summary(&self, now: Nanos) -> StationSummary {
        self.station.figures(now, Detail::Whole)
    }
}

#[cfg(test)]
mod tests {
    use super::super::node::NodeSummary;
    use super::super::{DrawnDemands, System};
    use super::*;
    use crate::files::NoFiles;
    use crate::random::{Purpose, Stream};
    use thinktime_file::schema::Source;

    const POLICIES: [&str; 13] = [
        "fcfs",
        "lcfs",
        "plcfs",
        "ps",
        "las",
        "srpt",
        "psjf",
        "rr(3ms)",
        "mlfq(2ms, 5ms)",
        "pesjf(error=lognormal(mu=0, sigma=1))",
        "edf'\ndeadline.request = '20ms",
        "fcfs'\nrate = 'table(1, 1.5, 3)",
        "ps'\nfailure = {after = 'exp(100ms)', repair = 'exp(2ms)'}\nsetup = '1ms",
    ];

    /// Arrivals at a load of about 0.9, the same for both.
    fn arrivals(servers: u32) -> Vec<(Nanos, Job)> {
        let (mut stream, mut now) = (Stream::new(3, 0, Purpose::Arrival), 0.0);
        let mut arrival = |session| {
            now += -0.011 / f64::from(servers) * stream.uniform().ln();
            (Nanos::from_secs_f64(now), Job { token: session, session, serial: 0, kind: 0 })
        };
        (0..2000).map(&mut arrival).collect()
    }

    /// The next arrival, if it comes before the next due event.
    fn coming_before(
        coming: &mut std::iter::Peekable<std::vec::IntoIter<(Nanos, Job)>>,
        due: Nanos,
    ) -> Option<(Nanos, Job)> {
        coming.next_if(|(at, _)| *at < due)
    }

    #[test]
    fn it_is_the_system_whatever_the_policy() {
        for (policy, servers) in POLICIES.iter().flat_map(|one| [(one, 1), (one, 3), (one, 14)]) {
            let text = format!(
                "name = 's'\n[[station]]\nname = 'a'\nservers = {servers}\n\
                 policy = '{policy}'\ndemand = 'exp(10ms)'"
            );
            let model = SystemModel::parse(Source { file: "", text: &text }, &NoFiles).unwrap();
            let program = Program::new(&model, &["request"]);
            let demands = || DrawnDemands::new(&program, 5, Purpose::Demand);
            let mut lone = FastStation::new(&model, &program, &["request"], demands, 5).unwrap();
            let mut system = System::new(&model, &program, &["request"], demands(), 5);
            let (mut quick, mut coming) = (Vec::new(), arrivals(servers).into_iter().peekable());
            while quick.len() < 2000 {
                match coming_before(&mut coming, lone.next_event()) {
                    Some((at, job)) => lone.arrive(at, job),
                    None => quick.extend(lone.advance(lone.next_event())),
                }
            }
            let (mut whole, mut coming) = (Vec::new(), arrivals(servers).into_iter().peekable());
            while whole.len() < 2000 {
                match coming_before(&mut coming, system.next_event()) {
                    Some((at, job)) => _ = system.arrive(at, job),
                    None => whole.extend(system.advance()),
                }
            }
            assert_eq!(quick, whole, "{policy}, {servers} servers");
            let end = quick[quick.len() - 1].at;
            let Some(NodeSummary::Station(summary)) = &system.summaries(end)[0] else {
                panic!("the node is a station")
            };
            assert_eq!(lone.summary(end), *summary, "{policy}");
            assert_eq!((lone.number(), lone.inside().count(), system.inside().count()), (0, 0, 0));
        }
    }

    #[test]
    fn other_systems_are_left_to_others() {
        for more in ["queue_limit = 3", "[[pool]]\nname = 'p'\nsize = 2"] {
            let text = format!("name = 's'\n[[station]]\nname = 'a'\ndemand = '1ms'\n{more}");
            let model = SystemModel::parse(Source { file: "", text: &text }, &NoFiles).unwrap();
            let program = Program::new(&model, &["request"]);
            let demands = || DrawnDemands::new(&program, 5, Purpose::Demand);
            assert!(
                FastStation::new(&model, &program, &["request"], demands, 5).is_none(),
                "{more}"
            );
        }
    }
}
