//! The nodes' figures of several pieces of a simulation: of replications, or of stretches of one.

use crate::node_figures::Nodes;

/// The pieces.
pub(crate) struct Samples {
    pub(crate) nodes: Vec<Nodes>,
    /// Whether they are replications.
    pub(crate) independent: bool,
}

impl Samples {
    /// Of the replications, if there are several; or of a run with these figures from its beginning
    /// up to several times.
    pub(crate) fn new(replications: Vec<Nodes>, mut checkpoints: Vec<Nodes>) -> Samples {
        if replications.len() > 1 {
            return Samples { nodes: replications, independent: true };
        }
        // The last one first, so that the earlier one is still whole.
        for at in (1..checkpoints.len()).rev() {
            let (earlier, later) = checkpoints.split_at_mut(at);
            let both = later[0].iter_mut().flatten().zip(earlier[at - 1].iter().flatten());
            both.for_each(|(later, earlier)| later.subtract(earlier));
        }
        checkpoints.drain(..1.min(checkpoints.len()));
        Samples { nodes: checkpoints, independent: false }
    }
}
