//! A system file's server of tokens, checked.

use thinktime_file::error::Invalid;
use thinktime_file::schema::{Scalar, SchemaError};
use thinktime_file::system::TokenServerTable;
use thinktime_file::time::Nanos;
use thinktime_file::units::parse_time;

use crate::system::demand::{Demand, DemandLaw};
use crate::system::node::NodeModel;
use crate::system::read::{ReadResult, Reading, at_least_one, named};
use crate::system::token_demand::TokenDemand;

/// A server of tokens, checked.
#[derive(Clone, Debug)]
pub struct TokenServerModel {
    /// Its name.
    pub name: String,
    /// How long steps take, and what they may hold.
    pub steps: Steps,
    demand: Demand,
}

/// How long steps take, and what they may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    /// The time of a step without what is in it.
    pub time: Nanos,
    /// The time that each request in it adds; with `time` at least 1 ns.
    pub request_time: Nanos,
    /// The time that each token of a prompt adds that it reads.
    pub prompt_token_time: Nanos,
    /// The most requests in it, at least 1.
    pub max_batch: u32,
    /// The most tokens of prompts that it reads, at least 1; `None` for any number.
    pub prefill_chunk: Option<u32>,
    /// The most tokens in memory, at least 1; `None` for any number.
    pub memory: Option<u64>,
}

/// The shares of a step's time that full steps would need.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StepShares {
    /// If all places were taken.
    pub(super) places: f64,
    /// If what is the closest to full were full.
    pub(super) all: f64,
}

/// No time of a step is longer.
const LONGEST_S: f64 = 3600.0;

impl Steps {
    fn from_table(table: &TokenServerTable) -> ReadResult<Steps> {
        let or_zero = |key: &str, value: &Option<Scalar>| {
            value.as_ref().map_or(Ok(Nanos::ZERO), |value| time(key, value))
        };
        let steps = Steps {
            time: time("step_time", &table.step_time)?,
            request_time: or_zero("request_time", &table.request_time)?,
            prompt_token_time: or_zero("prompt_token_time", &table.prompt_token_time)?,
            max_batch: at_least_one("max_batch", table.max_batch)?,
            prefill_chunk: table.prefill_chunk,
            memory: table.memory,
        };
        let wrong = |key: &str, why: &str| Err((key.to_owned(), Invalid::new(why)));
        if steps.time + steps.request_time == Nanos::ZERO {
            return wrong("step_time", "must be more than 0s, or `request_time` must");
        }
        if steps.prefill_chunk == Some(0) {
            return wrong("prefill_chunk", "must be at least 1");
        }
        match steps.memory {
            Some(0) => wrong("memory", "must be at least 1"),
            _ => Ok(steps),
        }
    }

    /// The time of a step with this many requests that reads this many tokens of prompts.
    pub(super) fn time_of(&self, requests: u64, prompt_tokens: u64) -> Nanos {
        let part = |time: Nanos, number: u64| time.0.saturating_mul(number);
        let own = part(self.request_time, requests);
        let prompts = part(self.prompt_token_time, prompt_tokens);
        Nanos(self.time.0.saturating_add(own).saturating_add(prompts))
    }

    /// The parts of a step's time that its content would need in steps that are full: of requests;
    /// and of requests, of tokens of prompts or of tokens in memory, whichever needs the most.
    pub(super) fn shares_needed(&self, requests: u64, prompt_tokens: u64, held: u64) -> StepShares {
        let of_batch = requests as f64 / f64::from(self.max_batch);
        let of_chunk =
            self.prefill_chunk.map_or(0.0, |most| prompt_tokens as f64 / f64::from(most));
        let of_memory = self.memory.map_or(0.0, |most| held as f64 / most as f64);
        let whole = self.time_of(requests, prompt_tokens).as_f64();
        let share = |of: f64| 1.0 - self.time.as_f64() * (1.0 - of) / whole;
        StepShares { places: share(of_batch), all: share(of_batch.max(of_chunk).max(of_memory)) }
    }

    fn demand(&self) -> TokenDemand {
        let shared = self.time.as_f64() / f64::from(self.max_batch);
        let step = shared + self.request_time.as_f64();
        TokenDemand::new(step, self.prompt_token_time, self.prefill_chunk)
    }
}

impl TokenServerModel {
    fn from_table(table: &TokenServerTable) -> ReadResult<TokenServerModel> {
        let steps = Steps::from_table(table)?;
        let demand = Demand::All(DemandLaw::Tokens(Box::new(steps.demand())));
        Ok(TokenServerModel { name: named(&table.name)?, steps, demand })
    }
}

fn time(key: &str, value: &Scalar) -> ReadResult<Nanos> {
    let placed = |error: Invalid| (key.to_owned(), error);
    let seconds = parse_time(&value.text()).map_err(placed)?;
    if seconds > LONGEST_S {
        return Err(placed(Invalid::new("must be at most an hour")));
    }
    Ok(Nanos::from_secs_f64(seconds))
}

impl NodeModel for TokenServerModel {
    fn read(reading: &Reading<'_>) -> Result<Vec<TokenServerModel>, SchemaError> {
        let name = |one: &TokenServerModel| one.name.clone();
        let tables = &reading.file.token_server;
        reading.all("token_server", tables, TokenServerModel::from_table, name)
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn entry_names(&self) -> Vec<&str> {
        vec![&self.name]
    }

    fn demand(&self, _: u32) -> Option<&Demand> {
        Some(&self.demand)
    }

    fn capacity(&self) -> Option<f64> {
        Some(1.0)
    }

    fn looks_at_tokens(&self) -> bool {
        true
    }

    /// A request that does not fit into the memory is turned away.
    fn is_unlimited(&self) -> bool {
        self.steps.memory.is_none()
    }
}
