//! Files that a workload or a system names. The caller reads them: core itself has no files.

use thinktime_file::error::Invalid;

use crate::column::{Column, numbers_of};
use crate::data::DataTable;

/// Gives the contents of a named file.
pub trait Files {
    /// The file's text.
    ///
    /// # Errors
    /// When there is no such file, or it cannot be read.
    fn read(&self, name: &str) -> Result<String, Invalid>;

    /// The file's bytes.
    ///
    /// # Errors
    /// As [`Files::read`].
    fn bytes(&self, name: &str) -> Result<Vec<u8>, Invalid> {
        self.read(name).map(String::into_bytes)
    }

    /// Whether their content is only shown, so that some may be missing: their bytes are then
    /// empty.
    fn may_be_missing(&self) -> bool {
        false
    }

    /// The numbers of a column of a table; of the first one, if no name is given. Every
    /// implementation reads files of comma-separated values; others need an override.
    ///
    /// # Errors
    /// As [`Files::read`], or when there is no such column, or a value is not a number.
    fn numbers(&self, name: &str, column: Option<&str>) -> Result<Column, Invalid> {
        numbers_of(&self.read(name)?, name, column)
    }

    /// The table of a file of comma-separated values, whose first line names the columns.
    ///
    /// # Errors
    /// As [`Files::read`], or when the file is not such a table.
    fn table(&self, name: &str) -> Result<DataTable, Invalid> {
        DataTable::parse(name, &self.read(name)?)
    }
}

/// An implementation without files.
#[derive(Clone, Copy, Debug)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&self, name: &str) -> Result<String, Invalid> {
        Err(Invalid::new(format!("the file `{name}` cannot be read here")))
    }
}
