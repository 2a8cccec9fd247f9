//! What all clients of a workload have in common, checked.

use super::file::{ClientsTable, RetryBudgetTable, Reuse};
use crate::error::Invalid;
use crate::units::parse_share;

/// Limits on all clients together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClientLimits {
    /// The largest number of attempts in flight.
    pub concurrency: u64,
    /// The largest number of attempts that wait until others have ended.
    pub waiting: u64,
    /// The limit of all retries together, if there is one.
    pub retry_budget: Option<RetryBudget>,
    /// How long a connection to a real server is used.
    pub connections: Reuse,
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
        connections: Reuse::KeepAlive,
    };

    pub(super) fn from_table(
        table: Option<&ClientsTable>,
    ) -> Result<ClientLimits, (&'static str, Invalid)> {
        let Some(table) = table else { return Ok(ClientLimits::NONE) };
        if table.concurrency == Some(0) {
            return Err(("concurrency", Invalid::new("must be at least 1")));
        }
        if table.waiting.is_some() && table.concurrency.is_none() {
            return Err(("waiting", Invalid::new("goes with `concurrency` only")));
        }
        let budget = table.retry_budget.as_ref().map(RetryBudget::from_table).transpose();
        Ok(ClientLimits {
            concurrency: table.concurrency.map_or(u64::MAX, u64::from),
            waiting: table.waiting.map_or(u64::MAX, u64::from),
            retry_budget: budget.map_err(|error| ("retry_budget", error))?,
            connections: table.connections.unwrap_or_default(),
        })
    }
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
