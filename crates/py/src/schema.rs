//! What editors and help pages ask for.

use pyo3::prelude::*;
use thinktime_core::distribution::ENTRIES;
use thinktime_core::system::SystemFile;
use thinktime_core::workload::WorkloadFile;

use crate::errors::InputError;

/// The JSON Schema of workload or system files.
#[pyfunction]
pub(crate) fn schema(kind: &str) -> PyResult<String> {
    let schema = match kind {
        "workload" => schemars::schema_for!(WorkloadFile),
        "system" => schemars::schema_for!(SystemFile),
        other => {
            let message = format!("no schema for `{other}`: there are `workload` and `system`");
            return Err(InputError::new_err(message));
        }
    };
    serde_json::to_string_pretty(&schema).map_err(|error| InputError::new_err(error.to_string()))
}

/// (usage, summary, source) of every distribution.
#[pyfunction]
pub(crate) fn distributions() -> Vec<(&'static str, &'static str, &'static str)> {
    ENTRIES.iter().map(|entry| (entry.usage, entry.summary, entry.source)).collect()
}
