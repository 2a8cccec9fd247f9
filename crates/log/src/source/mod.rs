//! The sources of logs: files, plain or compressed, and standard input.

mod follow;
mod open;
mod order;
mod parquet;

use std::fmt;
use std::fs;
use std::io::Read;
use std::os::unix::fs::FileTypeExt;
use std::path::PathBuf;

pub(crate) use open::{Opened, Tracking, open};
pub(crate) use parquet::PARQUET_SEPARATOR;

use crate::error::LogError;

/// The source of a log.
pub enum Source {
    /// A file: plain, or compressed by gzip or zstd.
    File(PathBuf),
    /// Standard input, plain or compressed.
    Stdin,
    /// Anything else that can be read, with its name for messages.
    Stream(String, Box<dyn Read + Send>),
}

/// The reason why a device is refused.
pub const DEVICE: &str = "is a device, which has no end: name a file, or a pipe";

/// Whether this is a device, such as `/dev/zero`, and no file or pipe. Reading it may never end.
#[must_use]
pub fn is_device(found: &fs::Metadata) -> bool {
    found.file_type().is_char_device() || found.file_type().is_block_device()
}

impl Source {
    /// The sources that words of a command line mean, in their order: a file, a pattern such as
    /// `access.log*` (its files sorted by name), or `-` for standard input.
    ///
    /// # Errors
    /// If no such file exists, or no file matches a pattern.
    pub fn expand<S: AsRef<str>>(words: &[S]) -> Result<Vec<Source>, LogError> {
        let mut sources = Vec::new();
        for word in words {
            let word = word.as_ref();
            if word == "-" {
                sources.push(Source::Stdin);
                continue;
            }
            match fs::metadata(word) {
                Ok(found) if found.is_dir() => {
                    let reason = format!("is a folder: name its files, as in `{word}/*`");
                    return Err(LogError::new(word, reason));
                }
                Ok(found) if is_device(&found) => return Err(LogError::new(word, DEVICE)),
                Ok(_) => sources.push(Source::File(word.into())),
                Err(_) if word.contains(['*', '?', '[']) => matching(word, &mut sources)?,
                Err(error) => return Err(LogError::new(word, error)),
            }
        }
        Ok(sources)
    }

    /// The name for messages and reports.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Source::File(path) => path.display().to_string(),
            Source::Stdin => "standard input".to_owned(),
            Source::Stream(name, _) => name.clone(),
        }
    }

    /// The size in stored form, in bytes, if known.
    pub(crate) fn stored_bytes(&self) -> Option<u64> {
        match self {
            Source::File(path) => {
                fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|found| found.len())
            }
            _ => None,
        }
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Source({})", self.name())
    }
}

/// Adds the files that match a pattern.
fn matching(pattern: &str, sources: &mut Vec<Source>) -> Result<(), LogError> {
    let paths = glob::glob(pattern).map_err(|error| LogError::new(pattern, error))?;
    let before = sources.len();
    for path in paths {
        let path = path.map_err(|error| LogError::new(pattern, error))?;
        if path.is_file() {
            sources.push(Source::File(path));
        }
    }
    if sources.len() == before {
        return Err(LogError::new(pattern, "there is no such file"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_sources() {
        let folder = std::env::temp_dir().join(format!("thinktime-log-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        for name in ["b.log", "a.log", "c.txt"] {
            fs::write(folder.join(name), "").unwrap();
        }
        let inside = |name: &str| folder.join(name).display().to_string();
        let names = |words: &[String]| {
            Source::expand(words).map(|all| all.iter().map(Source::name).collect::<Vec<_>>())
        };
        let words = ["-".to_owned(), inside("*.log"), inside("c.txt")];
        let expected =
            ["standard input".to_owned(), inside("a.log"), inside("b.log"), inside("c.txt")];
        assert_eq!(names(&words).unwrap(), expected);
        for (word, part) in [
            (inside("*.gz"), "there is no such file"),
            (inside("d"), "No such file"),
            (folder.display().to_string(), "is a folder"),
        ] {
            assert!(names(&[word]).unwrap_err().to_string().contains(part), "{part}");
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
