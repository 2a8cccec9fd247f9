//! A number for each path, for one session at a time.

use super::NONE;

/// A number for each path, such as its latest page.
#[derive(Debug)]
pub(super) struct Latest {
    of_path: Vec<u32>,
    /// The paths that may have a number.
    used: Vec<u32>,
}

impl Latest {
    /// No number yet, for this many paths.
    pub(super) fn new(paths: usize) -> Latest {
        Latest { of_path: vec![NONE; paths], used: Vec::new() }
    }

    /// The number of a path, which may also be unknown.
    pub(super) fn get(&self, path: u32) -> Option<u32> {
        self.of_path.get(path as usize).copied().filter(|number| *number != NONE)
    }

    /// Gives a path a number, or removes it (`NONE`).
    pub(super) fn set(&mut self, path: u32, number: u32) {
        let place = &mut self.of_path[path as usize];
        if *place == NONE {
            self.used.push(path);
        }
        *place = number;
    }

    /// Removes the numbers of all paths.
    pub(super) fn forget(&mut self) {
        for path in self.used.drain(..) {
            self.of_path[path as usize] = NONE;
        }
    }
}
