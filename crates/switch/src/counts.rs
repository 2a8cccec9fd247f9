//! What a switch has done, counted.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts that only grow.
#[derive(Debug)]
pub(crate) struct Counts {
    passed: AtomicU64,
    refused: AtomicU64,
    servers: Vec<OfServer>,
}

#[derive(Debug, Default)]
struct OfServer {
    requests: AtomicU64,
    failures: AtomicU64,
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

impl Counts {
    pub(crate) fn new(servers: usize) -> Counts {
        let servers = (0..servers).map(|_| OfServer::default()).collect();
        Counts { passed: AtomicU64::new(0), refused: AtomicU64::new(0), servers }
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
