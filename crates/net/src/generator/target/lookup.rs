//! Repeated lookups of a host beside the run, in a thread of their own: event loops never wait for
//! it.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// The last addresses found.
#[derive(Debug)]
struct Addresses {
    addresses: Mutex<Vec<SocketAddr>>,
    /// The number of changes.
    changes: AtomicU64,
    /// The number of lookups that found nothing.
    failures: AtomicU64,
}

/// Looks a host up again and again, until it is dropped.
pub(crate) struct Lookup {
    found: Arc<Addresses>,
    _until_dropped: Sender<()>,
}

/// One event loop's view of the lookups.
#[derive(Clone, Debug)]
pub(crate) struct Renewal {
    found: Arc<Addresses>,
    /// The changes that it has seen.
    seen: u64,
}

impl Lookup {
    /// Begins to `find` addresses at intervals; the first interval begins now.
    ///
    /// # Errors
    /// If no thread can be started.
    pub(crate) fn start(
        interval: Duration,
        find: impl Fn() -> io::Result<Vec<SocketAddr>> + Send + 'static,
    ) -> io::Result<Lookup> {
        let found = Arc::new(Addresses {
            addresses: Mutex::default(),
            changes: AtomicU64::new(0),
            failures: AtomicU64::new(0),
        });
        let (until_dropped, ended) = channel::<()>();
        let shared = Arc::clone(&found);
        // Nobody waits for its end: a lookup may take as long as the system's resolver likes.
        thread::Builder::new().name("lookup".to_owned()).spawn(move || {
            while ended.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
                match find() {
                    Ok(addresses) if !addresses.is_empty() => shared.renew(addresses),
                    _ => drop(shared.failures.fetch_add(1, Ordering::Relaxed)),
                }
            }
        })?;
        Ok(Lookup { found, _until_dropped: until_dropped })
    }

    pub(crate) fn renewal(&self) -> Renewal {
        Renewal { found: Arc::clone(&self.found), seen: 0 }
    }

    /// The note about failed lookups, if any.
    pub(crate) fn warning(&self) -> Option<String> {
        let failures = self.found.failures.load(Ordering::Relaxed);
        (failures > 0).then(|| {
            format!(
                "the target's host could not be looked up again {failures} times: connections \
                 continued with the addresses found before"
            )
        })
    }
}

impl Addresses {
    fn renew(&self, mut addresses: Vec<SocketAddr>) {
        // Name servers give them in any order.
        addresses.sort_unstable();
        let mut kept = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        if *kept != addresses {
            *kept = addresses;
            self.changes.fetch_add(1, Ordering::Release);
        }
    }
}

impl Renewal {
    /// The addresses found last, if they changed since the last call.
    pub(crate) fn changes(&mut self) -> Option<Vec<SocketAddr>> {
        let changes = self.found.changes.load(Ordering::Acquire);
        if changes == self.seen {
            return None;
        }
        self.seen = changes;
        Some(self.found.addresses.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(ports: &[u16]) -> Vec<SocketAddr> {
        ports.iter().map(|port| SocketAddr::from(([127, 0, 0, 1], *port))).collect()
    }

    #[test]
    fn changes_come_once_and_failures_change_nothing() {
        let (say, said) = channel();
        let said = Mutex::new(said);
        let find = move || {
            said.lock()
                .unwrap()
                .recv()
                .unwrap_or_else(|_| Err(io::Error::other("the test is over")))
        };
        let lookup = Lookup::start(Duration::from_millis(1), find).unwrap();
        let mut renewal = lookup.renewal();
        assert_eq!(renewal.changes(), None);
        let wait = |renewal: &mut Renewal| {
            (0..5000).find_map(|_| {
                thread::sleep(Duration::from_millis(1));
                renewal.changes()
            })
        };
        say.send(Ok(addresses(&[2, 1]))).unwrap();
        assert_eq!(wait(&mut renewal), Some(addresses(&[1, 2])));
        assert_eq!(lookup.warning(), None);
        // In another order, none, and not found: the same as before.
        say.send(Ok(addresses(&[1, 2]))).unwrap();
        say.send(Ok(Vec::new())).unwrap();
        say.send(Err(io::Error::other("no such host"))).unwrap();
        say.send(Ok(addresses(&[3]))).unwrap();
        assert_eq!(wait(&mut renewal), Some(addresses(&[3])));
        assert!(lookup.warning().unwrap().contains("again 2 times"));
    }
}
