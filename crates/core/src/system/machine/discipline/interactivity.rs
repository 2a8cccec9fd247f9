//! Priorities that follow from how much a task sleeps: Linux 2.6.22, `kernel/sched.c`.

use thinktime_file::time::Nanos;

use super::super::features::Interactivity;
use super::super::task::{Cause, Task};

#[derive(Clone, Copy, Debug)]
pub(super) struct InteractivityRules {
    bonus_maximum: u64,
    maximum: Nanos,
    /// The sleep average that equals one level.
    unit: Nanos,
    delta: i64,
    tick: Nanos,
    child_share: f64,
    creator_average: Nanos,
    /// In 1024ths.
    waiting_share: u32,
    worst: u32,
    /// For all cores.
    granularity: Option<Nanos>,
}

impl InteractivityRules {
    pub(super) fn new(
        features: &Interactivity,
        worst: u32,
        granularity: Option<Nanos>,
        cores: u32,
    ) -> InteractivityRules {
        let maximum = features.sleep_average_maximum.0;
        InteractivityRules {
            bonus_maximum: features.bonus_maximum.into(),
            maximum,
            unit: Nanos((maximum.0 / u64::from(features.bonus_maximum)).max(1)),
            delta: features.delta.into(),
            tick: features.tick.0,
            child_share: features.child_share,
            creator_average: features.creator_sleep_average.0.min(maximum),
            waiting_share: (features.waiting_share * 1024.0).round() as u32,
            worst,
            granularity: granularity.map(|span| Nanos(span.0 * u64::from(cores))),
        }
    }

    fn bonus(&self, average: Nanos) -> u64 {
        average.0 / self.unit.0
    }

    pub(super) fn level(&self, task: &Task) -> u32 {
        let above = self.bonus(task.sleep_average) as i64 - (self.bonus_maximum / 2) as i64;
        (i64::from(task.origin.level) - above).clamp(0, self.worst.into()) as u32
    }

    /// How far above its static level a task is interactive.
    fn delta(&self, task: &Task) -> i64 {
        let share = u64::from(task.origin.level) * self.bonus_maximum / 40;
        share as i64 - (self.bonus_maximum / 2) as i64 + self.delta
    }

    pub(super) fn is_interactive(&self, task: &Task) -> bool {
        i64::from(task.level) <= i64::from(task.origin.level) - self.delta(task)
    }

    /// A new task, whose creator has this sleep average; `None` if the creator is not on this
    /// machine.
    pub(super) fn begin(&self, task: &mut Task, creator: Option<Nanos>) {
        let bonus = self.bonus(creator.unwrap_or(self.creator_average)) as f64;
        let share = (bonus * self.child_share).floor() as u64;
        task.sleep_average = Nanos(share * self.unit.0).min(self.maximum);
    }

    /// The task has run for its stint.
    pub(super) fn ran(&self, task: &mut Task) {
        let bonus = self.bonus(task.sleep_average).max(1);
        let paid = task.stint.min(self.maximum).0 / bonus;
        task.sleep_average = task.sleep_average.since(Nanos(paid));
    }

    pub(super) fn wake(&self, task: &mut Task, slept: Nanos, cause: Cause) {
        self.sleep(task, slept, cause == Cause::Disk);
        task.credit = match cause {
            Cause::Event => self.waiting_share,
            // A task that waited for a disk does not rise above the ceiling by waiting for a core.
            Cause::Disk => 0,
            Cause::Network | Cause::Timer => 1024,
        };
    }

    /// The wait for a core after a wake counts as sleep too.
    pub(super) fn credit(&self, task: &mut Task, waited: Nanos) {
        let share = (u128::from(waited.0) * u128::from(task.credit) / 1024) as u64;
        task.credit = 0;
        self.sleep(task, Nanos(share), false);
    }

    fn sleep(&self, task: &mut Task, slept: Nanos, input_output: bool) {
        let levels = (self.bonus_maximum / 2) as i64 + self.delta(task) + 1;
        let ceiling = Nanos(levels.max(0) as u64 * self.unit.0).since(self.tick);
        let average = task.sleep_average;
        task.sleep_average = if slept > ceiling && average < ceiling {
            ceiling
        } else if input_output {
            average.max(ceiling.min(average + slept))
        } else {
            self.maximum.min(average + slept)
        };
    }

    /// How long an interactive task runs before others of its level have their turn.
    #[inline]
    pub(super) fn granule(&self, task: &Task) -> Option<Nanos> {
        let granularity = self.granularity.filter(|_| self.is_interactive(task))?;
        let bonus = self.bonus(task.sleep_average);
        let doublings = self.bonus_maximum.saturating_sub(bonus).max(1) - 1;
        Some(Nanos(granularity.0.saturating_mul(1 << doublings.min(40))))
    }
}
