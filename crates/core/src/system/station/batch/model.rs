//! The keys of a station that serves in batches, checked.

use thinktime_file::error::Invalid;
use thinktime_file::system::StationTable;
use thinktime_file::time::Nanos;
use thinktime_file::units::parse_time;

use crate::policy::scheduling::{Discipline, Rank, Ties};
use crate::system::read::{ReadResult, at_least_one};

/// How many jobs a station serves together, and how long it waits for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchModel {
    /// The most jobs in a batch, at least 1.
    pub most: u32,
    /// How long the first of a batch waits for others while the server is idle.
    pub wait: Nanos,
}

impl BatchModel {
    /// The table `batch` of a station with this policy; `None` if each job is served alone.
    pub(in crate::system) fn from_table(
        table: &StationTable,
        discipline: &Discipline,
    ) -> ReadResult<Option<BatchModel>> {
        let Some(batch) = &table.batch else { return Ok(None) };
        let wrong = |key: &str, why: &str| Err((key.to_owned(), Invalid::new(why)));
        if discipline.rank != Rank::Equal || discipline.ties != Ties::FirstCome {
            return wrong("policy", "must be \"fcfs\" with `batch`: jobs join it as they came");
        }
        if table.servers.is_some_and(|servers| servers != 1) {
            let why = "must be 1 with `batch`: a cluster has several such servers";
            return wrong("servers", why);
        }
        let others = [
            ("rate", table.rate.is_some()),
            ("failure", table.failure.is_some()),
            ("setup", table.setup.is_some()),
            ("queue_limit", table.queue_limit.is_some()),
            ("queue_timeout", table.queue_timeout.is_some()),
            ("newest_first_above", table.newest_first_above.is_some()),
        ];
        if let Some((key, _)) = others.iter().find(|(_, is_there)| *is_there) {
            return wrong(key, "does not go with `batch` yet");
        }
        let most = at_least_one("batch.max", batch.max)?;
        let wait = match &batch.wait {
            None => 0.0, // an idle server begins at once
            Some(wait) => {
                let placed = |error: Invalid| ("batch.wait".to_owned(), error);
                parse_time(&wait.text()).map_err(placed)?
            }
        };
        Ok(Some(BatchModel { most, wait: Nanos::from_secs_f64(wait) }))
    }
}
