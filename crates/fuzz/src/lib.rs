//! Fuzzing: Thinktime's readers get inputs that nobody would write.
//!
//! A [`Target`] is one file in `targets` and a line in its list: a function that takes bytes and
//! panics if a property fails. Its corpus is a folder of small inputs, valid and invalid, in
//! `corpus`; [`mutation`] makes others of them. `cargo test` tries some hundreds of each target
//! with a fixed seed. The program tries a fixed number in `.ci/run`, and others for a given time in
//! `make fuzz`.
//!
//! Inputs are made by mutation alone, without coverage feedback: that needs no other toolchain than
//! the stable one, and runs in each `cargo test`. The corpus should therefore have an example of
//! each readable form.

pub mod mutation;
mod targets;

use std::fs;
use std::path::{Path, PathBuf};

pub use targets::TARGETS;

/// A reader of strangers' bytes.
pub struct Target {
    /// Its name, which is also that of the folder of its corpus.
    pub name: &'static str,
    /// The place of further examples in the project, as a folder and the ends of their names.
    pub examples: Option<(&'static str, &'static str)>,
    /// Bytes with a meaning to it.
    pub words: &'static [&'static str],
    /// Inputs are no longer than this, in bytes.
    pub bytes_max: usize,
    /// The number of inputs of a whole try, `1x`; `cargo test` tries a tenth.
    pub tried: u64,
    /// Reads an input. Panics if a property fails.
    pub read: fn(&[u8]),
}

impl Target {
    /// The folder of its corpus.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(self.name)
    }

    /// The inputs of its corpus, in the order of their names, and the examples from elsewhere in
    /// the project.
    ///
    /// # Panics
    /// If they cannot be read.
    #[must_use]
    pub fn corpus(&self) -> Vec<Vec<u8>> {
        let files = |folder: PathBuf, ending: &str| -> Vec<PathBuf> {
            let Ok(entries) = fs::read_dir(&folder) else {
                panic!("{}: there is no such folder", folder.display())
            };
            let paths = entries.flatten().map(|entry| entry.path());
            let mut paths: Vec<PathBuf> = paths.filter(|path| path.is_file()).collect();
            paths.retain(|path| path.to_string_lossy().ends_with(ending));
            paths.sort();
            paths
        };
        let mut paths = files(self.folder(), "");
        if let Some((folder, ending)) = self.examples {
            let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
            paths.extend(files(project.join(folder), ending));
        }
        let read = |path: &PathBuf| match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) => panic!("{}: {error}", path.display()),
        };
        paths.iter().map(read).collect()
    }
}

#[cfg(test)]
mod tests;
