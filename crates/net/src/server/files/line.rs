//! The order and the rate of sending.

use std::collections::BTreeSet;

use thinktime_core::error::Invalid;
use thinktime_core::time::Nanos;

/// The order in which responses are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// A piece of each in turn: equal shares for all.
    Fair,
    /// The response with the least remaining bytes goes first (Harchol-Balter et al., "Size-based
    /// scheduling to improve web performance", ACM TOCS 2003).
    Srpt,
}

impl Order {
    /// Reads its name.
    ///
    /// # Errors
    /// If it is neither.
    pub fn parse(text: &str) -> Result<Order, Invalid> {
        match text {
            "fair" => Ok(Order::Fair),
            "srpt" => Ok(Order::Srpt),
            _ => Err(Invalid::new(format!("the order of files is fair or srpt, not `{text}`"))),
        }
    }
}

/// The connections that have something to send and whose sockets accept it.
#[derive(Debug)]
pub(super) struct Line {
    order: Order,
    waiting: BTreeSet<(Key, u32)>,
    /// By connection: the key under which it waits.
    keys: Vec<Option<Key>>,
    turn: u64,
}

/// Smaller ones go first; of two equal ones the response that began first.
type Key = (u64, u64);

impl Line {
    pub(super) fn new(order: Order) -> Line {
        Line { order, waiting: BTreeSet::new(), keys: Vec::new(), turn: 0 }
    }

    /// Lets a connection wait for its turn with this many remaining bytes of its response, the
    /// `begun`th to begin. A connection that already waits in turn keeps its place.
    pub(super) fn enter(&mut self, place: u32, left: u64, begun: u64) {
        let key = match self.order {
            Order::Srpt => (left, begun),
            Order::Fair if self.has(place) => return,
            Order::Fair => {
                self.turn += 1;
                (self.turn, begun)
            }
        };
        self.leave(place);
        if self.keys.len() <= place as usize {
            self.keys.resize(place as usize + 1, None);
        }
        self.keys[place as usize] = Some(key);
        self.waiting.insert((key, place));
    }

    /// Removes a waiting connection.
    pub(super) fn leave(&mut self, place: u32) {
        if let Some(key) = self.keys.get_mut(place as usize).and_then(Option::take) {
            self.waiting.remove(&(key, place));
        }
    }

    /// Whether a connection waits.
    pub(super) fn has(&self, place: u32) -> bool {
        self.keys.get(place as usize).is_some_and(Option::is_some)
    }

    /// The first connection.
    pub(super) fn first(&self) -> Option<u32> {
        self.waiting.first().map(|&(_, place)| place)
    }
}

/// The rate limit: on average at the rate, and never more than a piece ahead of it.
#[derive(Debug)]
pub(super) struct Pace {
    bytes_per_s: Option<f64>,
    /// The bytes that may be sent now; below 0 after a piece that was larger.
    allowed: f64,
    at: Nanos,
    piece: usize,
    /// The most that may be sent at once.
    most: f64,
}

/// The bytes of one response sent at a time without a rate.
const PIECE: usize = 1 << 16;
/// The longest delay that is made up for; a link would not accept more at once.
const LATE_S: f64 = 0.01;
/// With a rate, a piece lasts this long, so that the next choice is made late; but it has at least
/// two packets.
const PIECE_S: f64 = 0.002;
const TWO_PACKETS: usize = 2 * 1448;

impl Pace {
    /// At a rate in bytes a second, or as fast as sockets accept.
    pub(super) fn new(bytes_per_s: Option<f64>) -> Pace {
        let piece = bytes_per_s.map_or(PIECE, |rate| (rate * PIECE_S).min(PIECE as f64) as usize);
        let piece = piece.max(TWO_PACKETS);
        let most = bytes_per_s.map_or(0.0, |rate| (rate * LATE_S).max(piece as f64));
        Pace { bytes_per_s, allowed: 0.0, at: Nanos::ZERO, piece, most }
    }

    /// The bytes of the first response that may be sent now, if any.
    pub(super) fn piece(&mut self, now: Nanos) -> Option<usize> {
        let Some(rate) = self.bytes_per_s else { return Some(self.piece) };
        self.allowed += rate * now.since(self.at).as_secs_f64();
        self.allowed = self.allowed.min(self.most);
        self.at = now;
        (self.allowed > 0.0).then_some(self.piece)
    }

    pub(super) fn spend(&mut self, bytes: usize) {
        self.allowed -= bytes as f64;
    }

    /// The time until more may be sent, from the last call.
    pub(super) fn wait(&self) -> Nanos {
        let debt = (-self.allowed).max(0.0);
        self.bytes_per_s.map_or(Nanos::ZERO, |rate| Nanos::from_secs_f64(debt / rate + 1e-6))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order_of(line: &mut Line, count: usize) -> Vec<u32> {
        let mut found = Vec::new();
        while let Some(place) = line.first().filter(|_| found.len() < count) {
            found.push(place);
            line.leave(place);
        }
        found
    }

    #[test]
    fn least_left_goes_first_or_each_in_turn() {
        let left = [(0, 500), (1, 20), (2, 300), (3, 20)];
        let mut line = Line::new(Order::Srpt);
        left.iter().for_each(|&(place, left)| line.enter(place, left, 10 - u64::from(place)));
        line.enter(2, 10, 11);
        // Among those with 20 left the third was the first to begin.
        assert_eq!(order_of(&mut line, 9), [2, 3, 1, 0]);
        let mut line = Line::new(Order::Fair);
        left.iter().for_each(|&(place, left)| line.enter(place, left, 0));
        // A connection that sends input meanwhile keeps its place.
        line.enter(0, 1, 1);
        line.leave(2);
        line.leave(7);
        line.enter(2, 300, 2);
        assert_eq!(order_of(&mut line, 9), [0, 1, 3, 2]);
    }

    #[test]
    fn a_rate_is_kept_whatever_the_times() {
        let mut pace = Pace::new(Some(1e6));
        let (mut now, mut sent) = (Nanos::ZERO, 0);
        for step in 0..100_000_u64 {
            now += Nanos(1000 * (step % 97));
            if let Some(piece) = pace.piece(now) {
                pace.spend(piece);
                sent += piece;
            }
        }
        let allowed = 1e6 * now.as_secs_f64();
        // A piece at most was sent ahead, and none was missed, as the steps are short.
        assert!((sent as f64) < allowed + TWO_PACKETS as f64 && sent as f64 > 0.99 * allowed);
        assert!(Pace::new(None).piece(now).is_some());
    }

    #[test]
    fn after_a_pause_only_a_hundredth_of_a_second_is_made_up_for() {
        let mut pace = Pace::new(Some(1e6));
        let now = Nanos::from_secs_f64(100.0);
        let mut sent = 0;
        while let Some(piece) = pace.piece(now) {
            pace.spend(piece);
            sent += piece;
        }
        assert!((10_000..10_000 + TWO_PACKETS).contains(&sent), "{sent}");
        assert!(pace.wait() > Nanos::ZERO);
        pace.spend(TWO_PACKETS);
        let later = now + pace.wait();
        assert!(pace.piece(later).is_some());
    }
}
