//! The next event among any number of nodes.
//!
//! A tournament: the nodes stand side by side at the bottom of a tree, and of each four neighbours
//! the earliest one advances to the next round. When a node's next event changes, only its own
//! matches are played again, and only as far up as their outcome changes: log4(n) at most, mostly
//! one, because a node that was far from winning still is. Four a match are half as many rounds as
//! two, and lie side by side in memory.

use thinktime_file::time::Nanos;

use super::ids::NodeId;

/// The next event of each node, and the earliest of them. At equal times the node that stands
/// first in the list goes first.
#[derive(Clone, Debug)]
pub(super) struct Agenda {
    /// The final is the first. Place p of all players has the winner of the match p + 1, and the
    /// nodes themselves begin at place `nodes`. A single node needs no match.
    matches: Vec<[Entry; 4]>,
    nodes: usize,
    first: Entry,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    at: Nanos,
    node: NodeId,
}

impl Agenda {
    /// This many nodes, none of which has an event.
    pub(super) fn new(number: usize) -> Agenda {
        let never = |node| Entry { at: Nanos::MAX, node: NodeId(node) };
        if number <= 1 {
            return Agenda { matches: Vec::new(), nodes: 0, first: never(0) };
        }
        // The matches before the last round, and those of the last round.
        let (mut before, mut last) = (0, 1);
        while 4 * last < number {
            (before, last) = (before + last, 4 * last);
        }
        let nodes = (0..).step_by(4).take(last);
        let mut matches = vec![[never(0); 4]; before];
        matches.extend(nodes.map(|node| [0, 1, 2, 3].map(|at| never(node + at))));
        for winner in (0..matches.len() - 1).rev() {
            matches[winner / 4][winner % 4] = earliest(&matches[winner + 1]);
        }
        Agenda { matches, nodes: 4 * before, first: never(0) }
    }

    /// The earliest event and its node; [`Nanos::MAX`] if there is none.
    #[inline(always)]
    pub(super) fn first(&self) -> (Nanos, NodeId) {
        (self.first.at, self.first.node)
    }

    /// A node's next event is now at this time.
    #[inline(always)]
    pub(super) fn set(&mut self, node: NodeId, at: Nanos) {
        let entry = Entry { at, node };
        if self.matches.is_empty() {
            self.first = entry;
        } else {
            self.play(entry);
        }
    }

    fn play(&mut self, entry: Entry) {
        let mut place = self.nodes + entry.node.0 as usize;
        let mut winner = entry;
        while let Some(all) = self.matches.get_mut(place / 4) {
            if all[place % 4] == winner {
                return;
            }
            all[place % 4] = winner;
            winner = earliest(all);
            if place < 4 {
                self.first = winner;
                return;
            }
            place = place / 4 - 1;
        }
    }
}

/// The first of four; at equal times the one that stands first.
#[inline(always)]
fn earliest(all: &[Entry; 4]) -> Entry {
    let left = usize::from(all[1].at < all[0].at);
    let right = 2 + usize::from(all[3].at < all[2].at);
    // All are below four, and the compiler knows it, so that it need not check.
    let which = if all[right % 4].at < all[left % 4].at { right } else { left };
    all[which % 4]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The result of a scan of every node: the first of the earliest.
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
        for number in [0, 1, 2, 4, 5, 1000] {
            assert_eq!(Agenda::new(number).first(), (Nanos::MAX, NodeId(0)));
        }
    }
}
