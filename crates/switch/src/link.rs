//! Connections to servers, kept for the next request.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use hyper::client::conn::http1::{Builder, SendRequest};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

use crate::stream::Upload;

/// Idle connections that are kept for each server, by each thread.
const KEPT_MAX: usize = 64;
/// How long one is kept: servers commonly close theirs after a minute or more.
const KEPT_FOR: Duration = Duration::from_secs(30);
/// The largest head of a response, in bytes.
const HEAD_BYTES_MAX: usize = 64 * 1024;
const FIELDS_MAX: usize = 128;

/// A connection to a server, with nothing in progress.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) send: SendRequest<Upload>,
    /// Whether a request has gone over it before: the server may be closing it.
    pub(crate) used: bool,
}

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
            if since.elapsed() < KEPT_FOR && link.send.ready().await.is_ok() {
                return Ok(link);
            }
        }
        timeout(self.connect, open(server))
            .await
            .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }

    /// Keeps a connection over which a response has come to its end.
    pub(crate) fn give(&self, server: SocketAddr, mut link: Link) {
        link.used = true;
        let mut all = self.kept();
        let kept = all.entry(server).or_default();
        if kept.len() < KEPT_MAX && !link.send.is_closed() {
            kept.push((Instant::now(), link));
        }
    }

    /// Closes those that have been idle for too long.
    pub(crate) fn close_old(&self) {
        let fresh = |one: &(Instant, Link)| one.0.elapsed() < KEPT_FOR && !one.1.send.is_closed();
        self.kept().retain(|_, links| {
            links.retain(fresh);
            !links.is_empty()
        });
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<SocketAddr, Vec<(Instant, Link)>>> {
        self.kept.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

pub(crate) async fn open(address: SocketAddr) -> io::Result<Link> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let mut builder = Builder::new();
    builder.max_buf_size(HEAD_BYTES_MAX).max_headers(FIELDS_MAX);
    let (send, connection) =
        builder.handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
    // What becomes of it is told to the request that goes over it.
    tokio::spawn(async move { drop(connection.await) });
    Ok(Link { send, used: false })
}
