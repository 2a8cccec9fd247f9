//! The combinations of features that are allowed.

use super::{
    Arrays, Dynamic, Features, Levels, LoadIndex, MoveNumber, Priorities, QueueNumber, Slice, Span,
    Starvation, StaticPolicy, TimeSharing, Transfer,
};
use crate::error::Invalid;
use crate::time::Nanos;

type Checked = Result<(), Invalid>;

fn refuse(message: &str) -> Checked {
    Err(Invalid::new(message))
}

/// Sums and products of times in tables of features fit a word up to this one.
const LONGEST: Nanos = Nanos(1_000_000_000_000_000);

fn positive(name: &str, span: Span) -> Checked {
    if span.0 > Nanos::ZERO && span.0 <= LONGEST {
        return Ok(());
    }
    Err(Invalid::new(format!("{name} must be longer than 0s, and at most 1000000s")))
}

/// A clock that ticks faster would make an event of each tick.
fn ticks(tick: Option<Span>) -> Checked {
    if tick.is_none_or(|tick| (Nanos(100_000)..=LONGEST).contains(&tick.0)) {
        return Ok(());
    }
    refuse("time_sharing.tick must be at least 100us, and at most 1000000s")
}

impl Features {
    /// Refuses features that make no sense, with the reason.
    pub(super) fn check(&self) -> Checked {
        match &self.time_sharing {
            TimeSharing::Priorities(features) => features.check(self.run_queues.arrays)?,
            TimeSharing::VirtualRuntime(features) => {
                self.one_array()?;
                features.levels.check()?;
                features.levels.check_weights()?;
                positive("time_sharing.period", features.period)?;
                positive("time_sharing.minimum_granularity", features.minimum_granularity)?;
                ticks(features.tick)?;
            }
            TimeSharing::VirtualDeadline(features) => {
                self.one_array()?;
                features.levels.check()?;
                features.levels.check_weights()?;
                positive("time_sharing.slice", features.slice)?;
                ticks(features.tick)?;
            }
            TimeSharing::ProcessorSharing => self.shared()?,
        }
        self.check_static()?;
        match (&self.balancing.dynamic, self.run_queues.number) {
            (Some(_), QueueNumber::One) => refuse(
                "balancing.dynamic moves tasks between queues, but run_queues.number is \"one\": \
                 take it out, or have one-per-core",
            ),
            (Some(dynamic), QueueNumber::OnePerCore) => dynamic.check(),
            (None, _) => Ok(()),
        }
    }

    fn one_array(&self) -> Checked {
        match (self.run_queues.arrays, self.run_queues.number) {
            (Arrays::ActiveAndExpired, _) => refuse(
                "run_queues.arrays = \"active-and-expired\" goes with the discipline `priorities` \
                 only: virtual times say by themselves whose turn is over",
            ),
            (Arrays::Single, QueueNumber::One) => refuse(
                "virtual times are kept by each core: run_queues.number must be \"one-per-core\"",
            ),
            (Arrays::Single, QueueNumber::OnePerCore) => Ok(()),
        }
    }

    fn shared(&self) -> Checked {
        if self.run_queues.number == QueueNumber::OnePerCore
            || self.run_queues.arrays == Arrays::ActiveAndExpired
        {
            return refuse(
                "under processor-sharing nobody waits in a queue: run_queues.number must be \
                 \"one\", with a single array",
            );
        }
        Ok(())
    }

    fn check_static(&self) -> Checked {
        let fixed = &self.balancing.fixed;
        match (&fixed.probabilities, fixed.policy) {
            (None, _) => Ok(()),
            (Some(_), policy) if policy != StaticPolicy::Random => {
                refuse("balancing.static.probabilities goes with policy = \"random\" only")
            }
            (Some(all), _) => {
                let sum: f64 = all.iter().sum();
                if all.iter().all(|one| *one >= 0.0) && (sum - 1.0).abs() < 1e-9 {
                    return Ok(());
                }
                refuse("balancing.static.probabilities must be 0 or more, and 1 together")
            }
        }
    }
}

impl Levels {
    fn check(&self) -> Checked {
        let steps = |to: i32| (i64::from(to) - i64::from(self.best)) * self.direction();
        let named = [self.best, self.high, self.average, self.low, self.worst];
        if !named.windows(2).all(|pair| steps(pair[0]) <= steps(pair[1])) {
            return refuse(
                "time_sharing.levels must go in one direction: best, high, average, low, worst",
            );
        }
        if self.best == self.worst || steps(self.worst) > 200 {
            return refuse("time_sharing.levels must have 2 to 201 levels");
        }
        if self.level_of(self.default).is_none() {
            return refuse("time_sharing.levels.default must lie between best and worst");
        }
        Ok(())
    }

    /// Weights are known for nice values only.
    fn check_weights(&self) -> Checked {
        if (self.best, self.worst) == (-20, 19) {
            return Ok(());
        }
        refuse("virtual times weigh tasks by nice values: time_sharing.levels go from -20 to 19")
    }

    fn direction(&self) -> i64 {
        if self.worst >= self.best { 1 } else { -1 }
    }

    /// The number of levels from the best one down to a priority; `None` outside the scale.
    #[must_use]
    pub fn level_of(&self, priority: i32) -> Option<u32> {
        let steps = (i64::from(priority) - i64::from(self.best)) * self.direction();
        let worst = (i64::from(self.worst) - i64::from(self.best)) * self.direction();
        (0..=worst).contains(&steps).then_some(steps as u32)
    }

    /// The priority of a name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<i32> {
        let names = [
            ("best", self.best),
            ("high", self.high),
            ("average", self.average),
            ("low", self.low),
            ("worst", self.worst),
            ("default", self.default),
        ];
        names.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }
}

impl Priorities {
    fn check(&self, arrays: Arrays) -> Checked {
        self.levels.check()?;
        self.slice.check()?;
        if self.interactivity.is_some() && self.boosts.is_some() {
            return refuse(
                "time_sharing has both interactivity and boosts, two rules for the same \
                 priorities: take one out",
            );
        }
        if self.slice.granularity.is_some() && self.interactivity.is_none() {
            return refuse(
                "time_sharing.slice.granularity is for interactive tasks, and there is no \
                 time_sharing.interactivity",
            );
        }
        let expired = arrays == Arrays::ActiveAndExpired;
        self.check_starvation(expired)?;
        if let Some(boosts) = self.boosts
            && self.levels.level_of(boosts.ceiling).is_none()
        {
            return refuse("time_sharing.boosts.ceiling must be one of time_sharing.levels");
        }
        self.interactivity.map_or(Ok(()), |features| features.check(expired))
    }

    fn check_starvation(&self, expired: bool) -> Checked {
        match self.starvation {
            Some(Starvation::ExpiredLimit { .. }) if !expired => refuse(
                "time_sharing.starvation.kind = \"expired-limit\" needs expired tasks: \
                     run_queues.arrays = \"active-and-expired\"",
            ),
            Some(Starvation::Boost { to, .. }) if self.levels.level_of(to).is_none() => {
                refuse("time_sharing.starvation.to must be one of time_sharing.levels")
            }
            Some(Starvation::Boost { slices: 0, .. }) => {
                refuse("time_sharing.starvation.slices must be 1 or more")
            }
            Some(Starvation::Boost { after, every, .. }) => {
                positive("time_sharing.starvation.after", after)?;
                positive("time_sharing.starvation.every", every)
            }
            _ => Ok(()),
        }
    }
}

impl super::Interactivity {
    fn check(&self, expired: bool) -> Checked {
        if !expired {
            return refuse(
                "time_sharing.interactivity keeps interactive tasks active, which needs \
                 run_queues.arrays = \"active-and-expired\"",
            );
        }
        if !(2..=100).contains(&self.bonus_maximum) {
            return refuse("time_sharing.interactivity.bonus_maximum must be from 2 to 100");
        }
        positive("time_sharing.interactivity.sleep_average_maximum", self.sleep_average_maximum)?;
        let shares = [self.child_share, self.waiting_share];
        if shares.iter().all(|share| (0.0..=1.0).contains(share)) {
            return Ok(());
        }
        refuse("time_sharing.interactivity.child_share and waiting_share must be from 0 to 1")
    }
}

impl Slice {
    fn check(&self) -> Checked {
        positive("time_sharing.slice.length", self.length)?;
        if let Some(length) = self.length_above_average {
            positive("time_sharing.slice.length_above_average", length)?;
        }
        self.granularity.map_or(Ok(()), |span| positive("time_sharing.slice.granularity", span))?;
        if self.by_priority && self.minimum.is_none() {
            return refuse(
                "time_sharing.slice.by_priority makes slices short: give it a minimum, as in \
                 minimum = \"5ms\"",
            );
        }
        self.minimum.map_or(Ok(()), |least| positive("time_sharing.slice.minimum", least))
    }
}

impl Dynamic {
    fn check(&self) -> Checked {
        let when = &self.information;
        if when.demand_driven.is_none()
            && when.periodic.is_none()
            && when.state_change_driven.is_empty()
        {
            return refuse(
                "balancing.dynamic.information says nothing, so balancing would never be tried: \
                 give demand_driven, periodic or state_change_driven",
            );
        }
        if self.selection.number == MoveNumber::Count(0) {
            return refuse("balancing.dynamic.selection.number = 0 moves no task: give 1 or more");
        }
        if let Some(interval) = when.periodic {
            positive("balancing.dynamic.information.periodic", interval)?;
        }
        match self.load_index {
            LoadIndex::AgeingQueueLength { weight, tick } => {
                positive("balancing.dynamic.load_index.tick", tick)?;
                if !(weight > 0.0 && weight < 1.0) {
                    return refuse("balancing.dynamic.load_index.weight must be above 0, below 1");
                }
            }
            LoadIndex::AverageQueueLength { time_span } => {
                positive("balancing.dynamic.load_index.time_span", time_span)?;
            }
            LoadIndex::QueueLength => {}
        }
        self.check_transfer()
    }

    fn check_transfer(&self) -> Checked {
        match self.transfer {
            Transfer::Threshold { lower_bound, upper_bound } if lower_bound > upper_bound => {
                refuse(
                    "balancing.dynamic.transfer.lower_bound is above upper_bound: a core could \
                     both give and take",
                )
            }
            Transfer::Threshold { lower_bound: 0, .. } => refuse(
                "balancing.dynamic.transfer.lower_bound = 0 lets no core ever take: a core takes \
                 if its load is below",
            ),
            Transfer::Relative { difference } if difference < 2 => refuse(
                "balancing.dynamic.transfer.difference must be 2 or more: with 1 a task would go \
                 to and fro",
            ),
            _ => Ok(()),
        }
    }
}
