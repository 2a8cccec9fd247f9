//! Accepts connections of clients, and waits for them at the end.

use std::io;
use std::net::TcpListener;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio::time::{sleep, timeout};

use crate::client_connection::serve;
use crate::either::{Either, either};
use crate::forwarder::Forwarder;
use crate::stop::stop_signal;
use crate::tls::Tls;

/// The time between two checks of idle connections to servers.
const SWEEP: Duration = Duration::from_secs(10);
/// The pause after the operating system had no room for another connection.
pub(crate) const PAUSE: Duration = Duration::from_millis(50);

/// The source of a thread's connections, and their handling.
#[derive(Debug)]
pub(crate) struct Acceptor {
    pub(crate) listener: TcpListener,
    pub(crate) forwarder: Arc<Forwarder>,
    pub(crate) tls: Option<Tls>,
    /// Room for connections, of all threads.
    pub(crate) room: Arc<Semaphore>,
    pub(crate) stop: watch::Receiver<bool>,
}

/// Accepts connections until it is stopped, and waits for the open ones.
pub(crate) async fn take_connections(acceptor: Acceptor) -> io::Result<()> {
    let Acceptor { listener, forwarder, tls, room, stop } = acceptor;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let sweeping = Arc::clone(&forwarder);
    tokio::spawn(async move {
        loop {
            sleep(SWEEP).await;
            sweeping.pool.close_old();
        }
    });
    // Each connection has a sender; the receiver notices when all are gone.
    let (alive, mut ended) = mpsc::channel::<()>(1);
    let mut stopped = pin!(stop_signal(stop.clone()));
    loop {
        let next = pin!(next_connection(&listener, &room));
        let Either::Left((stream, permit)) = either(next, stopped.as_mut()).await else { break };
        let (forwarder, tls) = (Arc::clone(&forwarder), tls.clone());
        let (stop, alive) = (stop.clone(), alive.clone());
        tokio::spawn(async move {
            serve(stream, forwarder, tls, stop).await;
            drop((permit, alive));
        });
    }
    drop((listener, alive));
    // A connection that has not ended by then is cut off with the runtime.
    let _ = timeout(forwarder.settings.drain, ended.recv()).await;
    Ok(())
}

/// The next connection, once there is room for it.
async fn next_connection(
    listener: &tokio::net::TcpListener,
    room: &Arc<Semaphore>,
) -> (TcpStream, OwnedSemaphorePermit) {
    loop {
        let Ok(permit) = Arc::clone(room).acquire_owned().await else {
            // Nobody closes the semaphore.
            std::future::pending().await
        };
        match listener.accept().await {
            Ok((stream, _)) => return (stream, permit),
            Err(_) => sleep(PAUSE).await,
        }
    }
}
