//! What a switch has done, counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The upper bounds of the histogram of response times, in seconds; above the last is one more
/// count.
pub(crate) const BOUNDS_S: [f64; 17] = [
    0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0,
    10.0, 30.0, 60.0,
];

/// Counts that only grow, and of connections those that are there.
#[derive(Debug)]
pub(crate) struct Counts {
    passed: AtomicU64,
    refused: AtomicU64,
    connections: AtomicU64,
    servers: Vec<OfServer>,
}

#[derive(Debug, Default)]
struct OfServer {
    requests: AtomicU64,
    failures: AtomicU64,
    checks: AtomicU64,
    /// Of these, those that did not find it well.
    misses: AtomicU64,
    /// By bound, the responses that took longer than the bound before.
    took: [AtomicU64; BOUNDS_S.len() + 1],
    took_ns: AtomicU64,
}

/// What a switch did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Switched {
    /// Requests that a server answered.
    pub passed: u64,
    /// Requests that the switch answered itself, with an error.
    pub refused: u64,
    /// By server, the requests that it answered.
    pub requests: Vec<u64>,
    /// By server, how often it failed: no connection, no answer, or a response without end.
    pub failures: Vec<u64>,
    /// Why lines of the access log are missing, if any are.
    pub log_failure: Option<String>,
}

/// Response times of one server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ResponseTimes {
    /// By bound, how many took no longer; the last is all of them.
    pub(crate) within: [u64; BOUNDS_S.len() + 1],
    pub(crate) sum_s: f64,
}

/// A client's connection, until it is dropped.
#[derive(Debug)]
pub(crate) struct Connected(Arc<Counts>);

impl Drop for Connected {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Counts {
    pub(crate) fn new(servers: usize) -> Counts {
        Counts {
            passed: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            connections: AtomicU64::new(0),
            servers: (0..servers).map(|_| OfServer::default()).collect(),
        }
    }

    /// A client is there.
    pub(crate) fn connected(self: &Arc<Counts>) -> Connected {
        self.connections.fetch_add(1, Ordering::Relaxed);
        Connected(Arc::clone(self))
    }

    /// How many clients are there.
    pub(crate) fn connections(&self) -> u64 {
        self.connections.load(Ordering::Relaxed)
    }

    /// A request has been answered: by a server, or by the switch itself.
    pub(crate) fn answered(&self, by_server: bool) {
        let count = if by_server { &self.passed } else { &self.refused };
        count.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn forwarded(&self, server: usize) {
        self.servers[server].requests.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn failed(&self, server: usize) {
        self.servers[server].failures.fetch_add(1, Ordering::Relaxed);
    }

    /// A server was asked how it is.
    pub(crate) fn asked(&self, server: usize, well: bool) {
        let counts = &self.servers[server];
        counts.checks.fetch_add(1, Ordering::Relaxed);
        counts.misses.fetch_add(u64::from(!well), Ordering::Relaxed);
    }

    /// By server, how often it was asked, and how often it was not well.
    pub(crate) fn checks(&self) -> (Vec<u64>, Vec<u64>) {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        self.servers.iter().map(|one| (read(&one.checks), read(&one.misses))).unzip()
    }

    /// A response of this server has come to its end.
    pub(crate) fn complete(&self, server: usize, took: Duration) {
        let took_s = took.as_secs_f64();
        let place = BOUNDS_S.partition_point(|bound| *bound < took_s);
        let counts = &self.servers[server];
        counts.took[place].fetch_add(1, Ordering::Relaxed);
        counts.took_ns.fetch_add(took.as_nanos() as u64, Ordering::Relaxed);
    }

    pub(crate) fn response_times(&self, server: usize) -> ResponseTimes {
        let counts = &self.servers[server];
        let mut all = 0;
        let within = std::array::from_fn(|place| {
            all += counts.took[place].load(Ordering::Relaxed);
            all
        });
        let sum_s = counts.took_ns.load(Ordering::Relaxed) as f64 * 1e-9;
        ResponseTimes { within, sum_s }
    }

    /// All of them, as they are now.
    pub(crate) fn now(&self) -> Switched {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Switched {
            passed: read(&self.passed),
            refused: read(&self.refused),
            requests: self.servers.iter().map(|one| read(&one.requests)).collect(),
            failures: self.servers.iter().map(|one| read(&one.failures)).collect(),
            log_failure: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_of_the_times_that_reach_it() {
        let counts = Counts::new(2);
        for micros in [250, 251, 1_000_000, 61_000_000] {
            counts.complete(1, Duration::from_micros(micros));
        }
        let ResponseTimes { within, sum_s } = counts.response_times(1);
        assert_eq!(within[..3], [1, 2, 2]);
        assert_eq!(within[10..], [2, 3, 3, 3, 3, 3, 3, 4]);
        assert!((sum_s - 62.000_501).abs() < 1e-9);
        assert_eq!(counts.response_times(0).within, [0; BOUNDS_S.len() + 1]);
    }
}
