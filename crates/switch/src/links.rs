//! Connections to servers, kept for the next request.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard};
use std::task::{Context, Waker};
use std::time::Duration;

use tokio::net::TcpStream;
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
    kept: Mutex<HashMap<SocketAddr, Vec<(Instant, Kept)>>>,
    connect: Duration,
}

/// A connection that is idle, by hyper or without.
#[derive(Debug)]
enum Kept {
    Bare(TcpStream),
    Led(Link),
}

impl Kept {
    /// Whether the next request may go over it, as far as is known.
    fn is_ready(&mut self) -> bool {
        match self {
            Kept::Bare(stream) => is_quiet(stream),
            Kept::Led(link) => link.is_ready(),
        }
    }
}

/// Whether a server has neither closed a connection, nor said what it was not asked for.
fn is_quiet(stream: &TcpStream) -> bool {
    stream.poll_read_ready(&mut Context::from_waker(Waker::noop())).is_pending()
}

impl Links {
    pub(crate) fn new(connect: Duration) -> Links {
        Links { kept: Mutex::default(), connect }
    }

    /// A connection to this server: one that is kept, or a new one if there is none or it must be
    /// `fresh`.
    pub(crate) async fn take(&self, server: SocketAddr, fresh: bool) -> io::Result<Link> {
        let last = || if fresh { None } else { self.last(server) };
        while let Some(mut kept) = last() {
            if kept.is_ready() {
                return match kept {
                    Kept::Bare(stream) => Link::used(stream).await,
                    Kept::Led(link) => Ok(link),
                };
            }
        }
        timeout(self.connect, Link::open(server))
            .await
            .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }

    /// A connection that is kept, without hyper.
    pub(crate) fn take_bare(&self, server: SocketAddr) -> Option<TcpStream> {
        loop {
            let bare = match self.last(server)? {
                Kept::Bare(stream) => Some(stream).filter(is_quiet),
                Kept::Led(link) => link.into_bare(),
            };
            if bare.is_some() {
                return bare;
            }
        }
    }

    /// The one that was given last, unless it is too old.
    fn last(&self, server: SocketAddr) -> Option<Kept> {
        let mut all = self.kept();
        let kept = all.get_mut(&server)?;
        let (since, last) = kept.pop()?;
        if since.elapsed() < KEPT_FOR {
            return Some(last);
        }
        // All others are older.
        kept.clear();
        None
    }

    /// Keeps a connection over which a response has come to its end. Nobody looks at it until it
    /// is taken again, or closed.
    pub(crate) fn give(&self, server: SocketAddr, mut link: Link) {
        link.used = true;
        if link.is_late() {
            link.into_bare().into_iter().for_each(|stream| self.give_bare(server, stream));
        } else if !link.has_ended() {
            self.keep(server, Kept::Led(link));
        }
    }

    /// Likewise, without hyper.
    pub(crate) fn give_bare(&self, server: SocketAddr, stream: TcpStream) {
        self.keep(server, Kept::Bare(stream));
    }

    fn keep(&self, server: SocketAddr, one: Kept) {
        let mut all = self.kept();
        let kept = all.entry(server).or_default();
        if kept.len() < KEPT_MAX {
            kept.push((Instant::now(), one));
        }
    }

    /// Closes those that have been idle for too long, or that the server has closed.
    pub(crate) fn close_old(&self) {
        self.kept().retain(|_, links| {
            links.retain_mut(|(since, link)| since.elapsed() < KEPT_FOR && link.is_ready());
            !links.is_empty()
        });
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<SocketAddr, Vec<(Instant, Kept)>>> {
        self.kept.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
