//! The highest-standing server, if each one's standing grows steadily by its weight.

use std::sync::Arc;

/// The standings of the servers and the highest of them, turn by turn.
///
/// A tournament whose results hold for a while. Of each two neighbours the higher one advances, and
/// the match knows the turn until which that holds if neither weight changes. So a turn replays
/// only the expired matches, and those of the one whose standing has fallen: about log2(n)^2 of
/// them at most, while a full scan would take n (a kinetic tournament: J. Basch, L. Guibas, J.
/// Hershberger, Data structures for mobile data, Journal of Algorithms 31, 1999).
#[derive(Clone, Debug)]
pub(super) struct Standings {
    weights: Arc<[f64]>,
    /// By server: its standing, without its growth since turn 0 if it is open.
    standing: Vec<f64>,
    /// The final at 1; the round after the match at n is that at n / 2; the servers themselves
    /// begin at `places`, with the one of number `first`.
    matches: Vec<Match>,
    places: usize,
    first: usize,
    turn: u32,
}

#[derive(Clone, Copy, Debug)]
struct Match {
    winner: u32,
    /// The turn in which this match has to be played again.
    own: u32,
    /// The turn in which this match or one before it has to be played again.
    any: u32,
}

/// The winner if no server is open.
const NOBODY: u32 = u32::MAX;
/// The turn that never comes.
const NEVER: u32 = u32::MAX;
/// After this many turns, turns are counted from 0 again, so that standings stay small and exact.
const TURNS_MAX: u32 = 1 << 16;

impl Standings {
    /// Of open servers, each standing at 0. Among equals the first one, counted from the number
    /// `first`, is the highest.
    pub(super) fn new(weights: Arc<[f64]>, first: usize) -> Standings {
        let (number, places) = (weights.len(), weights.len().next_power_of_two());
        let nobody = Match { winner: NOBODY, own: NEVER, any: NEVER };
        let matches = vec![nobody; 2 * places];
        let standing = vec![0.0; number];
        let mut all = Standings { weights, standing, matches, places, first, turn: 0 };
        for server in 0..number {
            let place = all.place(server);
            all.matches[place].winner = server as u32;
        }
        all.play_all();
        all
    }

    fn place(&self, server: usize) -> usize {
        let number = self.weights.len();
        self.places + (server + number - self.first) % number
    }

    pub(super) fn is_open(&self, server: usize) -> bool {
        self.matches[self.place(server)].winner != NOBODY
    }

    /// All open servers grow by their weights; then the highest one falls by `sum`. `None` if no
    /// server is open.
    pub(super) fn next(&mut self, sum: f64) -> Option<usize> {
        if self.matches[1].winner == NOBODY {
            return None;
        }
        if self.turn == TURNS_MAX {
            self.count_from_zero();
        }
        self.turn += 1;
        self.play_due(1);
        let highest = self.matches[1].winner as usize;
        self.standing[highest] -= sum;
        self.play_those_of(highest);
        Some(highest)
    }

    /// From now on the server is open, or is closed and keeps its standing.
    pub(super) fn set_open(&mut self, server: usize, open: bool) {
        let (place, grown) = (self.place(server), self.weights[server] * f64::from(self.turn));
        let to = if open { server as u32 } else { NOBODY };
        if self.matches[place].winner == to {
            return;
        }
        self.standing[server] += if open { -grown } else { grown };
        self.matches[place].winner = to;
        self.play_those_of(server);
    }

    fn count_from_zero(&mut self) {
        for server in 0..self.weights.len() {
            if self.is_open(server) {
                self.standing[server] = self.now(server as u32);
            }
        }
        self.turn = 0;
        self.play_all();
    }

    /// The standing of an open server in this turn.
    fn now(&self, server: u32) -> f64 {
        let server = server as usize;
        self.standing[server] + self.weights[server] * f64::from(self.turn)
    }

    fn play_all(&mut self) {
        (1..self.places).rev().for_each(|at| self.play(at));
    }

    /// Plays all matches of a server.
    fn play_those_of(&mut self, server: usize) {
        let mut at = self.place(server) / 2;
        while at > 0 {
            self.play(at);
            at /= 2;
        }
    }

    /// Plays the matches whose turn it is: the one at this place and those before it.
    fn play_due(&mut self, at: usize) {
        if self.matches[at].any > self.turn {
            return;
        }
        let (left, right) = (2 * at, 2 * at + 1);
        let sides = |all: &[Match]| (all[left].winner, all[right].winner);
        let before = sides(&self.matches);
        self.play_due(left);
        self.play_due(right);
        if sides(&self.matches) != before || self.matches[at].own <= self.turn {
            return self.play(at);
        }
        let first = self.matches[left].any.min(self.matches[right].any);
        let own = &mut self.matches[at];
        own.any = own.own.min(first);
    }

    fn play(&mut self, at: usize) {
        let (left, right) = (self.matches[2 * at], self.matches[2 * at + 1]);
        let (winner, own) = self.result(left.winner, right.winner);
        self.matches[at] = Match { winner, own, any: own.min(left.any).min(right.any) };
    }

    /// The higher of two, or the left one among equals, and the turn in which that changes.
    fn result(&self, left: u32, right: u32) -> (u32, u32) {
        if left == NOBODY || right == NOBODY {
            return (left.min(right), NEVER);
        }
        let ahead = self.now(left) - self.now(right);
        // The left one's extra growth in a turn.
        let gain = self.weights[left as usize] - self.weights[right as usize];
        let (winner, turns) = match ahead >= 0.0 {
            true if gain < 0.0 => (left, (ahead / -gain).floor() + 1.0),
            true => return (left, NEVER),
            false if gain > 0.0 => (right, (-ahead / gain).ceil()),
            false => return (right, NEVER),
        };
        (winner, self.turn.saturating_add(turns as u32))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A scan of all of them in every turn.
    struct Plain {
        weights: Vec<f64>,
        standing: Vec<f64>,
        open: Vec<bool>,
        first: usize,
    }

    impl Plain {
        fn next(&mut self) -> Option<usize> {
            let number = self.weights.len();
            let (mut best, mut sum) = (None, 0.0);
            for at in (self.first..number).chain(0..self.first).filter(|at| self.open[*at]) {
                self.standing[at] += self.weights[at];
                sum += self.weights[at];
                if best.is_none_or(|best: usize| self.standing[at] > self.standing[best]) {
                    best = Some(at);
                }
            }
            self.standing[best?] -= sum;
            best
        }
    }

    fn sum_of_open(plain: &Plain) -> f64 {
        plain.weights.iter().zip(&plain.open).filter(|one| *one.1).map(|one| one.0).sum()
    }

    fn weight() -> impl Strategy<Value = u32> {
        prop_oneof![1..40_u32, 1..4_u32, Just(8_000_000)]
    }

    proptest! {
        /// Turn by turn the same as a full scan. Weights are multiples of 1/8, so that both are
        /// exact.
        #[test]
        fn it_is_what_a_look_at_all_finds(
            weights in prop::collection::vec(weight(), 1..30),
            first in 0..30_usize,
            changes in prop::collection::vec((0..90_usize, any::<bool>(), 0..40_u32), 0..40),
        ) {
            let weights: Vec<f64> = weights.into_iter().map(|one| f64::from(one) / 8.0).collect();
            let (number, first) = (weights.len(), first % weights.len());
            let mut all = Standings::new(weights.clone().into(), first);
            let (standing, open) = (vec![0.0; number], vec![true; number]);
            let mut plain = Plain { weights, standing, open, first };
            for (server, open, turns) in changes {
                if server < number {
                    plain.open[server] = open;
                    all.set_open(server, open);
                }
                for _ in 0..turns {
                    prop_assert_eq!(all.next(sum_of_open(&plain)), plain.next());
                }
            }
        }
    }

    /// Beyond the turn at which counting restarts from 0.
    #[test]
    fn it_stays_so_for_long() {
        let weights: Vec<f64> = (1..=9_u32).map(|one| f64::from(one * one % 7 + 1)).collect();
        let mut all = Standings::new(weights.clone().into(), 4);
        let mut plain = Plain { standing: vec![0.0; 9], open: vec![true; 9], first: 4, weights };
        let sum = sum_of_open(&plain);
        assert!((0..3 * TURNS_MAX).all(|_| all.next(sum) == plain.next()));
    }

    /// 1,000 servers of different weights: the matches that a turn plays, counted. A full scan
    /// would be 1,000 comparisons; log2(n)^2 is 100.
    #[test]
    fn a_turn_plays_few_matches() {
        let weights: Vec<f64> = (0..1000_u32).map(|at| f64::from(1 + at * 7919 % 1000)).collect();
        let sum = weights.iter().sum();
        let mut all = Standings::new(weights.into(), 0);
        let mut played = 0_usize;
        for _ in 0..20_000 {
            played += due(&all, 1);
            all.next(sum);
        }
        assert!(played / 20_000 < 100, "{played} matches in 20,000 turns");
    }

    /// The number of matches that the next turn checks before one server falls.
    fn due(all: &Standings, at: usize) -> usize {
        match all.matches[at].any <= all.turn + 1 {
            true => 1 + due(all, 2 * at) + due(all, 2 * at + 1),
            false => 0,
        }
    }
}
