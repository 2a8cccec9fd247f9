//! The modelled system, as the driver sees it: any system, or a fast engine if one applies.

use thinktime_core::attempt::EventTimes;
use thinktime_core::file::Cancel;
use thinktime_core::random::Purpose;
use thinktime_core::request::RequestKind;
use thinktime_core::system::machine::Schedule;
use thinktime_core::system::{
    Deadlock, Departure, DrawnDemands, FastFcfs, FastStation, FcfsDeparture, Job, JobRef,
    LimitedParts, NodeSummary, System, SystemModel,
};
use thinktime_core::time::Nanos;
use thinktime_core::workload::{ClientLimits, Workload};

use crate::node_figures::{NodeFigures, Nodes};

/// A system that takes requests and gives them back. A method with a body is for what only some
/// systems do.
pub(crate) trait ModelledSystem {
    /// Whether a departure is known on arrival, so that it is no event of the system.
    const KNOWS_DEPARTURES: bool = false;

    /// Whether there may be links.
    const LINKS: bool = false;

    /// Whether responses may be streams of events.
    const STREAMS: bool = false;

    /// When the system next acts; [`Nanos::MAX`] if nothing is due.
    fn next_event(&self) -> Nanos;

    /// Acts on the event that is due at [`ModelledSystem::next_event`], which is `now`. Perhaps a
    /// request leaves.
    fn advance(&mut self, now: Nanos) -> Option<Departure>;

    /// A request arrives. `now` must not be before any earlier event.
    fn arrive(&mut self, now: Nanos, job: Job) -> ArrivalOutcome;

    /// Removes a request whose departure was known, and which has left by `now`.
    #[inline(always)]
    fn leave(&mut self, _now: Nanos) -> Option<FcfsDeparture> {
        None
    }

    /// When the last request leaves, if that is known.
    fn last_leaves(&self) -> Option<Nanos> {
        None
    }

    /// Takes a request back, by the name that its arrival gave; one in service only if
    /// `even_in_service`.
    fn withdraw(&mut self, _now: Nanos, _job: JobRef, _token: u64, _even_in_service: bool) {}

    /// The segments that links have sent since the last call.
    #[inline(always)]
    fn take_segments(&mut self) -> u64 {
        0
    }

    /// The events of the response of a request that has just left.
    #[inline(always)]
    fn take_events(&mut self, _departure: &Departure) -> EventTimes {
        EventTimes::NONE
    }

    /// The requests in the system whose departure is not known.
    fn inside(&self) -> Vec<Job>;

    /// The requests that wait for one another for ever; those that are `patient` stay until they
    /// are served.
    fn deadlock(&self, _: &LimitedParts, _patient: &dyn Fn(&Job) -> bool) -> Option<Deadlock> {
        None
    }

    /// The number of requests in the system.
    fn number(&self) -> u64;

    /// Restarts the time averages.
    fn begin_measuring(&mut self, now: Nanos);

    /// The figures of the nodes, if the measured time ends now.
    fn nodes(&self, now: Nanos) -> Nodes;

    /// As [`ModelledSystem::nodes`]; of many nodes without the shares of numbers.
    fn averages(&self, now: Nanos) -> Nodes {
        self.nodes(now)
    }

    /// The first turns of the machines' cores.
    fn schedule(&self) -> Schedule {
        Schedule::default()
    }

    /// The figures of the measured time, if it ends now; it began with this many requests present.
    fn measured(&self, now: Nanos, number_before: u64) -> NodeFigures {
        let growth = self.number() as i64 - number_before as i64;
        NodeFigures { nodes: self.nodes(now), growth, schedule: self.schedule() }
    }
}

/// Any system.
impl ModelledSystem for System<DrawnDemands> {
    const LINKS: bool = true;
    const STREAMS: bool = true;

    #[inline(always)]
    fn next_event(&self) -> Nanos {
        System::next_event(self)
    }

    #[inline(always)]
    fn advance(&mut self, _now: Nanos) -> Option<Departure> {
        System::advance(self)
    }

    #[inline(always)]
    fn arrive(&mut self, now: Nanos, job: Job) -> ArrivalOutcome {
        ArrivalOutcome::Present(System::arrive(self, now, job))
    }

    fn withdraw(&mut self, now: Nanos, job: JobRef, token: u64, even_in_service: bool) {
        System::withdraw(self, now, job, token, even_in_service);
    }

    #[inline(always)]
    fn take_segments(&mut self) -> u64 {
        System::take_segments(self)
    }

    #[inline(always)]
    fn take_events(&mut self, departure: &Departure) -> EventTimes {
        System::take_events(self, departure)
    }

    fn inside(&self) -> Vec<Job> {
        System::inside(self).copied().collect()
    }

    fn deadlock(&self, parts: &LimitedParts, patient: &dyn Fn(&Job) -> bool) -> Option<Deadlock> {
        if parts.is_empty() { None } else { System::deadlock(self, parts, patient) }
    }

    fn number(&self) -> u64 {
        self.in_system()
    }

    fn begin_measuring(&mut self, now: Nanos) {
        System::begin_measuring(self, now);
    }

    fn nodes(&self, now: Nanos) -> Nodes {
        self.summaries(now)
    }

    fn averages(&self, now: Nanos) -> Nodes {
        System::averages(self, now)
    }

    fn schedule(&self) -> Schedule {
        System::schedule(self)
    }
}

/// One station alone, from which no request is taken back.
impl ModelledSystem for FastStation<DrawnDemands> {
    #[inline(always)]
    fn next_event(&self) -> Nanos {
        FastStation::next_event(self)
    }

    #[inline(always)]
    fn advance(&mut self, now: Nanos) -> Option<Departure> {
        FastStation::advance(self, now)
    }

    #[inline(always)]
    fn arrive(&mut self, now: Nanos, job: Job) -> ArrivalOutcome {
        FastStation::arrive(self, now, job);
        ArrivalOutcome::Stays
    }

    fn inside(&self) -> Vec<Job> {
        FastStation::inside(self).copied().collect()
    }

    fn number(&self) -> u64 {
        FastStation::number(self)
    }

    fn begin_measuring(&mut self, now: Nanos) {
        FastStation::begin_measuring(self, now);
    }

    fn nodes(&self, now: Nanos) -> Nodes {
        vec![Some(NodeSummary::Station(self.summary(now)))]
    }
}

/// One server, first come, first served: clients learn at once when the answer will come.
impl ModelledSystem for FastFcfs<DrawnDemands> {
    const KNOWS_DEPARTURES: bool = true;

    #[inline(always)]
    fn next_event(&self) -> Nanos {
        Nanos::MAX
    }

    #[inline(always)]
    fn advance(&mut self, _now: Nanos) -> Option<Departure> {
        None
    }

    #[inline(always)]
    fn arrive(&mut self, now: Nanos, job: Job) -> ArrivalOutcome {
        ArrivalOutcome::Leaves(FastFcfs::arrive(self, now, job))
    }

    #[inline(always)]
    fn leave(&mut self, now: Nanos) -> Option<FcfsDeparture> {
        FastFcfs::leave(self, now)
    }

    fn last_leaves(&self) -> Option<Nanos> {
        FastFcfs::last_leaves(self)
    }

    fn inside(&self) -> Vec<Job> {
        Vec::new()
    }

    fn number(&self) -> u64 {
        FastFcfs::number(self)
    }

    fn begin_measuring(&mut self, now: Nanos) {
        FastFcfs::begin_measuring(self, now);
    }

    fn nodes(&self, now: Nanos) -> Nodes {
        vec![Some(NodeSummary::Station(self.summary(now)))]
    }
}

/// The system by the fastest engine that applies.
pub(crate) enum Engine {
    /// Any system.
    Any(Box<System<DrawnDemands>>),
    /// One station alone.
    Station(Box<FastStation<DrawnDemands>>),
    /// One server, first come, first served.
    Fcfs(Box<FastFcfs<DrawnDemands>>),
}

impl Engine {
    pub(crate) fn new(model: &SystemModel, workload: &Workload) -> Engine {
        let names: Vec<&str> = workload.requests.iter().map(|kind| kind.name.as_str()).collect();
        let program = model.program_for(workload);
        let demands = || DrawnDemands::new(&program, workload.seed, Purpose::Demand);
        if can_be_told_early(workload)
            && let Some(line) = FastFcfs::new(model, names.len(), demands)
        {
            return Engine::Fcfs(Box::new(line));
        }
        if !withdraws(workload)
            && let Some(alone) = FastStation::new(model, &program, &names, demands, workload.seed)
        {
            return Engine::Station(Box::new(alone));
        }
        Engine::Any(Box::new(System::new(model, &program, &names, demands(), workload.seed)))
    }
}

/// The outcome of an arrival.
pub(crate) enum ArrivalOutcome {
    /// The request is present, and may be taken back by this name.
    Present(JobRef),
    /// It is present until it is done.
    Stays,
    /// It is present until this departure, which lies ahead.
    Leaves(Departure),
}

/// Whether clients take requests back that they have given up.
pub(crate) fn withdraws(workload: &Workload) -> bool {
    workload.requests.iter().any(|kind| kind.cancel != Cancel::Never)
}

/// Whether clients may learn of a response before its time: they may if no action of theirs
/// meanwhile, and none of the others, depends on its arrival.
fn can_be_told_early(workload: &Workload) -> bool {
    let patient = |kind: &RequestKind| {
        kind.timeout.is_never() && kind.objects.is_none() && kind.hedge.is_none()
    };
    let free = workload.populations.iter().all(|one| one.clients == ClientLimits::NONE);
    free && workload.requests.iter().all(patient)
}

#[cfg(test)]
mod tests {
    use thinktime_core::files::NoFiles;
    use thinktime_core::schema::Source;

    use super::*;

    /// A pool whose places are never taken is measured like any other.
    #[test]
    fn a_pool_beside_the_only_station_is_measured() {
        let text = "name = 's'\n[[station]]\nname = 'a'\ndemand = '1ms'\n\
                    [[pool]]\nname = 'p'\nsize = 2";
        let model = SystemModel::parse(Source { file: "", text }, &NoFiles).unwrap();
        let text = "name = 'w'\n[arrivals]\nmodel = 'open'\nrate = '50/s'";
        let workload = Workload::parse(Source { file: "", text }, &NoFiles).unwrap();
        let Engine::Any(modelled) = Engine::new(&model, &workload) else { panic!("two nodes") };
        let measured = modelled.measured(Nanos(1_000_000), 0);
        let kinds: Vec<bool> =
            measured.nodes.iter().map(|one| matches!(one, Some(NodeSummary::Pool(_)))).collect();
        assert_eq!(kinds, [false, true]);
    }
}
