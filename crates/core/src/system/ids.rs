//! The names of nodes and entrances: their numbers.

/// Names a node: its number in the system's one list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeId(pub(super) u32);

impl NodeId {
    /// Its place in the list.
    #[must_use]
    pub fn number(self) -> usize {
        self.0 as usize
    }
}

/// Names an entrance: its number in the system's list of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EntranceId(pub u32);

impl EntranceId {
    /// No entrance.
    pub const NONE: EntranceId = EntranceId(u32::MAX);
}
