//! A rate limiter: a token bucket, which refuses requests beyond its rate, or a leaky bucket, which
//! lets them wait and pass one by one.

use std::collections::VecDeque;

use thinktime_file::error::Invalid;
use thinktime_file::schema::SchemaError;
use thinktime_file::system::{LimiterKind, LimiterTable};
use thinktime_file::time::Nanos;
use thinktime_file::units::parse_rate;

use super::ids::NodeId;
use super::jobs::{Handle, Jobs, Place};
use super::machine::Cause;
use super::node::{Answer, Build, Building, Node, NodeModel, Visit};
use super::read::{ReadResult, Reading, at_least_one, named};

/// A limiter, checked.
#[derive(Clone, Debug)]
pub struct LimiterModel {
    /// Its name.
    pub name: String,
    /// The time between two requests at its rate, more than [`Nanos::ZERO`].
    pub period: Nanos,
    /// What becomes of the others.
    pub excess: Excess,
}

/// What becomes of requests beyond the rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Excess {
    /// They are refused, if more than this many would pass at once; at least 1.
    Refused(u32),
    /// They wait, if no more than this many do.
    Waits(u64),
}

/// A limiter in motion.
#[derive(Debug)]
pub(super) struct Limiter {
    id: NodeId,
    period: Nanos,
    excess: Excess,
    /// When the bucket is as full as at first, or the next request may pass.
    clear_at: Nanos,
    waiting: VecDeque<Handle>,
    /// The waiting visitors that have not gone.
    waiting_count: u64,
}

impl LimiterModel {
    fn from_table(table: &LimiterTable) -> ReadResult<LimiterModel> {
        let fail = |key: &str, why: &str| Err((key.to_owned(), Invalid::new(why)));
        let rate = parse_rate(&table.rate.text()).map_err(|error| ("rate".to_owned(), error))?;
        let period = Nanos::from_secs_f64(1.0 / rate);
        if rate <= 0.0 || period == Nanos::ZERO || period.is_never() {
            return fail("rate", "must be more than 0, and at most 1e9/s");
        }
        // The default is the documented one, a bucket of tokens.
        let excess = match table.kind.unwrap_or_default() {
            LimiterKind::Token if table.queue_limit.is_some() => {
                let why = "goes with kind = \"leaky\": a bucket of tokens lets nobody wait";
                return fail("queue_limit", why);
            }
            LimiterKind::Leaky if table.burst.is_some() => {
                let why =
                    "goes with kind = \"token\": a leaky bucket lets requests pass one by one";
                return fail("burst", why);
            }
            LimiterKind::Token => Excess::Refused(at_least_one("burst", table.burst.unwrap_or(1))?),
            LimiterKind::Leaky => Excess::Waits(table.queue_limit.map_or(u64::MAX, u64::from)),
        };
        Ok(LimiterModel { name: named(&table.name)?, period, excess })
    }
}

impl LimiterModel {
    /// Whether it refuses no request.
    pub(super) fn lets_all_pass(&self) -> bool {
        self.excess == Excess::Waits(u64::MAX)
    }
}

impl NodeModel for LimiterModel {
    fn read(reading: &Reading<'_>) -> Result<Vec<LimiterModel>, SchemaError> {
        let name = |one: &LimiterModel| one.name.clone();
        reading.all("limiter", &reading.file.limiter, LimiterModel::from_table, name)
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn is_unlimited(&self) -> bool {
        self.lets_all_pass()
    }
}

impl Build for LimiterModel {
    type Node = Limiter;

    fn build(&self, id: NodeId, _: &Building<'_>) -> Limiter {
        let (waiting, waiting_count) = (VecDeque::new(), 0);
        let (period, excess, clear_at) = (self.period, self.excess, Nanos::ZERO);
        Limiter { id, period, excess, clear_at, waiting, waiting_count }
    }
}

impl Limiter {
    /// Whether a token bucket of this size lets a request pass now: the virtual scheduling
    /// algorithm of ITU-T I.371 (Annex A), which is a bucket that fills at the rate.
    fn passes(&mut self, now: Nanos, burst: u32) -> bool {
        let early = Nanos(self.period.0.saturating_mul(u64::from(burst) - 1));
        let passes = self.clear_at <= now + early;
        if passes {
            self.clear_at = self.clear_at.max(now) + self.period;
        }
        passes
    }

    /// Removes those at the head of the line that have gone.
    fn drop_gone(&mut self, jobs: &mut Jobs) {
        while let Some(first) = self.waiting.front()
            && jobs[*first].gone
        {
            jobs.still_waits(*first);
            self.waiting.pop_front();
        }
    }
}

impl Node for Limiter {
    fn arrive(&mut self, now: Nanos, visit: Visit, jobs: &mut Jobs) -> Answer {
        let excess = self.excess;
        let limit = match excess {
            Excess::Refused(burst) if self.passes(now, burst) => return Answer::GoesOn,
            Excess::Refused(_) => return Answer::Refused,
            Excess::Waits(limit) => limit,
        };
        self.drop_gone(jobs);
        if self.waiting.is_empty() && self.passes(now, 1) {
            return Answer::GoesOn;
        }
        if self.waiting_count >= limit {
            return Answer::Refused;
        }
        let visitor = &mut jobs[visit.handle];
        (visitor.place, visitor.waited_for) = (Place::Waiting(self.id), Cause::Event);
        // The wait is not a service.
        visitor.demand = Nanos::ZERO;
        self.waiting.push_back(visit.handle);
        self.waiting_count += 1;
        Answer::Stays
    }

    fn next_event(&self) -> Nanos {
        if self.waiting_count > 0 { self.clear_at } else { Nanos::MAX }
    }

    fn advance(&mut self, now: Nanos, jobs: &mut Jobs) -> Option<Handle> {
        self.drop_gone(jobs);
        let next = self.waiting.pop_front()?;
        self.waiting_count -= 1;
        self.clear_at = now + self.period;
        Some(next)
    }

    fn withdraw(&mut self, _: Nanos, _: Handle, _: &mut Jobs) -> bool {
        self.waiting_count -= 1;
        true
    }
}
