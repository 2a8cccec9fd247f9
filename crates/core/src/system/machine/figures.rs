//! The figures of a machine over the measured time.

use serde::{Deserialize, Serialize};
use thinktime_file::time::Nanos;

use super::LimitSummary;

/// The figures of a machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MachineSummary {
    /// The length of the measured time, in seconds.
    pub duration_s: f64,
    /// The fraction of time that each core was busy.
    pub core_loads: Vec<f64>,
    /// The time average of the number of tasks of each core, the running one included. Under one
    /// queue for all, or processor sharing, waiting tasks belong to no core.
    pub core_tasks_mean: Vec<f64>,
    /// The time average of the number of tasks that wait for a core.
    pub run_queue_mean: f64,
    /// The largest number of tasks that waited for a core.
    pub run_queue_max: u64,
    /// Tasks that were moved from one core's queue to another's.
    pub migrations: u64,
    /// Tasks that lost their core to another one before their burst was done.
    pub preemptions: u64,
    /// The number of switches of a core to another task.
    pub context_switches: u64,
    /// Each service that has a CPU limit.
    #[serde(default)]
    pub limits: Vec<LimitSummary>,
}

impl MachineSummary {
    /// Averages with another measurement of the same machine, each weighted by its length.
    pub fn join(&mut self, other: &MachineSummary) {
        let total = self.duration_s + other.duration_s;
        let share = if total > 0.0 { other.duration_s / total } else { 0.0 };
        let weigh = |mine: &mut f64, theirs: f64| *mine += (theirs - *mine) * share;
        let lists = [
            (&mut self.core_loads, &other.core_loads),
            (&mut self.core_tasks_mean, &other.core_tasks_mean),
        ];
        for (mine, theirs) in lists {
            mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| weigh(mine, *theirs));
        }
        weigh(&mut self.run_queue_mean, other.run_queue_mean);
        self.run_queue_max = self.run_queue_max.max(other.run_queue_max);
        self.migrations += other.migrations;
        self.preemptions += other.preemptions;
        self.context_switches += other.context_switches;
        let limits = self.limits.iter_mut().zip(&other.limits);
        limits.for_each(|(mine, theirs)| mine.join(theirs));
        self.duration_s = total;
    }
}

/// Counts events, and tasks that wait.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) migrations: u64,
    pub(super) preemptions: u64,
    pub(super) switches: u64,
    /// Tasks that wait for a core now.
    pub(super) waiting: u64,
    waiting_max: u64,
    waited: u128,
    changed: Nanos,
    began: Nanos,
}

impl Counts {
    #[inline]
    pub(super) fn set_waiting(&mut self, now: Nanos, waiting: u64) {
        self.waited += u128::from(now.since(self.changed).0) * u128::from(self.waiting);
        (self.waiting, self.changed) = (waiting, now);
        self.waiting_max = self.waiting_max.max(waiting);
    }

    pub(super) fn begin_measuring(&mut self, now: Nanos) {
        *self = Counts {
            waiting: self.waiting,
            waiting_max: self.waiting,
            changed: now,
            began: now,
            ..Counts::default()
        };
    }

    /// The summary, with each core's values: its time with a task, and the integral of its tasks.
    pub(super) fn summary(
        mut self,
        now: Nanos,
        cores: impl Iterator<Item = (Nanos, u128)>,
    ) -> MachineSummary {
        self.set_waiting(now, self.waiting);
        let span = now.since(self.began).0 as f64;
        let average = |integral: f64| if span > 0.0 { integral / span } else { 0.0 };
        let (loads, tasks) =
            cores.map(|(busy, present)| (average(busy.0 as f64), average(present as f64))).unzip();
        MachineSummary {
            duration_s: span * 1e-9,
            core_loads: loads,
            core_tasks_mean: tasks,
            run_queue_mean: average(self.waited as f64),
            run_queue_max: self.waiting_max,
            migrations: self.migrations,
            preemptions: self.preemptions,
            context_switches: self.switches,
            limits: Vec::new(),
        }
    }
}
