//! The nodes' figures at a few times of a run, from which the intervals of their means follow.

use thinktime_core::time::Nanos;

use crate::node_figures::Nodes;

/// At this number every second one is dropped, so that their distance doubles.
const MARKS_MAX: usize = 32;

/// The nodes' figures from the beginning of the measured time up to evenly spaced times.
pub(super) struct Checkpoints {
    marks: Vec<Nodes>,
    apart: Nanos,
    next: Nanos,
}

impl Checkpoints {
    /// Of a measured time with this beginning; this far apart at first.
    pub(super) fn new(begin: Nanos, apart: Nanos) -> Checkpoints {
        Checkpoints { marks: Vec::new(), apart, next: begin + apart }
    }

    pub(super) fn is_due(&self, now: Nanos) -> bool {
        now >= self.next
    }

    pub(super) fn mark(&mut self, now: Nanos, nodes: Nodes) {
        self.marks.push(nodes);
        if self.marks.len() == MARKS_MAX {
            let mut number = 0;
            self.marks.retain(|_| {
                number += 1;
                number % 2 == 0
            });
            self.apart = self.apart + self.apart;
        }
        self.next = now + self.apart;
    }

    pub(super) fn take(&mut self) -> Vec<Nodes> {
        std::mem::take(&mut self.marks)
    }
}
