//! Priorities that are raised for a while after certain waits of a task: Windows.

use thinktime_file::time::Nanos;

use super::super::features::{Boosts, Decay, Priorities, Starvation};
use super::super::task::{Cause, Task};

#[derive(Clone, Copy, Debug)]
pub(super) struct BoostRules {
    boosts: Boosts,
    /// The level of the boosts' ceiling.
    ceiling: u32,
    starvation: Option<Rescue>,
}

#[derive(Clone, Copy, Debug)]
struct Rescue {
    after: Nanos,
    every: Nanos,
    level: u32,
    slices: u32,
}

const NO_BOOSTS: Boosts =
    Boosts { start: 0, network: 0, disk: 0, event: 0, ceiling: 0, decay: Decay::Reset };

impl BoostRules {
    pub(super) fn new(rules: &Priorities) -> Option<BoostRules> {
        let level = |priority| rules.levels.level_of(priority).unwrap_or(0);
        let starvation = match rules.starvation {
            Some(Starvation::Boost { after, every, to, slices }) => {
                Some(Rescue { after: after.0, every: every.0, level: level(to), slices })
            }
            _ => None,
        };
        if rules.boosts.is_none() && starvation.is_none() {
            return None;
        }
        let boosts = rules.boosts.unwrap_or(NO_BOOSTS);
        Some(BoostRules { boosts, ceiling: level(boosts.ceiling), starvation })
    }

    pub(super) fn level(&self, task: &Task) -> u32 {
        match self.starvation {
            Some(rescue) if task.rescued => rescue.level.min(task.origin.level),
            _ => task.origin.level - task.boost,
        }
    }

    fn raise(&self, task: &mut Task, levels: u32) {
        let most = task.origin.level.saturating_sub(self.ceiling);
        task.boost = task.boost.max(levels.min(most));
    }

    pub(super) fn begin(&self, task: &mut Task) {
        self.raise(task, self.boosts.start);
    }

    pub(super) fn wake(&self, task: &mut Task, cause: Cause) {
        let levels = match cause {
            Cause::Network => self.boosts.network,
            Cause::Disk => self.boosts.disk,
            Cause::Timer => 0,
            Cause::Event => self.boosts.event,
        };
        self.raise(task, levels);
    }

    pub(super) fn slice_ended(&self, task: &mut Task) {
        if task.rescued {
            (task.rescued, task.boost) = (false, 0);
        } else {
            task.boost = match self.boosts.decay {
                Decay::OneLevel => task.boost.saturating_sub(1),
                Decay::Reset => 0,
            };
        }
        task.level = self.level(task);
    }

    pub(super) fn rescues_every(&self) -> Option<Nanos> {
        self.starvation.map(|rescue| rescue.every)
    }

    pub(super) fn starves(&self, task: &Task, now: Nanos) -> bool {
        self.starvation.is_some_and(|rescue| !task.rescued && now.since(task.since) >= rescue.after)
    }

    pub(super) fn rescue(&self, task: &mut Task) {
        let Some(rescue) = self.starvation else { return };
        task.rescued = true;
        task.slice_left = Nanos(task.slice.0.saturating_mul(rescue.slices.into()));
        task.level = self.level(task);
    }
}
