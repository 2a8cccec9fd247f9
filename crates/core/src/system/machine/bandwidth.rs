//! CPU limits of services: the bandwidth control of Linux's control groups, as of 6.6
//! (`kernel/sched/fair.c`, `Documentation/scheduler/sched-bwc.rst`). The README beside has the
//! rules. This file knows how much runtime there is, and no scheduling.

mod group;

use serde::{Deserialize, Serialize};
use thinktime_file::time::Nanos;

use super::MachineModel;
use super::features::{Features, TimeSharing};
use super::task::TaskId;
use group::Group;

/// A group's figures over the measured time, as `cpu.stat` has them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LimitSummary {
    /// The service.
    pub service: String,
    /// Periods in which the group was at work (`nr_periods`).
    pub periods: u64,
    /// Those at whose end it was throttled on at least one core (`nr_throttled`).
    pub throttled_periods: u64,
    /// The time for which it was throttled, in seconds, summed over cores (`throttled_usec`).
    pub throttled_s: f64,
    /// The time for which its threads waited because of that, in seconds, summed over threads.
    pub waited_s: f64,
}

impl LimitSummary {
    /// Adds another measurement of the same group.
    pub(super) fn join(&mut self, other: &LimitSummary) {
        self.periods += other.periods;
        self.throttled_periods += other.throttled_periods;
        self.throttled_s += other.throttled_s;
        self.waited_s += other.waited_s;
    }
}

/// No group.
const NONE: u32 = u32::MAX;

/// The group whose task a core runs.
#[derive(Clone, Copy, Debug)]
struct AtWork {
    group: u32,
    /// The time up to which the running is charged.
    charged: Nanos,
    /// The group is to be throttled there, as soon as its task has left the core.
    exhausted: u32,
}

/// The groups of a machine: its services that have a limit.
#[derive(Debug)]
pub(super) struct Bandwidth {
    groups: Vec<Group>,
    /// By service, its group or [`NONE`].
    group_of: Vec<u32>,
    /// By core.
    at_work: Vec<AtWork>,
    /// Runtime that is used up is noticed at ticks only.
    tick: Option<Nanos>,
    /// When a timer is due.
    pub(super) next: Nanos,
}

impl Bandwidth {
    /// `None` if no service has a limit.
    pub(super) fn new(model: &MachineModel) -> Option<Box<Bandwidth>> {
        let cores = model.cores as usize;
        let mut groups = Vec::new();
        let mut group_of = Vec::new();
        for service in &model.services {
            let limit = service.limit.map(|limit| Group::new(&service.name, limit, cores));
            group_of.push(if limit.is_some() { groups.len() as u32 } else { NONE });
            groups.extend(limit);
        }
        let idle = AtWork { group: NONE, charged: Nanos::ZERO, exhausted: NONE };
        (!groups.is_empty()).then(|| {
            let at_work = vec![idle; cores];
            let tick = tick(&model.features);
            Box::new(Bandwidth { groups, group_of, at_work, tick, next: Nanos::MAX })
        })
    }

    /// Whether two services are one group.
    pub(super) fn is_of(&self, service: u32, group: u32) -> bool {
        self.group_of[service as usize] == group
    }

    fn find_next(&mut self) {
        self.next = self.groups.iter().map(Group::next_event).min().unwrap_or(Nanos::MAX);
    }

    /// A core begins to run a task of a service, which is charged from a time on.
    pub(super) fn begin(&mut self, core: usize, service: u32, from: Nanos) {
        let at = &mut self.at_work[core];
        (at.group, at.charged) = (self.group_of[service as usize], from);
    }

    /// A core's task, which is charged, has left it.
    pub(super) fn end(&mut self, core: usize) {
        self.at_work[core].group = NONE;
    }

    /// Charges the group of the running task, and draws a slice if its runtime is used up. Gives
    /// whether it may run on.
    pub(super) fn charge(&mut self, core: usize, now: Nanos) -> bool {
        let at = &mut self.at_work[core];
        if at.group == NONE {
            return true;
        }
        let ran = now.since(at.charged);
        at.charged = at.charged.max(now);
        let goes_on = self.groups[at.group as usize].charge(core, ran, now);
        at.exhausted = if goes_on { NONE } else { at.group };
        self.find_next();
        goes_on
    }

    /// When the runtime of the running task's group is used up there.
    #[inline]
    pub(super) fn due(&self, core: usize) -> Nanos {
        let at = &self.at_work[core];
        if at.group == NONE {
            return Nanos::MAX;
        }
        if at.exhausted != NONE {
            return at.charged;
        }
        let end = at.charged + self.groups[at.group as usize].runtime(core);
        match self.tick {
            Some(tick) => Nanos(end.0.div_ceil(tick.0) * tick.0),
            None => end,
        }
    }

    /// A core, whose task has left it, throttles the group whose runtime it could not refill, and
    /// which it names.
    pub(super) fn throttle(&mut self, core: usize, now: Nanos) -> Option<u32> {
        let group = std::mem::replace(&mut self.at_work[core].exhausted, NONE);
        let throttled = group != NONE && self.groups[group as usize].throttle(core, now);
        throttled.then(|| {
            self.find_next();
            group
        })
    }

    /// Whether a task of a service may enter a core's queue.
    pub(super) fn admits(&mut self, core: usize, service: u32, now: Nanos) -> bool {
        let group = self.group_of[service as usize];
        if group == NONE {
            return true;
        }
        let admits = self.groups[group as usize].admits(core, now);
        self.find_next();
        admits
    }

    /// Whether the group of a service is throttled on a core.
    pub(super) fn is_throttled(&self, core: usize, service: u32) -> bool {
        let group = self.group_of[service as usize];
        group != NONE && self.groups[group as usize].is_throttled(core)
    }

    /// This many more tasks of a service are ready or running on a core.
    pub(super) fn count(&mut self, core: usize, service: u32, more: i64, now: Nanos) {
        let group = self.group_of[service as usize];
        if group != NONE {
            self.groups[group as usize].count(core, more, now);
            self.find_next();
        }
    }

    /// A task waits at a core until its group is no longer throttled there.
    pub(super) fn park(&mut self, core: usize, service: u32, task: TaskId, now: Nanos) {
        self.groups[self.group_of[service as usize] as usize].park(core, task, now);
    }

    /// A task that waits so ends.
    pub(super) fn forget(&mut self, core: usize, service: u32, task: TaskId, now: Nanos) {
        self.groups[self.group_of[service as usize] as usize].forget(core, task, now);
    }

    /// Acts on the timers that are due: gives the cores on which a group is no longer throttled,
    /// in order, each with the tasks that wait for that.
    pub(super) fn advance(&mut self, now: Nanos) -> Vec<(usize, Vec<TaskId>)> {
        let freed = self.groups.iter_mut().flat_map(|group| group.advance(now)).collect();
        self.find_next();
        freed
    }

    pub(super) fn begin_measuring(&mut self, now: Nanos) {
        self.groups.iter_mut().for_each(|group| group.begin_measuring(now));
    }

    pub(super) fn summaries(&self, now: Nanos) -> Vec<LimitSummary> {
        self.groups.iter().map(|group| group.summary(now)).collect()
    }
}

fn tick(features: &Features) -> Option<Nanos> {
    match &features.time_sharing {
        TimeSharing::VirtualRuntime(rules) => rules.tick.map(|tick| tick.0),
        TimeSharing::VirtualDeadline(rules) => rules.tick.map(|tick| tick.0),
        TimeSharing::Priorities(_) | TimeSharing::ProcessorSharing => None,
    }
}
