//! The files of a workload: tables and texts as elsewhere, but logs and programs too.

use std::sync::Arc;

use thinktime_file::error::Invalid;

use crate::files::{Files, NoFiles};
use crate::program::ProgramSource;
use crate::replay::{LogOptions, RequestLog};
use crate::request::RequestKind;

/// Gives the contents of a file that a workload names.
pub trait WorkloadFiles: Files {
    /// The requests of an access log.
    ///
    /// # Errors
    /// As [`Files::read`], or when the file is not a log of a known format, or an option is wrong;
    /// or, by default, always.
    fn log(&self, name: &str, options: &LogOptions) -> Result<RequestLog, Invalid> {
        let _ = options;
        Err(Invalid::new(format!("the log `{name}` cannot be read here")))
    }

    /// The programs of a file, for these requests. Core itself knows no language.
    ///
    /// # Errors
    /// As [`Files::read`], or when the program is wrong; or, by default, always.
    fn program(
        &self,
        name: &str,
        requests: &[RequestKind],
    ) -> Result<Arc<dyn ProgramSource>, Invalid> {
        let _ = requests;
        Err(Invalid::new(format!("the script `{name}` cannot be run here")))
    }
}

impl WorkloadFiles for NoFiles {}
