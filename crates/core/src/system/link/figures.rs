//! The figures of a link over the measured time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The traffic of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Requests and responses that began to go over it.
    pub transfers: u64,
    /// Their bytes, without headers.
    pub bytes: u64,
    /// Segments that were sent, retransmissions included.
    pub segments: u64,
    /// Retransmitted segments.
    pub retransmissions: u64,
    /// Packets that were lost on the way, those that set up connections included.
    pub lost: u64,
    /// Packets that found the buffer full.
    pub dropped: u64,
    /// Retransmission timers that ran out.
    pub timeouts: u64,
    /// Connections that were set up.
    pub connections: u64,
}

/// A link over the measured time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkSummary {
    /// The length of the measured time.
    pub duration_s: f64,
    /// Its traffic.
    pub counts: Counts,
    /// The share of its rate that was used, from clients to servers and back; `None` without a
    /// rate.
    pub loads: Option<[f64; 2]>,
}

impl LinkSummary {
    /// Merges another measurement of the same link, each weighted by its length.
    pub fn join(&mut self, other: &LinkSummary) {
        let (mine, theirs) = (self.duration_s, other.duration_s);
        let loads = self.loads.iter_mut().flatten().zip(other.loads.iter().flatten());
        if mine + theirs > 0.0 {
            loads.for_each(|(a, b)| *a = (*a * mine + b * theirs) / (mine + theirs));
        }
        self.duration_s += theirs;
        let (a, b) = (&mut self.counts, &other.counts);
        a.transfers += b.transfers;
        a.bytes += b.bytes;
        a.segments += b.segments;
        a.retransmissions += b.retransmissions;
        a.lost += b.lost;
        a.dropped += b.dropped;
        a.timeouts += b.timeouts;
        a.connections += b.connections;
    }
}
