//! The tasks of each core over time.

use serde::{Deserialize, Serialize};
use thinktime_file::time::Nanos;

/// A span in which a core had a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// The machine's number among the machines.
    pub machine: u32,
    /// The core, counted from 0.
    pub core: u32,
    /// The task's number among all of the machine.
    pub task: u64,
    /// The service that it belongs to, by its number on the machine.
    pub service: u32,
    /// The kind of the request that it worked for.
    pub kind: u32,
    /// That request's session.
    pub session: u64,
    /// When the core turned to it.
    pub from: Nanos,
    /// When it left the core.
    pub until: Nanos,
}

/// The reason why a task is given a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PlacementReason {
    /// It is new.
    New,
    /// It woke, and not on its former core.
    Woken,
    /// Balancing moved it.
    Moved,
}

/// A task is given a core: its first one, or one other than before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoreAssignment {
    /// The machine's number among the machines.
    pub machine: u32,
    /// The task's number among all of the machine.
    pub task: u64,
    /// The kind of the request that it works for.
    pub kind: u32,
    /// The time.
    pub at: Nanos,
    /// The reason.
    pub why: PlacementReason,
    /// The core that it had; `None` for a new task.
    pub from: Option<u32>,
    /// The core that it has then.
    pub core: u32,
}

/// The first turns since the measuring began, and the placements meanwhile.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Schedule {
    /// The tasks of each core over time.
    pub turns: Vec<Turn>,
    /// The placements of tasks.
    pub placed: Vec<CoreAssignment>,
}

/// The number of turns that are kept.
const TURNS: usize = 4096;

impl Schedule {
    /// Restarts.
    pub(super) fn begin(&mut self) {
        *self = Schedule::default();
    }

    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.turns.len() >= TURNS
    }

    /// Adds the turns of other machines.
    pub(in crate::system) fn join(&mut self, other: &Schedule) {
        self.turns.extend(&other.turns);
        self.placed.extend(&other.placed);
    }

    pub(super) fn note(&mut self, turn: Turn) {
        if turn.until > turn.from {
            self.turns.push(turn);
        }
    }
}
