//! `Server-Timing`: an input is the values of fields of one response, a line each.

use thinktime_core::time::Nanos;
use thinktime_net::protocol::ServerTiming;

use crate::Target;

pub(super) const TARGET: Target = Target {
    name: "server_timing",
    examples: None,
    words: &[
        "total", ";dur=", ";desc=\"", "\"", ", ", "1e8", "-1", "NaN", "inf", "0.5", "\\", "\n",
    ],
    bytes_max: 64 * 1024,
    tried: 20_000,
    read,
};

/// The longest accepted duration.
const LONGEST: Nanos = Nanos(100_000_000_000_000);

fn read(bytes: &[u8]) {
    let once = time(bytes, 1);
    if once.is_never() {
        return;
    }
    let metrics = 1 + bytes.iter().filter(|byte| **byte == b',' || **byte == b'\n').count() as u64;
    assert!(once.0 <= LONGEST.0.saturating_mul(metrics), "{once:?}");
    // The first `total` counts once, and the sum covers all fields.
    let twice = time(bytes, 2);
    assert!(twice == once || twice == once + once, "{once:?}, {twice:?}");
}

/// The content of the fields, each repeated.
fn time(bytes: &[u8], times: usize) -> Nanos {
    let mut timing = ServerTiming::default();
    for value in bytes.split(|byte| *byte == b'\n') {
        (0..times).for_each(|_| timing.take(value));
    }
    timing.time()
}
