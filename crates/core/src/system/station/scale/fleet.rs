//! The servers of a station as numbers, and the rule that changes them.

use thinktime_file::time::Nanos;

use super::super::summary::ScaleSummary;
use super::model::{LoadRule, Rule, ScaleModel};
use super::wishes::Wishes;
use crate::random::StreamFamily;

/// The servers that take requests, those that start, and what the rule wants.
#[derive(Clone, Debug)]
pub(super) struct Fleet {
    model: ScaleModel,
    draws: StreamFamily,
    drawn: u64,
    up: u32,
    /// When each of those that start will be there, in the order of their beginning.
    starting: Vec<Nanos>,
    wishes: Wishes,
    /// When the rule next looks at the load, or the plan's next step begins.
    look_at: Nanos,
    /// The number of looks and steps before.
    looks: usize,
    /// The busy servers, without those that leave; and those.
    busy: u32,
    leaving: u32,
    /// Until when the times below are counted.
    counted: Nanos,
    /// The time of busy servers since the last look, in nanoseconds.
    busy_time: u128,
    totals: Totals,
}

/// What happened from the beginning on; the times in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    there: u128,
    starting: u128,
    additions: u64,
    removals: u64,
}

/// Rounding must not want another server if the load is a whole number of targets.
const ROUNDING: f64 = 1e-9;

impl Fleet {
    pub(super) fn new(model: ScaleModel, draws: StreamFamily) -> Fleet {
        let look_at = match &model.rule {
            Rule::Load(rule) => rule.every,
            Rule::Requests => Nanos::MAX,
            Rule::Time(plan) => plan.start(1),
        };
        Fleet {
            up: model.first(),
            wishes: Wishes::new(model.wait, model.first()),
            model,
            draws,
            drawn: 0,
            starting: Vec::new(),
            look_at,
            looks: 0,
            busy: 0,
            leaving: 0,
            counted: Nanos::ZERO,
            busy_time: 0,
            totals: Totals::default(),
        }
    }

    /// The servers that take requests.
    pub(super) fn up(&self) -> u32 {
        self.up
    }

    /// When the number of servers may next change, if no request comes or goes.
    pub(super) fn next(&self) -> Nanos {
        let there = self.starting.iter().min().copied().unwrap_or(Nanos::MAX);
        there.min(self.wishes.next()).min(self.look_at)
    }

    /// Makes up for the time to now.
    pub(super) fn catch_up(&mut self, now: Nanos) {
        while self.next() <= now {
            self.act(self.next());
            self.skip(now);
        }
        self.pass(now);
    }

    /// From now on this many servers are busy, and as many others leave.
    pub(super) fn note(&mut self, now: Nanos, busy: u32, leaving: u32) {
        self.pass(now);
        (self.busy, self.leaving) = (busy, leaving);
    }

    /// This many requests are there now.
    pub(super) fn see(&mut self, now: Nanos, number: u32) {
        if self.model.rule == Rule::Requests {
            self.want(now, number);
        }
    }

    /// What happened until now.
    pub(super) fn totals(&self, now: Nanos) -> Totals {
        let mut then = self.clone();
        then.catch_up(now);
        then.totals
    }

    fn pass(&mut self, now: Nanos) {
        let passed = u128::from(now.since(self.counted).0);
        self.counted = now;
        self.busy_time += u128::from(self.busy) * passed;
        self.totals.there += u128::from(self.up + self.leaving) * passed;
        self.totals.starting += self.starting.len() as u128 * passed;
    }

    /// All that happens at [`Fleet::next`], which is `now`.
    fn act(&mut self, now: Nanos) {
        self.pass(now);
        let before = self.starting.len();
        self.starting.retain(|there| *there > now);
        (self.starting.len()..before).for_each(|_| self.add());
        self.wishes.pass(now);
        if self.look_at > now {
            return self.fit(now);
        }
        self.looks += 1;
        let (wanted, next) = match &self.model.rule {
            Rule::Load(rule) => (self.wanted(rule), now + rule.every),
            Rule::Requests => (self.up, Nanos::MAX),
            Rule::Time(plan) => (plan.number(self.looks), plan.start(self.looks + 1)),
        };
        (self.busy_time, self.look_at) = (0, next);
        self.want(now, wanted);
    }

    /// Leaves out the looks until now at which nothing would change, of which a long time without
    /// requests may have very many.
    fn skip(&mut self, now: Nanos) {
        let Rule::Load(rule) = &self.model.rule else { return };
        let rests = self.busy == 0 && self.busy_time == 0 && self.up == self.model.from;
        if rests && self.starting.is_empty() && self.wishes.next().is_never() {
            let looks = now.since(self.look_at).0 / rule.every.0;
            self.look_at += Nanos(looks * rule.every.0);
        }
    }

    /// The servers that Kubernetes' Horizontal Pod Autoscaler would want: as many as bring the load
    /// to its target, unless it is near that already. Servers that start count as idle if more
    /// are wanted, and not at all if fewer are.
    fn wanted(&self, rule: &LoadRule) -> u32 {
        let there = self.up + self.starting.len() as u32;
        let busy = self.busy_time as f64 / rule.every.as_f64();
        let near = |ratio: f64| (ratio - 1.0).abs() <= rule.tolerance;
        let ratio_of = |servers: u32| busy / f64::from(servers) / rule.target;
        let ratio = ratio_of(self.up);
        if ratio > 1.0 && self.up < there {
            let with_starting = ratio_of(there);
            if near(with_starting) || with_starting < 1.0 {
                return there;
            }
        } else if near(ratio) {
            return there;
        }
        (busy / rule.target - ROUNDING).ceil() as u32
    }

    fn want(&mut self, now: Nanos, wanted: u32) {
        let within = wanted.clamp(self.model.from, self.model.to);
        self.wishes.set(now, within);
        self.fit(now);
    }

    /// Starts servers or lets them go, until there are as many as wanted. Of those that go, those
    /// that start are the first, the one that began last before the others: a choice by the times
    /// that are left would favour short ones.
    fn fit(&mut self, now: Nanos) {
        let wanted = self.wishes.most();
        let there = self.up + self.starting.len() as u32;
        (there..wanted).for_each(|_| self.start(now));
        for _ in wanted..there {
            if self.starting.pop().is_none() {
                self.up -= 1;
                self.totals.removals += 1;
            }
        }
    }

    fn start(&mut self, now: Nanos) {
        let Some(law) = &self.model.delay else { return self.add() };
        let delay = law.sample(&mut self.draws.stream(self.drawn));
        self.drawn += 1;
        let there = now + Nanos::from_secs_f64(delay);
        if there == now {
            return self.add();
        }
        self.starting.push(there);
    }

    fn add(&mut self) {
        self.up += 1;
        self.totals.additions += 1;
    }
}

impl Totals {
    pub(super) fn since(&self, before: &Totals) -> Totals {
        Totals {
            there: self.there - before.there,
            starting: self.starting - before.starting,
            additions: self.additions - before.additions,
            removals: self.removals - before.removals,
        }
    }

    /// Of a time as long as this.
    pub(super) fn summary(&self, span: Nanos) -> ScaleSummary {
        let mean = |time: u128| if span.0 > 0 { time as f64 / span.as_f64() } else { 0.0 };
        ScaleSummary {
            servers_mean: mean(self.there),
            setups_mean: mean(self.starting),
            additions: self.additions,
            removals: self.removals,
        }
    }
}
