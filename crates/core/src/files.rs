//! Files that a workload or a system names, read by somebody else: core itself has no files.

use crate::error::Invalid;

/// Gives the text of a named file.
pub trait Files {
    /// The file's text.
    ///
    /// # Errors
    /// When there is no such file, or it cannot be read.
    fn read(&self, name: &str) -> Result<String, Invalid>;
}

/// There are no files here.
#[derive(Clone, Copy, Debug)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&self, name: &str) -> Result<String, Invalid> {
        Err(Invalid::new(format!("the file `{name}` cannot be read here")))
    }
}
