//! One transfer over a link: the rounds in which TCP sends its segments.

use thinktime_file::time::Nanos;

use super::direction::LinkDirection;
use super::figures::Counts;
use super::flight::Flight;
use super::model::{HEADER_BYTES, LinkModel};
use super::timer::Timer;
use super::window::Window;
use crate::random::Stream;
use crate::system::jobs::Handle;

/// The path of a transfer: one of the directions, and the other for the way back.
pub(super) struct Path<'a> {
    pub(super) link: &'a LinkModel,
    pub(super) ways: &'a mut [LinkDirection; 2],
    pub(super) counts: &'a mut Counts,
}

/// A request or a response in transit. README.md describes the rounds, with reasons.
#[derive(Clone, Debug)]
pub(super) struct Transfer {
    pub(super) handle: Handle,
    way: usize,
    /// The draws of this transfer.
    stream: Stream,
    turn: Turn,
    window: Window,
    timer: Timer,
    /// The mean size of a segment on the link, headers included.
    segment_bytes: f64,
    /// Segments that were never sent.
    unsent: u64,
    /// Segments that the sender knows to be lost, and has not sent again.
    known_lost: u64,
    /// Segments that are lost without a sign.
    silently_lost: u64,
    /// Whether the window will be reduced when these are found out.
    silence_reduces: bool,
    /// The time in which the segments of the last round left the queue: the next ones come at the
    /// same pace.
    spread: Nanos,
    /// The arrival of the last delivered segment.
    arrived: Nanos,
    /// SYNs that were not answered.
    tries: u32,
    syn_sent: Nanos,
}

/// The next step of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// Asks for a connection.
    Syn,
    /// The other end grants it.
    SynAck,
    /// Sends as many segments as its window has room for.
    Round,
    /// Sends the last segment once more, to learn of the others.
    Probe,
    /// Its retransmission timer runs out.
    Timeout,
    /// All has arrived.
    End,
}

/// The outcome of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The next turn is at this time.
    Next(Nanos),
    Done,
    /// No connection came about.
    Failed,
}

/// From the client to the server, and back.
pub(super) const OUT: usize = 0;
pub(super) const BACK: usize = 1;

const SYN_BYTES: f64 = 60.0;
/// The number of SYNs after which the client gives up.
const SYNS: u32 = 7;
/// Acknowledgements of this many later segments reveal a loss at once (RFC 8985, 6.2); fewer might
/// mean that packets overtake each other.
const SURE: u64 = 3;

/// How a transfer begins.
pub(super) struct TransferStart {
    pub(super) handle: Handle,
    /// [`OUT`] or [`BACK`].
    pub(super) way: usize,
    pub(super) bytes: u64,
    /// Whether a connection is made for this request.
    pub(super) connects: bool,
    pub(super) stream: Stream,
}

impl Transfer {
    pub(super) fn new(begin: TransferStart, link: &LinkModel, now: Nanos) -> Transfer {
        let TransferStart { handle, way, bytes, connects, stream } = begin;
        let segments = bytes.div_ceil(link.segment).max(1);
        let round_trip_s = 2.0 * link.delay_s;
        let mut timer = if connects { Timer::NEW } else { Timer::settled(round_trip_s) };
        if connects && way == BACK {
            timer.measured(round_trip_s);
        }
        Transfer {
            handle,
            way,
            stream,
            turn: if connects && way == OUT { Turn::Syn } else { Turn::Round },
            window: Window::new(link.congestion_control, link.initial_window),
            timer,
            segment_bytes: bytes as f64 / segments as f64 + HEADER_BYTES,
            unsent: segments,
            known_lost: 0,
            silently_lost: 0,
            silence_reduces: false,
            spread: Nanos::ZERO,
            arrived: now,
            tries: 0,
            syn_sent: now,
        }
    }

    /// Carries out the step that is due now.
    pub(super) fn act(&mut self, now: Nanos, path: &mut Path<'_>) -> Outcome {
        match self.turn {
            Turn::Syn if self.tries == SYNS => return Outcome::Failed,
            Turn::End => return Outcome::Done,
            _ => {}
        }
        Outcome::Next(match self.turn {
            Turn::Syn => self.syn(now, path),
            Turn::SynAck => self.syn_ack(now, path),
            Turn::Probe => self.probe(now, path),
            Turn::Timeout => self.time_out(now, path),
            Turn::Round | Turn::End => self.round(now, path),
        })
    }

    fn syn(&mut self, now: Nanos, path: &mut Path<'_>) -> Nanos {
        self.syn_sent = now;
        let Some(left) = self.pass(now, OUT, SYN_BYTES, path) else { return self.no_answer() };
        let at = left + self.travel(path);
        self.next(Turn::SynAck, at)
    }

    fn syn_ack(&mut self, now: Nanos, path: &mut Path<'_>) -> Nanos {
        let Some(left) = self.pass(now, BACK, SYN_BYTES, path) else { return self.no_answer() };
        let at = left + self.travel(path);
        self.timer.measured(at.since(self.syn_sent).as_secs_f64());
        self.next(Turn::Round, at)
    }

    /// The SYN is sent again after 1 s, and each time after twice as long.
    fn no_answer(&mut self) -> Nanos {
        let wait = Nanos::from_secs_f64(f64::from(1_u32 << self.tries));
        self.tries += 1;
        self.next(Turn::Syn, self.syn_sent + wait)
    }

    /// Sends lost segments, and then new ones, up to the window.
    fn round(&mut self, now: Nanos, path: &mut Path<'_>) -> Nanos {
        let room = self.window.segments().saturating_sub(self.silently_lost).max(1);
        let again = self.known_lost.min(room);
        let fresh = self.unsent.min(room - again);
        let flight = self.fly(now, again, fresh, path);
        self.known_lost -= again;
        self.unsent -= fresh;
        if flight.delivered == 0 {
            self.silently_lost += flight.tail;
            self.silence_reduces |= flight.tail_is_fresh;
            return self.wait(now, now, again > 0, path);
        }
        let round_trip = self.travel(path) + self.travel(path);
        let heard = flight.first_left + round_trip;
        self.timer.measured(heard.since(now).as_secs_f64());
        self.arrived = self.arrived.max(flight.last_left + self.travel(path));
        let found = flight.gaps + self.silently_lost;
        let reduces = flight.gap_is_fresh || (self.silently_lost > 0 && self.silence_reduces);
        let silence = self.silently_lost > 0;
        let sure = if silence { flight.delivered } else { flight.after_gap };
        // The window grows until the sender sees the first gap.
        let before_gap = flight.delivered - if found > 0 { sure } else { 0 };
        self.known_lost += found;
        self.silently_lost = flight.tail;
        // Segments from before a reduction of the window do not reduce it once more.
        self.silence_reduces = flight.tail_is_fresh && !reduces;
        self.spread = flight.last_left.since(flight.first_left);
        if again == 0 || self.window.in_slow_start() {
            self.window.grow(now, before_gap, round_trip.as_secs_f64());
        }
        if reduces {
            self.window.reduce(heard);
        }
        if self.known_lost + self.unsent > 0 {
            let unsure = found > 0 && sure < SURE && self.unsent == 0;
            let reordering = if unsure { Nanos(round_trip.0 / 4) } else { Nanos::ZERO };
            return self.next(Turn::Round, heard + reordering);
        }
        self.wait(now, flight.last_left + round_trip, again > 0, path)
    }

    /// All was sent: it is there, or the sender waits for signs of segments not yet known to be
    /// lost. `sent` is the beginning of the last round. `heard` is the time of the receiver's last
    /// sign, or else the beginning of the last round.
    fn wait(&mut self, sent: Nanos, heard: Nanos, recovers: bool, path: &Path<'_>) -> Nanos {
        if self.silently_lost == 0 {
            return self.next(Turn::End, self.arrived);
        }
        let least_s = path.link.minimum_timeout_s;
        let timeout = self.timer.timeout(least_s);
        // The tail is not probed during recovery from losses.
        if recovers || self.known_lost > 0 || self.timer.ran_out > 0 {
            return self.next(Turn::Timeout, heard + timeout);
        }
        let probe = heard + self.timer.probe_timeout(self.silently_lost == 1, least_s);
        self.next(Turn::Probe, probe.min(sent + timeout).max(heard))
    }

    fn probe(&mut self, now: Nanos, path: &mut Path<'_>) -> Nanos {
        self.spread = Nanos::ZERO;
        let flight = self.fly(now, 1, 0, path);
        if flight.delivered == 0 {
            return self.next(Turn::Timeout, now + self.timer.timeout(path.link.minimum_timeout_s));
        }
        let heard = flight.last_left + self.travel(path) + self.travel(path);
        self.arrived = self.arrived.max(flight.last_left + self.travel(path));
        self.known_lost += self.silently_lost - 1;
        self.silently_lost = 0;
        if self.silence_reduces {
            self.window.reduce(heard);
        }
        self.timer.measured(heard.since(now).as_secs_f64());
        let more = self.known_lost + self.unsent > 0;
        if more { self.next(Turn::Round, heard) } else { self.next(Turn::End, self.arrived) }
    }

    /// All unacknowledged segments count as lost, and the window begins with one segment.
    fn time_out(&mut self, now: Nanos, path: &mut Path<'_>) -> Nanos {
        path.counts.timeouts += 1;
        self.window.restart(now, self.timer.ran_out == 0);
        self.timer.ran_out += 1;
        self.known_lost += self.silently_lost;
        (self.silently_lost, self.silence_reduces, self.spread) = (0, false, Nanos::ZERO);
        self.round(now, path)
    }

    /// Sends segments, evenly over the time in which those of the last round left.
    fn fly(&mut self, now: Nanos, again: u64, fresh: u64, path: &mut Path<'_>) -> Flight {
        let number = again + fresh;
        path.counts.segments += number;
        path.counts.retransmissions += again;
        let mut flight = Flight::default();
        let gap = self.spread.0 / number.max(1);
        for at in 0..number {
            match self.pass(now + Nanos(gap * at), self.way, self.segment_bytes, path) {
                Some(left) => flight.deliver(left),
                None => flight.lose(at >= again),
            }
        }
        flight
    }

    /// A packet goes one way; gives when it has left the queue, or `None` if it is lost.
    fn pass(&mut self, now: Nanos, way: usize, bytes: f64, path: &mut Path<'_>) -> Option<Nanos> {
        let Some(left) = path.ways[way].send(now, bytes) else {
            path.counts.dropped += 1;
            return None;
        };
        let loss = path.link.loss;
        if loss > 0.0 && self.stream.uniform() < loss {
            path.counts.lost += 1;
            return None;
        }
        Some(left)
    }

    /// How long a packet travels one way.
    fn travel(&mut self, path: &Path<'_>) -> Nanos {
        let LinkModel { delay_s, jitter_s, .. } = *path.link;
        if jitter_s == 0.0 {
            return Nanos::from_secs_f64(delay_s);
        }
        Nanos::from_secs_f64(delay_s + jitter_s * (2.0 * self.stream.uniform() - 1.0))
    }

    fn next(&mut self, turn: Turn, at: Nanos) -> Nanos {
        self.turn = turn;
        at
    }
}
