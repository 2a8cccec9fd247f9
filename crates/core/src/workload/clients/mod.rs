//! The common properties of all clients of a population.

pub(super) mod authorization;
pub(super) mod breaker;
pub(super) mod credentials;
mod fields;
pub(super) mod secret;

use thinktime_file::error::Invalid;
use thinktime_file::units::parse_share;
use thinktime_file::workload::{ClientsTable, ConnectionsValue, RetryBudgetTable, Reuse};

use self::breaker::BreakerRules;
use crate::share::Share;
use crate::trace::TRACEPARENT;

/// Limits on all clients together.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientLimits {
    /// The largest number of attempts in flight.
    pub concurrency: u64,
    /// The largest number of attempts that wait until others have ended.
    pub waiting: u64,
    /// The limit of all retries together, if there is one.
    pub retry_budget: Option<RetryBudget>,
    /// The circuit breaker, if there is one.
    pub breaker: Option<Box<BreakerRules>>,
    /// How long a connection to a real server is used.
    pub connections: Reuse,
    /// Whether the limit of attempts in flight is that of a pool of connections.
    pub pooled: bool,
    /// Whether requests carry their trace's id.
    pub traced: bool,
}

impl ClientLimits {
    /// Whether attempts may fail unsent: if the greatest numbers that are in flight and that wait
    /// are reached, or the breaker is open.
    #[must_use]
    pub fn turn_away(&self) -> bool {
        let limited = self.concurrency < u64::MAX && self.waiting < u64::MAX;
        limited || self.breaker.is_some()
    }
}

/// A token bucket for retries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetryBudget {
    /// The tokens that each request puts in.
    pub share: f64,
    /// The most tokens that it holds, and holds at first.
    pub burst: f64,
}

impl ClientLimits {
    /// No limits.
    pub const NONE: ClientLimits = ClientLimits {
        concurrency: u64::MAX,
        waiting: u64::MAX,
        retry_budget: None,
        breaker: None,
        connections: Reuse::KeepAlive,
        pooled: false,
        traced: false,
    };

    pub(super) fn from_table(
        table: Option<&ClientsTable>,
    ) -> Result<ClientLimits, (&'static str, Invalid)> {
        let Some(table) = table else { return Ok(ClientLimits::NONE) };
        if table.concurrency == Some(0) {
            return Err(("concurrency", Invalid::new("must be at least 1")));
        }
        let (connections, pool) = match table.connections {
            Some(ConnectionsValue::Pool(0)) => {
                return Err(("connections", Invalid::new("must be at least 1")));
            }
            Some(ConnectionsValue::Pool(_)) if table.concurrency.is_some() => {
                let why = "is how many requests are in flight: leave `concurrency` out";
                return Err(("connections", Invalid::new(why)));
            }
            Some(ConnectionsValue::Pool(number)) => (Reuse::KeepAlive, Some(number)),
            Some(ConnectionsValue::Reuse(reuse)) => (reuse, None),
            None => (Reuse::default(), None),
        };
        if table.waiting.is_some() && table.concurrency.or(pool).is_none() {
            let why = "goes with `concurrency` or a number of `connections` only";
            return Err(("waiting", Invalid::new(why)));
        }
        let budget = table.retry_budget.as_ref().map(RetryBudget::from_table).transpose();
        let breaker = table.breaker.as_ref().map(BreakerRules::from_table).transpose();
        Ok(ClientLimits {
            concurrency: table.concurrency.or(pool).map_or(u64::MAX, u64::from),
            waiting: table.waiting.map_or(u64::MAX, u64::from),
            retry_budget: budget.map_err(|error| ("retry_budget", error))?,
            breaker: breaker.map_err(|error| ("breaker", error))?.map(Box::new),
            connections,
            pooled: pool.is_some(),
            traced: traced(table).map_err(|error| ("traceparent", error))?,
        })
    }
}

/// Whether requests carry their trace's id, and have no such field otherwise.
fn traced(table: &ClientsTable) -> Result<bool, Invalid> {
    let traced = table.traceparent == Some(true);
    if traced && table.headers.keys().any(|name| name.eq_ignore_ascii_case(TRACEPARENT)) {
        return Err(Invalid::new("does not go with a `traceparent` among the `headers`"));
    }
    Ok(traced)
}

impl RetryBudget {
    fn from_table(table: &RetryBudgetTable) -> Result<RetryBudget, Invalid> {
        let share = parse_share(&table.share.text())?;
        let burst = table.burst.unwrap_or(10.0);
        if !(burst >= 0.0 && burst.is_finite()) {
            return Err(Invalid::new(format!("`burst` must be 0 or more, not {burst}")));
        }
        Ok(RetryBudget { share, burst })
    }
}

impl ClientLimits {
    /// The limits of a share's clients.
    pub(crate) fn of_share(&self, share: Share) -> ClientLimits {
        let part = |budget: RetryBudget| RetryBudget {
            burst: (budget.burst / share.of as f64).max(1.0),
            ..budget
        };
        ClientLimits {
            concurrency: share.of_number(self.concurrency),
            waiting: share.of_number(self.waiting),
            retry_budget: self.retry_budget.map(part),
            breaker: self.breaker.as_ref().map(|rules| Box::new(rules.of_share(share))),
            ..*self
        }
    }
}
