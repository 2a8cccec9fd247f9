//! The figures of a running result, on their way to their places.
//!
//! Rows and figures cannot be saved in one step. So the figures are written first, into a directory
//! whose name has the number of their rows, and take their places once these rows are saved.
//! Whenever the program is killed, the figures of the saved rows are there.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::DataError;
use crate::files::DRAFT;
use crate::journal::Journal;

/// The begin of the directory's name.
const WAITING: &str = "figures-";

/// Figures that wait for their rows.
#[derive(Debug)]
struct Checkpoint {
    path: PathBuf,
}

/// Saves the rows so far, and their figures, which `write` writes into a directory; `to_disk` also
/// against the end of the machine.
///
/// # Errors
/// If either cannot be written.
pub(crate) fn save(
    journal: &mut Journal,
    to_disk: bool,
    directory: &Path,
    write: impl FnOnce(&Path) -> Result<(), DataError>,
) -> Result<(), DataError> {
    let figures = Checkpoint::write(directory, journal.rows(), write)?;
    match journal.save(to_disk) {
        Ok(()) => figures.take_place(),
        Err(error) => {
            figures.abandon();
            Err(error)
        }
    }
}

impl Checkpoint {
    /// Those of the first `rows` rows; `write` writes them into a directory.
    ///
    /// # Errors
    /// If they cannot be written.
    fn write(
        directory: &Path,
        rows: u64,
        write: impl FnOnce(&Path) -> Result<(), DataError>,
    ) -> Result<Checkpoint, DataError> {
        let path = directory.join(format!("{WAITING}{rows}"));
        let draft = directory.join(format!("{WAITING}{DRAFT}"));
        let fail = |error| DataError::new(&draft, error);
        remove(&draft).map_err(fail)?;
        fs::create_dir(&draft).map_err(fail)?;
        write(&draft).inspect_err(|_| drop(remove(&draft)))?;
        fs::rename(&draft, &path).map_err(fail)?;
        Ok(Checkpoint { path })
    }

    /// Moves them to their places.
    ///
    /// # Errors
    /// If a file cannot be moved.
    fn take_place(self) -> Result<(), DataError> {
        let moved = || {
            let directory = self.path.parent().unwrap_or(&self.path);
            for entry in fs::read_dir(&self.path)? {
                let entry = entry?;
                fs::rename(entry.path(), directory.join(entry.file_name()))?;
            }
            fs::remove_dir(&self.path)
        };
        moved().map_err(|error| DataError::new(&self.path, error))
    }

    /// Removes them unused.
    fn abandon(self) {
        // What remains does no harm.
        remove(&self.path).ok();
    }
}

/// Moves the figures that a killed run left behind to their places, if their rows are
/// among the first `rows` ones, which were saved.
///
/// # Errors
/// If a file cannot be moved or removed.
pub(crate) fn settle(directory: &Path, rows: u64) -> Result<(), DataError> {
    let fail = |error| DataError::new(directory, error);
    for entry in fs::read_dir(directory).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        // Names of figures are plain text: a file of any other name is not one of them.
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let Some(number) = name.strip_prefix(WAITING) else { continue };
        if number.parse().is_ok_and(|number: u64| number <= rows) {
            Checkpoint { path }.take_place()?;
        } else {
            remove(&path).map_err(fail)?;
        }
    }
    Ok(())
}

fn remove(path: &Path) -> std::io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
