//! The counters of a switch.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::labels::Labels;

/// The upper bounds of the histogram of response times, in seconds; above the last is one more
/// count.
pub(crate) const BOUNDS_S: [f64; 17] = [
    0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0,
    10.0, 30.0, 60.0,
];

/// All counters. Those with the same labels continue after a reload.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    pub(crate) policies: Vec<Arc<PolicyCounters>>,
    pub(crate) servers: Vec<Arc<ServerCounters>>,
}

/// The counters from one reload to the next.
#[derive(Debug)]
pub(crate) struct Counters {
    pub(crate) policy: Arc<PolicyCounters>,
    pub(crate) servers: Vec<Arc<ServerCounters>>,
}

#[derive(Debug)]
pub(crate) struct PolicyCounters {
    pub(crate) labels: String,
    passed: AtomicU64,
    refused: AtomicU64,
}

#[derive(Debug)]
pub(crate) struct ServerCounters {
    pub(crate) labels: String,
    number: usize,
    requests: AtomicU64,
    failures: AtomicU64,
    checks: AtomicU64,
    /// The failed ones among these.
    misses: AtomicU64,
    probes: AtomicU64,
    /// The unanswered ones among these.
    unanswered: AtomicU64,
    /// By bound, the responses that took longer than the bound before.
    took: [AtomicU64; BOUNDS_S.len() + 1],
    took_ns: AtomicU64,
}

/// The work of a switch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SwitchTotals {
    /// Requests that a server answered.
    pub passed: u64,
    /// Requests that the switch answered itself, with an error.
    pub refused: u64,
    /// By number of the server, the requests that it answered.
    pub requests: Vec<u64>,
    /// By number of the server, its failures: no connection, no answer, or a response without end.
    pub failures: Vec<u64>,
    /// Why lines of the access log are missing, if any.
    pub log_failure: Option<String>,
}

/// Response times of one server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ResponseTimes {
    /// By bound, the number of times up to it; the last is all of them.
    pub(crate) within: [u64; BOUNDS_S.len() + 1],
    pub(crate) sum_s: f64,
}

impl Totals {
    /// The counters for a policy and its servers from now on.
    pub(crate) fn counts(&mut self, labels: &Labels) -> Counters {
        let same = self.policies.iter().find(|one| one.labels == labels.policy).map(Arc::clone);
        let policy = same.unwrap_or_else(|| {
            let new = Arc::new(PolicyCounters::new(&labels.policy));
            self.policies.push(Arc::clone(&new));
            new
        });
        let mut servers = Vec::new();
        for (number, labels) in labels.servers.iter().enumerate() {
            let same = self.servers.iter().find(|one| one.labels == *labels).map(Arc::clone);
            servers.push(same.unwrap_or_else(|| {
                let new = Arc::new(ServerCounters::new(labels, number));
                self.servers.push(Arc::clone(&new));
                new
            }));
        }
        Counters { policy, servers }
    }

    /// All current counts together.
    pub(crate) fn summary(&self) -> SwitchTotals {
        let servers = self.servers.iter().map(|one| one.number + 1).max().unwrap_or(0);
        let mut summary = SwitchTotals {
            requests: vec![0; servers],
            failures: vec![0; servers],
            ..SwitchTotals::default()
        };
        for policy in &self.policies {
            summary.passed += read(&policy.passed);
            summary.refused += policy.refused();
        }
        for server in &self.servers {
            summary.requests[server.number] += server.requests();
            summary.failures[server.number] += server.failures();
        }
        summary
    }
}

fn read(count: &AtomicU64) -> u64 {
    count.load(Ordering::Relaxed)
}

fn increase(count: &AtomicU64) {
    count.fetch_add(1, Ordering::Relaxed);
}

impl PolicyCounters {
    fn new(labels: &str) -> PolicyCounters {
        let labels = labels.to_owned();
        PolicyCounters { labels, passed: AtomicU64::new(0), refused: AtomicU64::new(0) }
    }

    /// A request has been answered: by a server, or by the switch itself.
    pub(crate) fn count_answer(&self, by_server: bool) {
        increase(if by_server { &self.passed } else { &self.refused });
    }

    pub(crate) fn refused(&self) -> u64 {
        read(&self.refused)
    }
}

impl ServerCounters {
    fn new(labels: &str, number: usize) -> ServerCounters {
        ServerCounters {
            labels: labels.to_owned(),
            number,
            requests: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            checks: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            probes: AtomicU64::new(0),
            unanswered: AtomicU64::new(0),
            took: std::array::from_fn(|_| AtomicU64::new(0)),
            took_ns: AtomicU64::new(0),
        }
    }

    pub(crate) fn count_forward(&self) {
        increase(&self.requests);
    }

    pub(crate) fn count_failure(&self) {
        increase(&self.failures);
    }

    /// The server received a health check.
    pub(crate) fn count_check(&self, well: bool) {
        increase(&self.checks);
        self.misses.fetch_add(u64::from(!well), Ordering::Relaxed);
    }

    /// The server received a load probe; gives the number of probes if it has not answered any.
    pub(crate) fn count_probe(&self, answered: bool) -> Option<u64> {
        let probes = self.probes.fetch_add(1, Ordering::Relaxed) + 1;
        let more = u64::from(!answered);
        let unanswered = self.unanswered.fetch_add(more, Ordering::Relaxed) + more;
        (probes == unanswered).then_some(probes)
    }

    /// A response has ended.
    pub(crate) fn count_response(&self, took: Duration) {
        let took_s = took.as_secs_f64();
        increase(&self.took[BOUNDS_S.partition_point(|bound| *bound < took_s)]);
        self.took_ns.fetch_add(took.as_nanos() as u64, Ordering::Relaxed);
    }

    pub(crate) fn requests(&self) -> u64 {
        read(&self.requests)
    }

    pub(crate) fn failures(&self) -> u64 {
        read(&self.failures)
    }

    pub(crate) fn checks(&self) -> u64 {
        read(&self.checks)
    }

    /// Failed checks.
    pub(crate) fn misses(&self) -> u64 {
        read(&self.misses)
    }

    pub(crate) fn probes(&self) -> u64 {
        read(&self.probes)
    }

    /// Unanswered probes.
    pub(crate) fn unanswered(&self) -> u64 {
        read(&self.unanswered)
    }

    pub(crate) fn response_times(&self) -> ResponseTimes {
        let mut all = 0;
        let within = std::array::from_fn(|place| {
            all += read(&self.took[place]);
            all
        });
        ResponseTimes { within, sum_s: read(&self.took_ns) as f64 * 1e-9 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(policy: &str, servers: [&str; 2]) -> Labels {
        Labels { policy: policy.to_owned(), servers: servers.map(str::to_owned).to_vec() }
    }

    #[test]
    fn a_bound_is_of_the_times_that_reach_it() {
        let counts = Totals::default().counts(&labels("jsq", ["a", "b"]));
        for micros in [250, 251, 1_000_000, 61_000_000] {
            counts.servers[1].count_response(Duration::from_micros(micros));
        }
        let ResponseTimes { within, sum_s } = counts.servers[1].response_times();
        assert_eq!(within[..3], [1, 2, 2]);
        assert_eq!(within[10..], [2, 3, 3, 3, 3, 3, 3, 4]);
        assert!((sum_s - 62.000_501).abs() < 1e-9);
        assert_eq!(counts.servers[0].response_times().within, [0; BOUNDS_S.len() + 1]);
    }

    #[test]
    fn what_has_the_same_labels_is_counted_on() {
        let mut totals = Totals::default();
        for servers in [["a", "b"], ["a", "c"], ["a", "b"]] {
            let counts = totals.counts(&labels("jsq", servers));
            counts.policy.count_answer(true);
            counts.servers.iter().for_each(|server| server.count_forward());
        }
        let requests: Vec<u64> = totals.servers.iter().map(|server| server.requests()).collect();
        assert_eq!(requests, [3, 2, 1]);
        assert_eq!(totals.policies.len(), 1);
        let summary = totals.summary();
        assert_eq!((summary.passed, summary.requests), (3, vec![3, 3]));
    }
}
