//! Requests of a log whose clock is coarse, spread over the steps of that clock.

use super::log::Request;
use crate::random::{Purpose, StreamFamily};

/// Clocks with steps up to this, in nanoseconds, are used as they are.
const FINE_NS: u64 = 1_000_000;

/// Spreads requests, given in the order of time, over the steps of their log's clock.
///
/// A stamp of whole seconds hides the time within a second: sent at the stamps, all the requests of
/// a second would come at one instant, as they never did. Those of one stamp keep their order.
/// Their new times depend on the stamp alone, so that a log is replayed the same way each time.
pub(super) fn spread(requests: &mut [Request], resolution_ns: u64) {
    if resolution_ns <= FINE_NS {
        return;
    }
    let streams = StreamFamily::new(0, Purpose::Spread);
    let mut offsets = Vec::new();
    for same in requests.chunk_by_mut(|one, other| one.time_ns == other.time_ns) {
        let mut stream = streams.stream(same[0].time_ns.cast_unsigned());
        offsets.clear();
        let offset = |_: &Request| (stream.uniform() * resolution_ns as f64) as i64;
        offsets.extend(same.iter().map(offset));
        offsets.sort_unstable();
        for (request, offset) in same.iter_mut().zip(&offsets) {
            request.time_ns += offset;
        }
    }
    // Stamps of ends, less the durations, lie anywhere.
    requests.sort_by_key(|request| request.time_ns);
}
