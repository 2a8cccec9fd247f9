//! A group's pool, and the runtime that each core has of it.

use thinktime_file::time::Nanos;

use super::super::limit::Limit;
use super::super::task::TaskId;
use super::LimitSummary;

/// What a core draws at a time: `sched_cfs_bandwidth_slice_us`.
const SLICE: i64 = 5_000_000;
/// What a core without tasks keeps: `min_cfs_rq_runtime`.
const KEPT: i64 = 1_000_000;
/// How long returned runtime is gathered before it is given out: `cfs_bandwidth_slack_period`.
const GATHERING: Nanos = Nanos(5_000_000);
/// With less time than that to the next period nothing is given out: `min_bandwidth_expiration`.
const TOO_LATE: Nanos = Nanos(2_000_000);

/// A group at one core.
#[derive(Clone, Debug, Default)]
struct Local {
    /// What is left of the runtime that was drawn, in nanoseconds; negative if more was used.
    runtime: i64,
    /// The number of its tasks that are ready or running there.
    present: u64,
    throttled: bool,
    /// The time from which a task waits because of that.
    since: Option<Nanos>,
    /// These tasks, in the order in which they continue.
    parked: Vec<TaskId>,
}

#[derive(Clone, Debug)]
pub(super) struct Group {
    service: String,
    limit: Limit,
    /// Runtime that no core has drawn, in nanoseconds.
    pool: i64,
    locals: Vec<Local>,
    /// The cores on which it is throttled, the first one first.
    throttled: Vec<usize>,
    /// Nothing was drawn since the period began.
    idle: bool,
    /// When the first period began: periods begin at multiples of their length after that, as the
    /// kernel's timer is forwarded by whole periods, however long it stood still.
    origin: Option<Nanos>,
    /// When the next period begins; never while the timer stands still.
    period_at: Nanos,
    /// When returned runtime is given out.
    slack_at: Nanos,
    periods: u64,
    throttled_periods: u64,
    throttled_time: u64,
    waiting: Waiting,
}

/// Tasks that wait because of the limit, on all cores.
#[derive(Clone, Copy, Debug, Default)]
struct Waiting {
    number: u64,
    /// The time for which they have waited up to `changed`, in nanoseconds, summed over tasks.
    waited: u128,
    changed: Nanos,
}

impl Waiting {
    fn change(&mut self, now: Nanos, more: i64) {
        self.waited += u128::from(now.since(self.changed).0) * u128::from(self.number);
        self.number = self.number.wrapping_add_signed(more);
        self.changed = now;
    }
}

impl Group {
    pub(super) fn new(service: &str, limit: Limit, cores: usize) -> Group {
        Group {
            service: service.to_owned(),
            limit,
            pool: limit.quota.0 as i64,
            locals: vec![Local::default(); cores],
            throttled: Vec::new(),
            idle: false,
            origin: None,
            period_at: Nanos::MAX,
            slack_at: Nanos::MAX,
            periods: 0,
            throttled_periods: 0,
            throttled_time: 0,
            waiting: Waiting::default(),
        }
    }

    pub(super) fn next_event(&self) -> Nanos {
        self.period_at.min(self.slack_at)
    }

    /// The runtime that a core has.
    pub(super) fn runtime(&self, core: usize) -> Nanos {
        Nanos(self.locals[core].runtime.max(0) as u64)
    }

    pub(super) fn is_throttled(&self, core: usize) -> bool {
        self.locals[core].throttled
    }

    /// The timer of periods runs from the next use on.
    fn start(&mut self, now: Nanos) {
        if self.period_at.is_never() {
            let origin = *self.origin.get_or_insert(now);
            let begun = now.since(origin).0 / self.limit.period.0;
            self.period_at = origin + Nanos((begun + 1) * self.limit.period.0);
        }
    }

    /// Draws from the pool so much that a core has this runtime, or all that is left. Gives
    /// whether it has any then.
    fn draw(&mut self, core: usize, target: i64, now: Nanos) -> bool {
        self.start(now);
        let local = &mut self.locals[core];
        let amount = self.pool.min(target - local.runtime);
        if amount > 0 {
            self.pool -= amount;
            local.runtime += amount;
            self.idle = false;
        }
        local.runtime > 0
    }

    /// Charges a core. Gives whether it has runtime then.
    pub(super) fn charge(&mut self, core: usize, ran: Nanos, now: Nanos) -> bool {
        self.locals[core].runtime -= ran.0 as i64;
        self.locals[core].runtime > 0 || self.draw(core, SLICE, now)
    }

    /// Throttles a core without runtime, unless the pool has some by now. Gives whether it did.
    pub(super) fn throttle(&mut self, core: usize, now: Nanos) -> bool {
        if self.locals[core].runtime > 0 || self.draw(core, 1, now) {
            return false;
        }
        self.locals[core].throttled = true;
        self.throttled.push(core);
        true
    }

    /// Whether a task may enter a core's queue. The first one there draws runtime.
    pub(super) fn admits(&mut self, core: usize, now: Nanos) -> bool {
        let local = &self.locals[core];
        if local.throttled || local.present > 0 {
            return !local.throttled;
        }
        self.charge(core, Nanos::ZERO, now) || !self.throttle(core, now)
    }

    /// This many more tasks are there. The last one to leave returns runtime.
    pub(super) fn count(&mut self, core: usize, more: i64, now: Nanos) {
        let local = &mut self.locals[core];
        local.present = local.present.wrapping_add_signed(more);
        let spare = local.runtime - KEPT;
        if local.present > 0 || spare <= 0 {
            return;
        }
        local.runtime = KEPT;
        self.pool += spare;
        let late = self.period_at.since(now) < GATHERING + TOO_LATE;
        if self.pool > SLICE && !self.throttled.is_empty() && !late {
            self.slack_at = self.slack_at.min(now + GATHERING);
        }
    }

    pub(super) fn park(&mut self, core: usize, task: TaskId, now: Nanos) {
        let local = &mut self.locals[core];
        local.since.get_or_insert(now);
        local.parked.push(task);
        self.waiting.change(now, 1);
    }

    pub(super) fn forget(&mut self, core: usize, task: TaskId, now: Nanos) {
        self.locals[core].parked.retain(|other| *other != task);
        self.waiting.change(now, -1);
    }

    /// Acts on the timers that are due: gives the cores that are no longer throttled, and the tasks
    /// that waited there.
    pub(super) fn advance(&mut self, now: Nanos) -> Vec<(usize, Vec<TaskId>)> {
        let mut gives = false;
        if self.period_at == now {
            gives = self.begin_period(now);
        }
        if self.slack_at == now {
            self.slack_at = Nanos::MAX;
            gives |= self.pool > SLICE && self.period_at.since(now) >= TOO_LATE;
        }
        if gives { self.distribute(now) } else { Vec::new() }
    }

    /// A period begins. Gives whether cores wait for runtime.
    fn begin_period(&mut self, now: Nanos) -> bool {
        let Limit { quota, period, burst } = self.limit;
        let (quota, burst) = (quota.0 as i64, burst.0 as i64);
        self.periods += 1;
        self.pool = (self.pool + quota).min(quota + burst);
        let waits = !self.throttled.is_empty();
        let stops = self.idle && !waits;
        self.period_at = if stops { Nanos::MAX } else { now + period };
        self.throttled_periods += u64::from(waits);
        self.idle = !waits;
        waits
    }

    /// Cores get back what they used too much and a nanosecond, in the order in which they were
    /// throttled, as long as the pool lasts.
    fn distribute(&mut self, now: Nanos) -> Vec<(usize, Vec<TaskId>)> {
        let mut freed = Vec::new();
        for core in std::mem::take(&mut self.throttled) {
            let local = &mut self.locals[core];
            let amount = self.pool.min(1 - local.runtime);
            self.pool -= amount;
            local.runtime += amount;
            if local.runtime <= 0 {
                self.throttled.push(core);
                continue;
            }
            local.throttled = false;
            self.throttled_time += local.since.take().map_or(0, |since| now.since(since).0);
            let parked = std::mem::take(&mut local.parked);
            self.waiting.change(now, -(parked.len() as i64));
            freed.push((core, parked));
        }
        freed
    }

    pub(super) fn begin_measuring(&mut self, now: Nanos) {
        (self.periods, self.throttled_periods, self.throttled_time) = (0, 0, 0);
        self.waiting = Waiting { changed: now, waited: 0, ..self.waiting };
        for local in &mut self.locals {
            local.since = local.since.map(|_| now);
        }
    }

    pub(super) fn summary(&self, now: Nanos) -> LimitSummary {
        let since = self.locals.iter().filter_map(|local| local.since);
        let going_on: u64 = since.map(|since| now.since(since).0).sum();
        let mut waiting = self.waiting;
        waiting.change(now, 0);
        LimitSummary {
            service: self.service.clone(),
            periods: self.periods,
            throttled_periods: self.throttled_periods,
            throttled_s: (self.throttled_time + going_on) as f64 * 1e-9,
            waited_s: waiting.waited as f64 * 1e-9,
        }
    }
}
