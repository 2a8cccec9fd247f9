//! Connections to servers, kept for the next request.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::{Instant, timeout};

use crate::link::Link;

/// Idle connections that are kept for each server, by each thread.
const KEPT_MAX: usize = 64;
/// How long one is kept: servers commonly close theirs after a minute or more.
const KEPT_FOR: Duration = Duration::from_secs(30);

/// The connections of one thread.
#[derive(Debug)]
pub(crate) struct Links {
    /// By the server's address, those that are idle, and since when.
    kept: Mutex<HashMap<SocketAddr, Vec<(Instant, Link)>>>,
    connect: Duration,
}

impl Links {
    pub(crate) fn new(connect: Duration) -> Links {
        Links { kept: Mutex::default(), connect }
    }

    /// A connection to this server: one that is kept, or a new one if there is none or it must be
    /// `fresh`.
    pub(crate) async fn take(&self, server: SocketAddr, fresh: bool) -> io::Result<Link> {
        loop {
            let kept = if fresh { None } else { self.kept().get_mut(&server).and_then(Vec::pop) };
            let Some((since, mut link)) = kept else { break };
            if since.elapsed() < KEPT_FOR && link.is_ready() {
                return Ok(link);
            }
        }
        timeout(self.connect, Link::open(server))
            .await
            .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }

    /// Keeps a connection over which a response has come to its end. Nobody looks at it until it
    /// is taken again, or closed.
    pub(crate) fn give(&self, server: SocketAddr, mut link: Link) {
        link.used = true;
        let mut all = self.kept();
        let kept = all.entry(server).or_default();
        if kept.len() < KEPT_MAX && !link.has_ended() {
            kept.push((Instant::now(), link));
        }
    }

    /// Closes those that have been idle for too long, or that the server has closed.
    pub(crate) fn close_old(&self) {
        self.kept().retain(|_, links| {
            links.retain_mut(|(since, link)| since.elapsed() < KEPT_FOR && link.is_ready());
            !links.is_empty()
        });
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<SocketAddr, Vec<(Instant, Link)>>> {
        self.kept.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
