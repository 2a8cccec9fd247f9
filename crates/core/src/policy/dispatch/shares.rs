//! The open servers, by their numbers and by their weights.

/// The weights of the open servers: a tree, in which each node has the sum and the largest of those
/// below it. Each lookup and each change costs log2(n), however many are closed.
///
/// Sums are made of sums, never corrected: after heavy servers have closed, the sums of light ones
/// are as exact as before.
#[derive(Clone, Debug)]
pub(super) struct Shares {
    /// The root at 1; below the node at n are those at 2 n and 2 n + 1; the servers themselves
    /// begin at `servers`.
    nodes: Vec<Node>,
    servers: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Node {
    sum: f64,
    largest: f64,
}

const CLOSED: Node = Node { sum: 0.0, largest: 0.0 };

impl Node {
    fn is_open(self) -> bool {
        self.largest > 0.0
    }
}

impl Shares {
    /// Open servers of these weights, which are positive.
    pub(super) fn new(weights: &[f64]) -> Shares {
        let servers = weights.len().next_power_of_two();
        let mut shares = Shares { nodes: vec![CLOSED; 2 * servers], servers };
        for (node, weight) in shares.nodes[servers..].iter_mut().zip(weights) {
            *node = Node { sum: *weight, largest: *weight };
        }
        (1..servers).rev().for_each(|at| shares.put_together(at));
        shares
    }

    fn put_together(&mut self, at: usize) {
        let (left, right) = (self.nodes[2 * at], self.nodes[2 * at + 1]);
        let (sum, largest) = (left.sum + right.sum, left.largest.max(right.largest));
        self.nodes[at] = Node { sum, largest };
    }

    /// From now on the server has this weight, or is closed.
    pub(super) fn set(&mut self, server: usize, weight: Option<f64>) {
        let mut at = self.servers + server;
        self.nodes[at] = weight.map_or(CLOSED, |weight| Node { sum: weight, largest: weight });
        while at > 1 {
            at /= 2;
            self.put_together(at);
        }
    }

    /// The sum of the weights of all open servers.
    pub(super) fn sum(&self) -> f64 {
        self.nodes[1].sum
    }

    /// The largest weight of an open server.
    pub(super) fn largest(&self) -> f64 {
        self.nodes[1].largest
    }

    /// The open server at this part of the sum, from 0 up to 1, where each has as much room as its
    /// weight; one must be open.
    pub(super) fn at(&self, part: f64) -> usize {
        let (mut place, mut left_over) = (1, part * self.sum());
        while place < self.servers {
            place *= 2;
            let (left, right) = (self.nodes[place], self.nodes[place + 1]);
            // Rounding may lead to an end without open servers.
            if left_over >= left.sum && right.is_open() {
                left_over -= left.sum;
                place += 1;
            }
        }
        place - self.servers
    }

    /// The first open server of at least this number.
    pub(super) fn first_from(&self, server: usize) -> Option<usize> {
        let place = self.servers + server;
        match self.nodes.get(place)?.is_open() {
            true => Some(server),
            false => self.nearest(place, 1),
        }
    }

    /// The last open server below this number.
    pub(super) fn last_before(&self, server: usize) -> Option<usize> {
        self.nearest(self.servers + server, 0)
    }

    /// The open server nearest to a place, on its right (1) or left (0).
    fn nearest(&self, mut place: usize, side: usize) -> Option<usize> {
        while place % 2 == side || !self.nodes[place ^ 1].is_open() {
            place /= 2;
            if place <= 1 {
                return None;
            }
        }
        place ^= 1;
        while place < self.servers {
            // The end of it that is nearer.
            place = 2 * place + 1 - side;
            if !self.nodes[place].is_open() {
                place ^= 1;
            }
        }
        Some(place - self.servers)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Compares with a full scan, with weights from the least to the largest that are allowed.
        #[test]
        fn it_is_what_a_look_at_all_finds(
            weights in prop::collection::vec(-6..=6_i32, 1..40),
            changes in prop::collection::vec((0..40_usize, any::<bool>()), 0..80),
            part in 0.0..1.0_f64,
        ) {
            let weights: Vec<f64> = weights.into_iter().map(|power| 10_f64.powi(power)).collect();
            let (mut shares, number) = (Shares::new(&weights), weights.len());
            let mut open = vec![true; number];
            for (server, is_open) in changes {
                let server = server % number;
                open[server] = is_open;
                shares.set(server, is_open.then_some(weights[server]));
            }
            let of_open = || weights.iter().zip(&open).filter(|(_, open)| **open).map(|one| *one.0);
            let sum: f64 = of_open().sum();
            prop_assert!((shares.sum() - sum).abs() <= 1e-12 * sum);
            prop_assert_eq!(shares.largest(), of_open().fold(0.0, f64::max));
            for from in 0..number {
                prop_assert_eq!(shares.first_from(from), (from..number).find(|at| open[*at]));
                prop_assert_eq!(shares.last_before(from), (0..from).rev().find(|at| open[*at]));
            }
            if open.contains(&true) {
                let at = shares.at(part);
                let below: f64 = (0..at).filter(|at| open[*at]).map(|at| weights[at]).sum();
                prop_assert!(open[at]);
                prop_assert!(below <= (part + 1e-12) * sum);
                prop_assert!(part * sum <= below + weights[at] + 1e-12 * sum);
            }
        }
    }
}
