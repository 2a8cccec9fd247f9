//! Pools that guard what is used with a place of them: they turn requests away if they are full.

use std::collections::BTreeSet;

use super::behaviour::Step;
use super::ids::{EntranceId, NodeId};
use super::model::SystemModel;
use super::nodes::AnyNodeModel;
use crate::request::RequestKind;
use crate::workload::Workload;

impl SystemModel {
    /// By kind of request, the entrances that it uses only while it has a place of a pool that, if
    /// it is full, turns requests away.
    pub(super) fn guarded_entrances(&self, workload: &Workload) -> Vec<BTreeSet<EntranceId>> {
        if !self.nodes.iter().any(is_guard) {
            return vec![BTreeSet::new(); workload.requests.len()];
        }
        let guarded = |kind: &RequestKind| {
            let mut used = Used::default();
            if let Some(behaviour) = self.behaviour_of(&kind.name) {
                used.add(self, &behaviour.steps, &mut Vec::new());
            }
            used.guarded.difference(&used.open).copied().collect()
        };
        workload.requests.iter().map(guarded).collect()
    }
}

/// Whether it turns requests away that want a place of it.
fn is_guard(node: &AnyNodeModel) -> bool {
    matches!(node, AnyNodeModel::Pool(pool) if pool.queue_limit < u64::MAX)
}

/// The entrances that steps use.
#[derive(Default)]
struct Used {
    /// With a place of a pool that turns requests away.
    guarded: BTreeSet<EntranceId>,
    /// Without one.
    open: BTreeSet<EntranceId>,
}

impl Used {
    /// Adds those of `steps`, which begin with these pools held.
    fn add(&mut self, system: &SystemModel, steps: &[Step], held: &mut Vec<NodeId>) {
        for step in steps {
            let guarded = held.iter().any(|node| is_guard(system.node(*node)));
            let used = if guarded { &mut self.guarded } else { &mut self.open };
            match step {
                Step::Use { entrance, .. } => _ = used.insert(*entrance),
                Step::Enter(node) => {
                    let inside = system.entrances().filter(|(_, one)| one.node == *node);
                    used.extend(inside.map(|(id, _)| id));
                }
                Step::Acquire(node) => held.push(*node),
                Step::Release(node) => held.retain(|one| one != node),
                Step::Fork(parts) => {
                    for part in parts {
                        self.add(system, part, &mut held.clone());
                    }
                }
                Step::Delay { .. } | Step::Send(..) | Step::Receive(..) => {}
            }
        }
    }
}
