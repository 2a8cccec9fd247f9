//! Files beside a file, on the disk.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use thinktime_core::column::{Column, numbers_of};
use thinktime_core::data::DataTable;
use thinktime_core::error::Invalid;
use thinktime_core::files::Files;
use thinktime_core::program::ProgramSource;
use thinktime_core::replay::{LogOptions, RequestLog};
use thinktime_core::request::RequestKind;
use thinktime_core::workload::WorkloadFiles;
use thinktime_script::Script;

use crate::errors::{InputError, invalid, words};
use crate::replay;

/// Reads files that are named relative to a directory.
#[derive(Clone, Debug, Default)]
pub(crate) struct DiskFiles {
    /// The file that names them; empty without one.
    pub(crate) named_by: String,
    directory: PathBuf,
    /// The places of files that are elsewhere, by the names that are used for them.
    elsewhere: Arc<BTreeMap<String, PathBuf>>,
    /// The requested files.
    used: Arc<Mutex<BTreeSet<String>>>,
    /// Whether scripts, data files and logs may be missing: sessions then fail, or request little.
    lenient: bool,
}

impl DiskFiles {
    /// Beside `file`.
    pub(crate) fn beside(file: &str) -> DiskFiles {
        let directory = Path::new(file).parent().map_or_else(PathBuf::new, Path::to_owned);
        DiskFiles { named_by: file.to_owned(), directory, ..DiskFiles::default() }
    }

    /// The same, with these files elsewhere, by name.
    pub(crate) fn with_elsewhere(self, elsewhere: BTreeMap<String, PathBuf>) -> DiskFiles {
        DiskFiles { elsewhere: Arc::new(elsewhere), ..self }
    }

    /// The place of a requested file.
    fn path(&self, name: &str) -> PathBuf {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned());
        self.elsewhere.get(name).cloned().unwrap_or_else(|| self.directory.join(name))
    }

    /// An error within a file that names it as the workload does: now with its folder.
    fn placed(&self, name: &str, error: &Invalid) -> Invalid {
        let path = self.directory.join(name).display().to_string();
        Invalid::new(error.to_string().replacen(name, &path, 1))
    }

    /// The requested files, by name, and their places.
    pub(crate) fn used(&self) -> BTreeMap<String, PathBuf> {
        let names = self.used.lock().unwrap_or_else(PoisonError::into_inner).clone();
        names.into_iter().map(|name| (name.clone(), self.path(&name))).collect()
    }

    /// The files of a result: it stays readable if a script, a data file or a log is gone.
    pub(crate) fn of_result(directory: Option<&str>) -> DiskFiles {
        // A run that requested no file noted no directory.
        let directory = directory.map(PathBuf::from).unwrap_or_default();
        DiskFiles { directory, lenient: true, ..DiskFiles::default() }
    }

    /// The files of a result to be repeated: all of them must exist.
    pub(crate) fn in_directory(directory: Option<&str>) -> DiskFiles {
        DiskFiles { lenient: false, ..DiskFiles::of_result(directory) }
    }

    /// The whole path of the directory, if a file was requested.
    pub(crate) fn directory_if_used(&self) -> Option<String> {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let path = (!used.is_empty()).then(|| std::path::absolute(self.directory.join(".")))?;
        path.ok().map(|path| path.display().to_string())
    }
}

impl Files for DiskFiles {
    fn read(&self, name: &str) -> Result<String, Invalid> {
        let path = self.path(name);
        refuse_device(&path)?;
        std::fs::read_to_string(&path)
            .map_err(|error| Invalid::new(format!("{}: {error}", path.display())))
    }

    fn bytes(&self, name: &str) -> Result<Vec<u8>, Invalid> {
        let path = self.path(name);
        refuse_device(&path)?;
        match std::fs::read(&path) {
            Err(_) if self.lenient => Ok(Vec::new()),
            bytes => bytes.map_err(|error| Invalid::new(format!("{}: {error}", path.display()))),
        }
    }

    fn may_be_missing(&self) -> bool {
        self.lenient
    }

    fn table(&self, name: &str) -> Result<DataTable, Invalid> {
        match self.read(name) {
            Err(_) if self.lenient => {
                Ok(DataTable { name: name.to_owned(), ..DataTable::default() })
            }
            text => DataTable::parse(name, &text?).map_err(|error| self.placed(name, &error)),
        }
    }

    fn numbers(&self, name: &str, column: Option<&str>) -> Result<Column, Invalid> {
        if name.ends_with(".parquet") {
            return thinktime_data::read_column(&self.path(name), column)
                .map_err(|error| Invalid::new(error.to_string()));
        }
        numbers_of(&self.read(name)?, name, column).map_err(|error| self.placed(name, &error))
    }
}

impl WorkloadFiles for DiskFiles {
    fn program(
        &self,
        name: &str,
        requests: &[RequestKind],
    ) -> Result<Arc<dyn ProgramSource>, Invalid> {
        let text = match self.read(name) {
            Err(error) if self.lenient => {
                format!("error({:?}, 0)", error.to_string())
            }
            other => other?,
        };
        let names: Vec<&str> = requests.iter().map(|kind| kind.name.as_str()).collect();
        let script = Script::compile(name, &text, &names);
        let script = script.map_err(|error| self.placed(name, &error))?;
        Ok(Arc::new(script.calling(requests.iter().map(|kind| kind.grpc.clone()))))
    }

    fn log(&self, name: &str, options: &LogOptions) -> Result<RequestLog, Invalid> {
        match replay::read(&self.path(name), options) {
            Err(_) if self.lenient => Ok(RequestLog::placeholder()),
            log => log,
        }
    }
}

/// Refuses what would be read until the memory is full.
fn refuse_device(path: &Path) -> Result<(), Invalid> {
    match std::fs::metadata(path) {
        Ok(found) if thinktime_log::is_device(&found) => {
            Err(Invalid::new(format!("{}: {}", path.display(), thinktime_log::DEVICE)))
        }
        _ => Ok(()),
    }
}

/// The text of a file, or an error that names it.
pub(crate) fn read(path: &Path) -> PyResult<String> {
    refuse_device(path).map_err(|error| invalid(&error))?;
    let bytes = std::fs::read(path)
        .map_err(|error| InputError::new_err(format!("{}: {}", path.display(), words(error))))?;
    String::from_utf8(bytes)
        .map_err(|_| InputError::new_err(format!("{}: is not UTF-8 text", path.display())))
}
