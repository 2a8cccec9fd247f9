//! Files that a workload or a system names, read by somebody else: core itself has no files.

use crate::column::{Column, numbers_of};
use crate::data::DataTable;
use crate::error::Invalid;

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

    /// Whether what they say is only to be shown, so that some may be missing: their bytes are then
    /// none.
    fn may_be_missing(&self) -> bool {
        false
    }

    /// The numbers of a column of a table; of the first one, where no name is given. Files of
    /// comma-separated values can be read by everybody; others by overriding this.
    ///
    /// # Errors
    /// As [`Files::read`], or when there is no such column, or a value is no number.
    fn numbers(&self, name: &str, column: Option<&str>) -> Result<Column, Invalid> {
        numbers_of(&self.read(name)?, name, column)
    }

    /// The table that a file of comma-separated values holds, whose first line names the columns.
    ///
    /// # Errors
    /// As [`Files::read`], or when the file is no such table.
    fn table(&self, name: &str) -> Result<DataTable, Invalid> {
        DataTable::parse(name, &self.read(name)?)
    }
}

/// There are no files here.
#[derive(Clone, Copy, Debug)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&self, name: &str) -> Result<String, Invalid> {
        Err(Invalid::new(format!("the file `{name}` cannot be read here")))
    }
}
