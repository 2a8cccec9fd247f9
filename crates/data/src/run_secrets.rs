//! The secrets of a result's workload, which `run.toml` does not keep.

use thinktime_core::file::WorkloadFile;
use thinktime_core::run_file::RunFile;
use thinktime_core::secrets;

/// A run's description for display and files: without secrets, whose places `run.secrets` names.
///
/// # Errors
/// If it cannot be put into a file.
pub fn without_secrets(run: &RunFile) -> Result<RunFile, String> {
    let (workload, places) = secrets::removed_from(&run.workload)?;
    let mut kept = RunFile { workload, ..run.clone() };
    kept.run.secrets.extend(places);
    kept.run.target = kept.run.target.map(|url| secrets::without_secrets(&url));
    Ok(kept)
}

/// The workload with its secrets, which come from `given` if some were removed.
///
/// # Errors
/// If a necessary `given` is missing, or lacks a removed secret.
pub fn whole_workload(run: &RunFile, given: Option<&WorkloadFile>) -> Result<WorkloadFile, String> {
    let places = &run.run.secrets;
    match given {
        None if places.is_empty() => Ok(run.workload.clone()),
        None => Err(format!(
            "results keep no secrets, and the workload had some at `{}`: give the workload that \
             has them",
            places.join("`, `"),
        )),
        Some(_) if places.is_empty() => {
            Err("a workload is given for its secrets alone, and there were none".to_owned())
        }
        Some(given) => secrets::with_secrets(&run.workload, given, places)
            .map_err(|why| format!("{}: it is not the workload of the result: {why}", given.name)),
    }
}
