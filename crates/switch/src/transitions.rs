//! Reports to the operator of servers that opened or closed.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// The most lines kept: the oldest are dropped.
const LINES_MAX: usize = 1000;

/// Lines not taken yet.
#[derive(Debug, Default)]
pub(crate) struct Transitions(Mutex<VecDeque<String>>);

impl Transitions {
    pub(crate) fn push(&self, line: String) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == LINES_MAX {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    /// Takes all lines, the oldest first.
    pub(crate) fn take(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).drain(..).collect()
    }
}
