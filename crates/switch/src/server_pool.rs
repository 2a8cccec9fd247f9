//! Connections to servers, kept for the next request.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard};
use std::task::{Context, Waker};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

use crate::server_connection::ServerConnection;

/// The most idle connections kept for each server, by each thread.
const IDLE_MAX: usize = 64;
/// How long one is kept: servers commonly close theirs after a minute or more.
const IDLE_FOR: Duration = Duration::from_secs(30);

/// The connections of one thread.
#[derive(Debug)]
pub(crate) struct ServerPool {
    /// By the server's address, its idle connections, and since when.
    idle: Mutex<HashMap<SocketAddr, Vec<(Instant, IdleConnection)>>>,
    connect: Duration,
}

/// A connection that is idle, by hyper or without.
#[derive(Debug)]
enum IdleConnection {
    Socket(TcpStream),
    Hyper(ServerConnection),
}

impl IdleConnection {
    /// Whether the next request may go over it, as far as is known.
    fn is_ready(&mut self) -> bool {
        match self {
            IdleConnection::Socket(stream) => is_quiet(stream),
            IdleConnection::Hyper(connection) => connection.is_ready(),
        }
    }
}

/// Whether a server has neither closed a connection, nor sent unrequested data.
fn is_quiet(stream: &TcpStream) -> bool {
    stream.poll_read_ready(&mut Context::from_waker(Waker::noop())).is_pending()
}

impl ServerPool {
    pub(crate) fn new(connect: Duration) -> ServerPool {
        ServerPool { idle: Mutex::default(), connect }
    }

    /// A connection to this server: a kept one, or a new one if there is none or it must be
    /// `fresh`.
    pub(crate) async fn take(
        &self,
        server: SocketAddr,
        fresh: bool,
    ) -> io::Result<ServerConnection> {
        let last = || if fresh { None } else { self.last(server) };
        while let Some(mut kept) = last() {
            if kept.is_ready() {
                return match kept {
                    IdleConnection::Socket(stream) => ServerConnection::reused(stream).await,
                    IdleConnection::Hyper(connection) => Ok(connection),
                };
            }
        }
        timeout(self.connect, ServerConnection::open(server))
            .await
            .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }

    /// A connection that is kept, without hyper.
    pub(crate) fn take_socket(&self, server: SocketAddr) -> Option<TcpStream> {
        loop {
            let bare = match self.last(server)? {
                IdleConnection::Socket(stream) => Some(stream).filter(is_quiet),
                IdleConnection::Hyper(connection) => connection.into_socket(),
            };
            if bare.is_some() {
                return bare;
            }
        }
    }

    /// The most recently kept one, unless it is too old.
    fn last(&self, server: SocketAddr) -> Option<IdleConnection> {
        let mut all = self.idle();
        let kept = all.get_mut(&server)?;
        let (since, last) = kept.pop()?;
        if since.elapsed() < IDLE_FOR {
            return Some(last);
        }
        // All others are older.
        kept.clear();
        None
    }

    /// Keeps a connection whose response has ended. Nobody checks it until it is taken again, or
    /// closed.
    pub(crate) fn put(&self, server: SocketAddr, mut connection: ServerConnection) {
        connection.used = true;
        if connection.is_late() {
            connection.into_socket().into_iter().for_each(|stream| self.put_socket(server, stream));
        } else if !connection.has_ended() {
            self.keep(server, IdleConnection::Hyper(connection));
        }
    }

    /// Likewise, without hyper.
    pub(crate) fn put_socket(&self, server: SocketAddr, stream: TcpStream) {
        self.keep(server, IdleConnection::Socket(stream));
    }

    fn keep(&self, server: SocketAddr, one: IdleConnection) {
        let mut all = self.idle();
        let kept = all.entry(server).or_default();
        if kept.len() < IDLE_MAX {
            kept.push((Instant::now(), one));
        }
    }

    /// Closes those that have been idle for too long, or that the server has closed.
    pub(crate) fn close_old(&self) {
        self.idle().retain(|_, pool| {
            pool.retain_mut(|(since, connection)| {
                since.elapsed() < IDLE_FOR && connection.is_ready()
            });
            !pool.is_empty()
        });
    }

    fn idle(&self) -> MutexGuard<'_, HashMap<SocketAddr, Vec<(Instant, IdleConnection)>>> {
        self.idle.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
