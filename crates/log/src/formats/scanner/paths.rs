//! The keys of objects, with those of the groups that they stand in.

use std::collections::HashSet;

use super::Scanner;

/// The deepest nesting of objects whose keys are collected.
const DEPTH_OF_PATHS: usize = 4;
/// Further keys are ignored: a log has some dozens.
const PATHS_MAX: usize = 1000;

/// The paths of values, in the order in which they were found.
#[derive(Debug, Default)]
pub(in crate::formats) struct Paths {
    all: Vec<String>,
    known: HashSet<String>,
}

impl Paths {
    fn add(&mut self, path: String) {
        if self.all.len() < PATHS_MAX && self.known.insert(path.clone()) {
            self.all.push(path);
        }
    }

    /// All of them.
    pub(in crate::formats) fn into_all(self) -> Vec<String> {
        self.all
    }
}

impl Scanner<'_> {
    /// Adds the paths of all values that are neither objects nor arrays of objects.
    pub(in crate::formats) fn paths(&mut self, before: &str, paths: &mut Paths) {
        let deep = before.matches('.').count() >= DEPTH_OF_PATHS;
        // The values before a syntax error are enough.
        let _ = self.object(|scanner, key| {
            let path = format!("{before}{}", String::from_utf8_lossy(key));
            if scanner.peek() == Some(b'{') && !deep {
                let mut inner = *scanner;
                inner.paths(&format!("{path}."), paths);
            } else {
                paths.add(path);
            }
            scanner.skip()
        });
    }
}
