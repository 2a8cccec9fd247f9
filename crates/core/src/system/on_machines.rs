//! Requests on machines.

use super::jobs::{Handle, NOBODY, Place};
use super::machine::{
    Burst, Cause, Given, Machine, MachineSummary, NO_TASK, Schedule, TaskId, Work,
};
use super::{DemandSource, REFUSED, StationSummary, System};
use crate::time::Nanos;

impl<D: DemandSource> System<D> {
    /// A visitor wants a burst of a service.
    pub(super) fn serve(&mut self, now: Nanos, handle: Handle, service: usize, demand: Nanos) {
        let visitor = &mut self.jobs[handle];
        visitor.demand = demand;
        visitor.entered = now;
        let work = Work { owner: handle, kind: visitor.job.kind, session: visitor.job.session };
        let cause = std::mem::take(&mut visitor.waited_for);
        let parent = visitor.parent;
        let machine = self.services[service].machine;
        let burst = Burst { work, demand, cause, creator: self.task_on(machine, parent) };
        let given = self.services[service].serve(now, &mut self.machines[machine], burst);
        if given == Given::Refused {
            return self.fail(now, handle, REFUSED);
        }
        self.machine_monitors[machine].arrive(now, demand);
        let place = service as u32;
        self.jobs[handle].place =
            if given == Given::Runs { Place::Thread(place) } else { Place::NoThread(place) };
    }

    /// A task of a visitor on a machine.
    fn task_on(&self, machine: usize, visitor: Handle) -> TaskId {
        if visitor == NOBODY {
            return NO_TASK;
        }
        let there = self.services.iter().filter(|service| service.machine == machine);
        there.filter_map(|service| service.task_of(visitor)).next().unwrap_or(NO_TASK)
    }

    /// A visitor does not use a service any more.
    pub(super) fn finish(&mut self, now: Nanos, handle: Handle, service: usize) {
        let machine = &mut self.machines[self.services[service].machine];
        if let Some(next) = self.services[service].finish(now, machine, handle) {
            self.jobs[next].place = Place::Thread(service as u32);
        }
    }

    /// A visitor is taken from a service in the middle.
    pub(super) fn withdraw_from_service(&mut self, now: Nanos, handle: Handle, service: usize) {
        let number = self.services[service].machine;
        let machine = &mut self.machines[number];
        let here = [Place::Thread(service as u32), Place::NoThread(service as u32)];
        if here.contains(&self.jobs[handle].place) {
            self.machine_monitors[number].depart(now);
        }
        for next in self.services[service].withdraw(now, machine, handle) {
            self.jobs[next].place = Place::Thread(service as u32);
        }
    }

    /// The event of a machine that is due.
    pub(super) fn advance_machine(&mut self, now: Nanos, number: usize) {
        if let Some(task) = self.machines[number].advance(now) {
            let (service, work) = self.machines[number].work(task);
            let handle = work.owner;
            self.machine_monitors[number].depart(now);
            let visitor = &mut self.jobs[handle];
            visitor.served += visitor.demand;
            visitor.place = Place::Between;
            let place = self.stations.len() as u32 + service;
            self.go_on(now, handle, place);
            let machine = &mut self.machines[number];
            if let Some(next) = self.services[service as usize].go_on(now, machine, task) {
                self.jobs[next].place = Place::Thread(service);
            }
        }
        self.machines[number].settle(now);
    }

    /// When a machine next wants to act.
    pub(super) fn next_of_machines(&self) -> Nanos {
        self.machines.iter().map(Machine::next_event).min().unwrap_or(Nanos::MAX)
    }

    pub(super) fn begin_measuring_machines(&mut self, now: Nanos) {
        for machine in &mut self.machines {
            machine.begin_measuring(now);
        }
        for monitor in &mut self.machine_monitors {
            monitor.begin(now);
        }
    }

    /// The machines as stations whose servers are the cores.
    pub(super) fn machine_stations(&self, now: Nanos) -> impl Iterator<Item = StationSummary> {
        let both = self.machine_monitors.iter().zip(&self.machines);
        both.map(move |(monitor, machine)| {
            let loads = machine.summary(now).core_loads;
            let load = loads.iter().sum::<f64>() / loads.len() as f64;
            StationSummary { load, ..monitor.summary(now) }
        })
    }

    /// What the machines were like so far.
    #[must_use]
    pub fn machine_summaries(&self, now: Nanos) -> Vec<MachineSummary> {
        self.machines.iter().map(|machine| machine.summary(now)).collect()
    }

    /// The first turns of cores since the measuring began.
    #[must_use]
    pub fn schedule(&self) -> Schedule {
        let mut all = Schedule::default();
        self.machines.iter().filter_map(Machine::schedule).for_each(|one| all.join(one));
        all
    }

    /// What a visitor waited for, if it is next seen by a machine.
    pub(super) fn waits_for(&mut self, handle: Handle, cause: Cause) {
        self.jobs[handle].waited_for = cause;
    }
}
