//! Values that Python passes: times with units, files beside a file.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;
use thinktime_core::client::Limit;
use thinktime_core::data::DataTable;
use thinktime_core::error::Invalid;
use thinktime_core::files::{Files, numbers_of};
use thinktime_core::program::ProgramSource;
use thinktime_core::replay::{LogOptions, RequestLog};
use thinktime_core::time::Nanos;
use thinktime_core::units::parse_time;
use thinktime_data::{Keep, RunTable};
use thinktime_script::Script;

use crate::errors::{InputError, invalid};
use crate::replay;
use crate::workload::Workload;

/// Reads files that are named relative to a directory.
#[derive(Clone, Debug, Default)]
pub(crate) struct DiskFiles {
    directory: PathBuf,
    /// Whether any was asked for.
    used: Arc<AtomicBool>,
    /// Whether scripts, data files and logs may be missing: sessions fail then, or ask for little.
    lenient: bool,
}

impl DiskFiles {
    /// Beside `file`.
    pub(crate) fn beside(file: &str) -> DiskFiles {
        let directory = Path::new(file).parent().map_or_else(PathBuf::new, Path::to_owned);
        DiskFiles { directory, ..DiskFiles::default() }
    }

    /// Those of a result: a script, a data file or a log that has gone since does not make it
    /// unreadable.
    pub(crate) fn of_result(directory: Option<&str>) -> DiskFiles {
        let directory = directory.map(PathBuf::from).unwrap_or_default();
        DiskFiles { directory, lenient: true, ..DiskFiles::default() }
    }

    /// The whole path of the directory, if a file was asked for.
    pub(crate) fn directory_if_used(&self) -> Option<String> {
        let used = self.used.load(Ordering::Relaxed);
        let path = used.then(|| std::path::absolute(self.directory.join(".")))?;
        path.ok().map(|path| path.display().to_string())
    }
}

impl Files for DiskFiles {
    fn read(&self, name: &str) -> Result<String, Invalid> {
        self.used.store(true, Ordering::Relaxed);
        let path = self.directory.join(name);
        std::fs::read_to_string(&path)
            .map_err(|error| Invalid::new(format!("{}: {error}", path.display())))
    }

    fn bytes(&self, name: &str) -> Result<Vec<u8>, Invalid> {
        self.used.store(true, Ordering::Relaxed);
        let path = self.directory.join(name);
        std::fs::read(&path).map_err(|error| Invalid::new(format!("{}: {error}", path.display())))
    }

    fn program(&self, name: &str, requests: &[&str]) -> Result<Arc<dyn ProgramSource>, Invalid> {
        let text = match self.read(name) {
            Err(error) if self.lenient => {
                format!("error({:?}, 0)", error.to_string())
            }
            other => other?,
        };
        Ok(Arc::new(Script::compile(name, &text, requests)?))
    }

    fn log(&self, name: &str, options: &LogOptions) -> Result<RequestLog, Invalid> {
        self.used.store(true, Ordering::Relaxed);
        match replay::read(&self.directory.join(name), options) {
            Err(_) if self.lenient => Ok(RequestLog::stand_in()),
            log => log,
        }
    }

    fn table(&self, name: &str) -> Result<DataTable, Invalid> {
        match self.read(name) {
            Err(_) if self.lenient => {
                Ok(DataTable { name: name.to_owned(), ..DataTable::default() })
            }
            text => DataTable::parse(name, &text?),
        }
    }

    fn numbers(&self, name: &str, column: Option<&str>) -> Result<Vec<f64>, Invalid> {
        self.used.store(true, Ordering::Relaxed);
        if name.ends_with(".parquet") {
            return thinktime_data::read_column(&self.directory.join(name), column)
                .map_err(|error| Invalid::new(error.to_string()));
        }
        numbers_of(&self.read(name)?, name, column)
    }
}

/// A time as Python gives it: `"250ms"`, or a number of seconds.
#[derive(FromPyObject)]
pub(crate) enum Time {
    Seconds(f64),
    Text(String),
}

impl Time {
    /// Whether it is to be found: `"auto"`.
    pub(crate) fn is_auto(&self) -> bool {
        matches!(self, Time::Text(text) if text == "auto")
    }

    pub(crate) fn seconds(&self) -> PyResult<f64> {
        let text = match self {
            Time::Seconds(seconds) => seconds.to_string(),
            Time::Text(text) => text.clone(),
        };
        parse_time(&text).map_err(|error| invalid(&error))
    }
}

/// When a run ends, from what the caller gave.
pub(crate) fn limit(
    requests: Option<u64>,
    duration: Option<&Time>,
    warmup: Option<&Time>,
) -> PyResult<Limit> {
    let seconds = |time: Option<&Time>| time.map(Time::seconds).transpose();
    let until = match seconds(duration)? {
        None => Nanos::MAX,
        Some(0.0) => return Err(InputError::new_err("a duration must be more than 0s")),
        Some(duration_s) => Nanos::from_secs_f64(duration_s),
    };
    if requests == Some(0) {
        return Err(InputError::new_err("at least 1 request is needed"));
    }
    let given = warmup.filter(|time| !time.is_auto());
    let warmup = Nanos::from_secs_f64(seconds(given)?.unwrap_or(0.0));
    Ok(Limit { requests: requests.unwrap_or(u64::MAX), until, warmup })
}

/// Rows kept where nobody says which.
const ROWS_KEPT: f64 = 1e6;

/// Which rows are kept: `all`, `none`, `1/N` of the sessions; without a word all of them, or such
/// a share that about a million are kept of those expected.
pub(crate) fn keep(word: Option<&str>, expected: f64) -> PyResult<Keep> {
    match word {
        None if expected > ROWS_KEPT => Ok(Keep::OneIn((expected / ROWS_KEPT).ceil() as u64)),
        None | Some("all") => Ok(Keep::All),
        Some("none") => Ok(Keep::None),
        Some(other) => match other.strip_prefix("1/").and_then(|share| share.parse().ok()) {
            Some(share) if share > 0 => Ok(Keep::OneIn(share)),
            _ => Err(InputError::new_err(format!(
                "`{other}` does not say which rows to keep: `all`, `none`, or `1/N` of the sessions"
            ))),
        },
    }
}

/// What `run.toml` says of every kind of run.
pub(crate) fn run_table(workload: &Workload, limit: &Limit, keep: Keep) -> RunTable {
    RunTable {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        seed: workload.inner.seed,
        workload_files: workload.files.directory_if_used(),
        requests: (limit.requests < u64::MAX).then_some(limit.requests),
        duration_s: (!limit.until.is_never()).then(|| limit.until.as_secs_f64()),
        warmup_s: limit.warmup.as_secs_f64(),
        rows: match keep {
            Keep::All => "all".to_owned(),
            Keep::None => "none".to_owned(),
            Keep::OneIn(share) => format!("1/{share}"),
        },
        ..RunTable::default()
    }
}
