//! One direction of a link: the queue of its rate.

use thinktime_file::time::Nanos;

/// Packets leave one after another, at the rate.
#[derive(Clone, Debug)]
pub(super) struct LinkDirection {
    /// The time of a byte; 0 without a rate.
    nanoseconds_a_byte: f64,
    /// The longest that a packet is here.
    buffer: Nanos,
    /// When the last accepted packet has left.
    free_at: Nanos,
    /// The delays of accepted packets.
    busy: Nanos,
}

impl LinkDirection {
    /// With a rate in bytes a second, and a buffer of this many bytes.
    pub(super) fn new(rate: Option<(f64, f64)>) -> LinkDirection {
        let (nanoseconds_a_byte, buffer) = match rate {
            Some((rate, buffer)) => (1e9 / rate, Nanos::from_secs_f64(buffer / rate)),
            None => (0.0, Nanos::MAX),
        };
        LinkDirection { nanoseconds_a_byte, buffer, free_at: Nanos::ZERO, busy: Nanos::ZERO }
    }

    /// A packet comes; gives when it has left, or `None` if the buffer is full.
    pub(super) fn send(&mut self, now: Nanos, bytes: f64) -> Option<Nanos> {
        if self.nanoseconds_a_byte == 0.0 {
            return Some(now);
        }
        let takes = Nanos::nearest(bytes * self.nanoseconds_a_byte);
        let leaves = now.max(self.free_at) + takes;
        if leaves.since(now) > self.buffer {
            return None;
        }
        self.busy += takes;
        self.free_at = leaves;
        Some(leaves)
    }

    pub(super) fn begin_measuring(&mut self) {
        self.busy = Nanos::ZERO;
    }

    /// The delays of packets that came since the measuring began; `None` without a rate.
    pub(super) fn busy(&self) -> Option<Nanos> {
        (self.nanoseconds_a_byte > 0.0).then_some(self.busy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_wait_for_those_before_and_are_dropped_where_there_is_no_room() {
        // A byte a microsecond, and room for three packets of a thousand bytes.
        let mut way = LinkDirection::new(Some((1e6, 3000.0)));
        let at = |micros: u64| Nanos(micros * 1000);
        assert_eq!(way.send(at(0), 1000.0), Some(at(1000)));
        assert_eq!(way.send(at(0), 1000.0), Some(at(2000)));
        assert_eq!(way.send(at(0), 1000.0), Some(at(3000)));
        assert_eq!(way.send(at(999), 1000.0), None);
        assert_eq!(way.send(at(1000), 1000.0), Some(at(4000)));
        assert_eq!(way.send(at(9000), 500.0), Some(at(9500)));
        assert_eq!(way.busy(), Some(at(4500)));
        assert_eq!(LinkDirection::new(None).send(at(7), 1e9), Some(at(7)));
    }
}
