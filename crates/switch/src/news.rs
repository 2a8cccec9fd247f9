//! What the switch tells its operator of servers.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// More than so many lines that nobody has taken are not kept: the oldest go.
const LINES_MAX: usize = 1000;

/// Lines that nobody has taken yet.
#[derive(Debug, Default)]
pub(crate) struct News(Mutex<VecDeque<String>>);

impl News {
    pub(crate) fn say(&self, line: String) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == LINES_MAX {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    /// All lines, the oldest first, which then are told.
    pub(crate) fn take(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).drain(..).collect()
    }
}
