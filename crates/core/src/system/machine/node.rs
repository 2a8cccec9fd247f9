//! A machine and the services on it, as one node of the system.

use thinktime_file::schema::SchemaError;
use thinktime_file::time::Nanos;

use super::super::demand::Demand;
use super::super::ids::NodeId;
use super::super::jobs::{Handle, Jobs, NOBODY, Place, Visitor};
use super::super::node::{
    Answer, Build, Building, Detail, HoldKind, Node, NodeModel, NodeSummary, Visit, demand_names,
};
use super::super::read::Reading;
use super::super::station::{Left, Monitor, StationSummary};
use super::service::{Admission, Burst, Service};
use super::{Machine, MachineModel, MachineSummary, NO_TASK, Schedule, TaskId, Threads, Work};

/// A machine in motion, with its services.
#[derive(Debug)]
pub(in crate::system) struct MachineNode {
    id: NodeId,
    os: String,
    machine: Machine,
    services: Vec<Service>,
    /// Its figures as a station.
    monitor: Monitor,
    /// The task whose burst was done last and its service, until the next step is known.
    done: Option<(TaskId, u32)>,
}

impl NodeModel for MachineModel {
    fn read(reading: &Reading<'_>) -> Result<Vec<MachineModel>, SchemaError> {
        let mut all = MachineModel::read_all(reading)?;
        all.retain(|one| !reading.file.is_copied(&one.name));
        all.iter_mut().zip(0..).for_each(|(one, number)| one.number = number);
        Ok(all)
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn entry_names(&self) -> Vec<&str> {
        self.services.iter().map(|one| one.name.as_str()).collect()
    }

    fn demand(&self, entry: u32) -> Option<&Demand> {
        self.services[entry as usize].demand.as_ref()
    }

    fn kept(&self, entry: u32) -> HoldKind {
        match self.services[entry as usize].threads {
            Threads::Pool(_) => HoldKind::Limited,
            Threads::PerRequest | Threads::EventLoops(_) => HoldKind::Own,
        }
    }

    fn capacity(&self) -> Option<f64> {
        Some(self.cores.into())
    }

    fn is_unlimited(&self) -> bool {
        self.services.iter().all(|one| one.queue_limit == u64::MAX)
    }

    fn named_requests(&self) -> Vec<(String, &str)> {
        let services = self.services.iter();
        services.flat_map(|one| demand_names("service", &one.name, one.demand.as_ref())).collect()
    }
}

impl Build for MachineModel {
    type Node = MachineNode;

    fn build(&self, id: NodeId, building: &Building<'_>) -> MachineNode {
        MachineNode::new(id, self, building.kinds.len(), building.seed)
    }
}

impl MachineNode {
    /// The machine at rest, for this many kinds of request.
    pub(in crate::system) fn new(
        id: NodeId,
        model: &MachineModel,
        kinds: usize,
        seed: u64,
    ) -> MachineNode {
        MachineNode {
            id,
            os: model.os.clone(),
            machine: Machine::new(model.number, model, seed),
            services: (0..).zip(&model.services).map(|(at, one)| Service::new(at, one)).collect(),
            monitor: Monitor::new(model.cores, kinds),
            done: None,
        }
    }

    /// Its figures over the measured time, as a station and as a machine.
    pub(in crate::system) fn figures(
        &self,
        now: Nanos,
        detail: Detail,
    ) -> (StationSummary, MachineSummary) {
        let machine = self.machine.summary(now);
        let loads = &machine.core_loads;
        let load = loads.iter().sum::<f64>() / loads.len() as f64;
        (StationSummary { load, ..self.monitor.summary(now, detail) }, machine)
    }

    /// A task of a visitor.
    fn task_of(&self, visitor: Handle) -> TaskId {
        if visitor == NOBODY {
            return NO_TASK;
        }
        self.services.iter().find_map(|service| service.task_of(visitor)).unwrap_or(NO_TASK)
    }

    fn gets_thread(&self, visitor: Option<Handle>, jobs: &mut Jobs) {
        if let Some(visitor) = visitor {
            jobs[visitor].place = Place::Inside(self.id);
        }
    }
}

impl Node for MachineNode {
    /// A visitor asks for a burst of a service.
    fn arrive(&mut self, now: Nanos, visit: Visit, jobs: &mut Jobs) -> Answer {
        let Visit { handle, entry, demand } = visit;
        let visitor = &mut jobs[handle];
        (visitor.demand, visitor.entered) = (demand, now);
        let work = Work { owner: handle, kind: visitor.job.kind, session: visitor.job.session };
        let cause = std::mem::take(&mut visitor.waited_for);
        let creator = self.task_of(visitor.parent);
        jobs.keep(handle, self.id, entry);
        let burst = Burst { work, demand, cause, creator };
        let service = &mut self.services[entry as usize];
        jobs[handle].place = match service.serve(now, &mut self.machine, burst) {
            Admission::Refused => return Answer::Refused,
            Admission::Runs => Place::Inside(self.id),
            Admission::Waits => Place::Waiting(self.id),
        };
        self.monitor.arrive(now, demand, || work.kind);
        Answer::Stays
    }

    fn next_event(&self) -> Nanos {
        self.machine.next_event()
    }

    fn advance(&mut self, now: Nanos, jobs: &mut Jobs) -> Option<Handle> {
        let task = self.machine.advance(now)?;
        let (service, work) = self.machine.work(task);
        self.done = Some((task, service));
        self.monitor.depart(now, || Left { kind: work.kind, served: jobs[work.owner].demand });
        Some(work.owner)
    }

    fn settle(&mut self, now: Nanos, jobs: &mut Jobs) -> bool {
        if let Some((task, service)) = self.done.take() {
            let service = &mut self.services[service as usize];
            let next = service.go_on(now, &mut self.machine, task);
            self.gets_thread(next, jobs);
        }
        self.machine.settle(now);
        true
    }

    /// A visitor no longer uses a service.
    fn release(&mut self, now: Nanos, entry: u32, handle: Handle, jobs: &mut Jobs) {
        let service = &mut self.services[entry as usize];
        let next = service.finish(now, &mut self.machine, handle);
        jobs.release_hold(handle, self.id, entry);
        self.gets_thread(next, jobs);
    }

    fn withdraw(&mut self, now: Nanos, handle: Handle, jobs: &mut Jobs) -> bool {
        let MachineNode { monitor, machine, services, .. } = self;
        monitor.depart(now, || {
            let Visitor { job, demand, .. } = jobs[handle];
            let task = services.iter().find_map(|one| one.works_for(machine, handle));
            let left = task.map_or(demand, |task| machine.left(now, task));
            Left { kind: job.kind, served: demand.since(left) }
        });
        false
    }

    fn abandon(&mut self, now: Nanos, entry: u32, handle: Handle, jobs: &mut Jobs) {
        let service = &mut self.services[entry as usize];
        let done = self.done.map(|(task, _)| task);
        for next in service.withdraw(now, &mut self.machine, handle, done) {
            self.gets_thread(Some(next), jobs);
        }
    }

    fn begin_measuring(&mut self, now: Nanos) {
        self.machine.begin_measuring(now);
        self.monitor.begin(now);
    }

    fn summary(&self, now: Nanos, detail: Detail) -> Option<NodeSummary> {
        let (station, machine) = self.figures(now, detail);
        Some(NodeSummary::Machine { station, machine, os: self.os.clone() })
    }

    fn schedule(&self) -> Option<&Schedule> {
        self.machine.schedule()
    }
}
