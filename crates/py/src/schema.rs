//! Data for editors and help pages.

use pyo3::prelude::*;
use thinktime_core::distribution::ENTRIES;
use thinktime_core::file::WorkloadFile;
use thinktime_core::options::{RunOptions, SimulateOptions};
use thinktime_core::policy::dispatch;
use thinktime_core::record::Summary;
use thinktime_core::system::SystemFile;
use thinktime_net::generator::Plan;

use crate::errors::{InputError, invalid};
use crate::workload::Workload;

/// The JSON Schema of workload files, of system files, or of the summary of a result.
#[pyfunction]
pub(crate) fn schema(kind: &str) -> PyResult<String> {
    let schema = match kind {
        "workload" => WorkloadFile::schema(),
        "system" => SystemFile::schema(),
        "result" => Summary::schema(),
        other => {
            return Err(InputError::new_err(format!(
                "no schema for `{other}`: there are `workload`, `system` and `result`"
            )));
        }
    };
    serde_json::to_string_pretty(&schema).map_err(|error| InputError::new_err(error.to_string()))
}

/// (name, kind, summary) of every option of `run` or `simulate`.
#[pyfunction]
pub(crate) fn options(command: &str) -> PyResult<Vec<(&'static str, &'static str, &'static str)>> {
    let entries = match command {
        "run" => RunOptions::ENTRIES,
        "simulate" => SimulateOptions::ENTRIES,
        other => {
            let message = format!("no options of `{other}`: there are `run` and `simulate`");
            return Err(InputError::new_err(message));
        }
    };
    Ok(entries.iter().map(|entry| (entry.name, entry.kind, entry.about)).collect())
}

/// The end of a `run` or a `simulate` of this workload: (requests, time in seconds), each perhaps
/// None.
#[pyfunction]
pub(crate) fn planned_end(
    command: &str,
    workload: &Workload,
    options: &str,
) -> PyResult<(Option<u64>, Option<f64>)> {
    let limit = if command == "run" {
        let plan = |options| Plan::of(&options, &workload.inner, None);
        RunOptions::from_json(options).and_then(plan).map(|plan| plan.limit)
    } else {
        SimulateOptions::from_json(options).and_then(|options| options.limit(&workload.inner))
    };
    let limit = limit.map_err(|error| invalid(&error))?;
    let until_s = (!limit.until.is_never()).then(|| limit.until.as_secs_f64());
    Ok(((limit.requests < u64::MAX).then_some(limit.requests), until_s))
}

/// (usage, summary, source) of every distribution.
#[pyfunction]
pub(crate) fn distributions() -> Vec<(&'static str, &'static str, &'static str)> {
    ENTRIES.iter().map(|entry| (entry.usage, entry.summary, entry.source)).collect()
}

/// Usage, summary, required information, and source.
type DispatchPolicy = (&'static str, &'static str, Vec<&'static str>, &'static str);

/// (usage, summary, required information, source) of every dispatch policy.
#[pyfunction]
pub(crate) fn dispatch_policies() -> Vec<DispatchPolicy> {
    let needs = |entry: &dispatch::Entry| entry.needs.iter().map(|need| need.word()).collect();
    let one = |entry: &dispatch::Entry| (entry.usage, entry.summary, needs(entry), entry.source);
    dispatch::ENTRIES.iter().map(one).collect()
}
