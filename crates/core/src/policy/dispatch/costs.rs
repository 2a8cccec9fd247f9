//! The cheapest server among any number of them.

use crate::random::Stream;

/// The cost of each server, and the least of them.
///
/// A tournament: the servers stand side by side at the bottom of a tree. Of each two neighbours the
/// cheaper one advances, with the number of servers that cost as much. A change and a choice cost
/// log2(n).
#[derive(Clone, Debug)]
pub(super) struct Costs {
    /// The final at 1; the round after the match at n is that at n / 2; the servers themselves
    /// begin at `servers`.
    matches: Vec<Best>,
    servers: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Best {
    cost: f64,
    /// The number of servers with this cost.
    ties: u64,
}

/// A cost that no server has: one of this cost is never chosen.
pub(super) const NEVER: f64 = f64::INFINITY;

impl Costs {
    /// This many servers, none of which may be chosen.
    pub(super) fn new(number: usize) -> Costs {
        let servers = number.next_power_of_two();
        Costs { matches: vec![Best { cost: NEVER, ties: 0 }; 2 * servers], servers }
    }

    pub(super) fn set(&mut self, server: usize, cost: f64) {
        let mut place = self.servers + server;
        self.matches[place] = Best { cost, ties: 1 };
        while place > 1 {
            place /= 2;
            let (left, right) = (self.matches[2 * place], self.matches[2 * place + 1]);
            let winner = match left.cost.total_cmp(&right.cost) {
                std::cmp::Ordering::Less => left,
                std::cmp::Ordering::Greater => right,
                std::cmp::Ordering::Equal => Best { ties: left.ties + right.ties, ..left },
            };
            if self.matches[place] == winner {
                return;
            }
            self.matches[place] = winner;
        }
    }

    /// The least cost of all; [`NEVER`] if no server may be chosen.
    pub(super) fn least(&self) -> f64 {
        self.matches[1].cost
    }

    /// The cheapest server, any one of equals; `None` if no server may be chosen.
    pub(super) fn cheapest(&self, random: &mut Stream) -> Option<usize> {
        let Best { cost, ties } = self.matches[1];
        if cost == NEVER {
            return None;
        }
        let mut which = if ties > 1 { random.below(ties) } else { 0 };
        let mut place = 1;
        while place < self.servers {
            place *= 2;
            let left = self.matches[place];
            let of_left = if left.cost == cost { left.ties } else { 0 };
            if which >= of_left {
                which -= of_left;
                place += 1;
            }
        }
        Some(place - self.servers)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::random::{Purpose, Stream};

    proptest! {
        #[test]
        fn the_choice_is_one_of_those_that_a_look_at_all_finds(
            changes in prop::collection::vec((0..23_usize, 0..5_u8), 1..200)
        ) {
            let (mut costs, mut plain) = (Costs::new(23), [NEVER; 23]);
            let mut random = Stream::new(1, 1, Purpose::Dispatch);
            for (server, cost) in changes {
                let cost = if cost == 4 { NEVER } else { f64::from(cost) };
                costs.set(server, cost);
                plain[server] = cost;
                let least = plain.iter().copied().fold(NEVER, f64::min);
                prop_assert_eq!(costs.least(), least);
                match costs.cheapest(&mut random) {
                    None => prop_assert_eq!(least, NEVER),
                    Some(chosen) => prop_assert_eq!(plain[chosen], least),
                }
            }
        }
    }

    /// 30,000 draws of three equal servers: a count has a standard deviation of 82, so that a
    /// correct program fails once in 10^8 times.
    #[test]
    fn of_equals_each_is_as_likely() {
        let mut costs = Costs::new(5);
        [1.0, 0.5, 0.5, 2.0, 0.5]
            .into_iter()
            .enumerate()
            .for_each(|(at, cost)| costs.set(at, cost));
        let mut random = Stream::new(7, 1, Purpose::Dispatch);
        let mut counts = [0_i64; 5];
        for _ in 0..30_000 {
            counts[costs.cheapest(&mut random).unwrap()] += 1;
        }
        assert_eq!([counts[0], counts[3]], [0, 0]);
        assert!([1, 2, 4].iter().all(|at| (counts[*at] - 10_000).abs() < 500), "{counts:?}");
    }
}
