//! The nodes' figures of several pieces of a simulation: of replications, or of stretches of one.

use crate::measured::Nodes;

/// The pieces.
pub(crate) struct Samples {
    pub(crate) nodes: Vec<Nodes>,
    /// Whether they are replications.
    pub(crate) independent: bool,
}

impl Samples {
    /// Of the replications, if there are several; or of a run with these figures from its beginning
    /// up to several times.
    pub(crate) fn new(replications: Vec<Nodes>, checkpoints: &[Nodes]) -> Samples {
        if replications.len() > 1 {
            return Samples { nodes: replications, independent: true };
        }
        let nodes = checkpoints.windows(2).map(|pair| since(&pair[1], &pair[0])).collect();
        Samples { nodes, independent: false }
    }
}

/// The figures of the time between.
fn since(later: &Nodes, earlier: &Nodes) -> Nodes {
    let both = later.iter().zip(earlier);
    both.map(|(later, earlier)| Some(later.as_ref()?.since(earlier.as_ref()?))).collect()
}
