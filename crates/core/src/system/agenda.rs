//! Whose event is next, among any number of nodes.
//!
//! A tournament: the nodes stand side by side at the bottom of a tree, and of each two neighbours
//! the earlier one goes on to the next round. When a node's next event changes, only its own
//! matches are played again, and only as far up as their outcome changes: log2(n) at most, mostly
//! one or two, because a node that was far from winning still is.

use super::node::NodeId;
use crate::time::Nanos;

/// The next event of each node, and the earliest of them. At equal times the node that stands
/// first in the list goes first.
#[derive(Clone, Debug)]
pub(super) struct Agenda {
    /// The final at 1; the round after the match at n is that at n / 2; the nodes themselves from
    /// `nodes` on.
    matches: Vec<Entry>,
    nodes: usize,
    first: Entry,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    at: Nanos,
    node: NodeId,
}

impl Agenda {
    /// So many nodes, none of which has an event.
    pub(super) fn new(number: usize) -> Agenda {
        let nodes = number.next_power_of_two();
        let never = |node| Entry { at: Nanos::MAX, node: NodeId(node) };
        let mut matches = vec![never(0); nodes];
        matches.extend((0..).take(nodes).map(never));
        for at in (1..nodes).rev() {
            matches[at] = matches[2 * at];
        }
        Agenda { matches, nodes, first: never(0) }
    }

    /// The earliest event, and whose it is; [`Nanos::MAX`] if there is none.
    #[inline(always)]
    pub(super) fn first(&self) -> (Nanos, NodeId) {
        (self.first.at, self.first.node)
    }

    /// A node's next event is now at this time.
    #[inline(always)]
    pub(super) fn set(&mut self, node: NodeId, at: Nanos) {
        let entry = Entry { at, node };
        if self.nodes == 1 {
            self.first = entry;
        } else {
            self.play(entry);
        }
    }

    fn play(&mut self, entry: Entry) {
        let mut place = self.nodes + entry.node.0 as usize;
        let mut winner = entry;
        while self.matches[place] != winner {
            self.matches[place] = winner;
            if place == 1 {
                self.first = winner;
                return;
            }
            let (left, right) = (self.matches[place & !1], self.matches[place | 1]);
            winner = if right.at < left.at { right } else { left };
            place /= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What a look at every node gives: the first of the earliest.
    fn scanned(times: &[u64]) -> (Nanos, usize) {
        let at = *times.iter().min().unwrap();
        (Nanos(at), times.iter().position(|time| *time == at).unwrap())
    }

    proptest! {
        #[test]
        fn the_first_is_the_one_that_a_scan_finds(
            number in 1usize..40,
            changes in prop::collection::vec((any::<prop::sample::Index>(), 0u64..12), 0..300),
        ) {
            let mut agenda = Agenda::new(number);
            let mut times = vec![u64::MAX; number];
            for (node, time) in changes {
                let node = node.index(number);
                // Ties are frequent, and some nodes have no event.
                times[node] = if time == 0 { u64::MAX } else { time };
                agenda.set(NodeId(node as u32), Nanos(times[node]));
                let (at, first) = agenda.first();
                prop_assert_eq!((at, first.0 as usize), scanned(&times));
            }
        }
    }

    #[test]
    fn nobody_has_an_event_at_first() {
        for number in [1, 2, 3, 1000] {
            assert_eq!(Agenda::new(number).first(), (Nanos::MAX, NodeId(0)));
        }
    }
}
