//! Connections of clients: taken, and waited for at the end.

use std::io;
use std::net::TcpListener;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio::time::{sleep, timeout};

use crate::either::{Either, either};
use crate::forward::Lane;
use crate::front::{serve, told};
use crate::tls::Tls;

/// How often idle connections to servers are looked through.
const SWEEP: Duration = Duration::from_secs(10);
/// How long nothing is accepted after the operating system has had no room for another connection.
pub(crate) const PAUSE: Duration = Duration::from_millis(50);

/// Where a thread takes connections from, and what it does with them.
#[derive(Debug)]
pub(crate) struct Door {
    pub(crate) listener: TcpListener,
    pub(crate) lane: Arc<Lane>,
    pub(crate) tls: Option<Tls>,
    /// Room for connections, of all threads.
    pub(crate) room: Arc<Semaphore>,
    pub(crate) stop: watch::Receiver<bool>,
}

/// Takes connections until it is told to stop, and waits for those that it has.
pub(crate) async fn take_connections(door: Door) -> io::Result<()> {
    let Door { listener, lane, tls, room, stop } = door;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let sweeping = Arc::clone(&lane);
    tokio::spawn(async move {
        loop {
            sleep(SWEEP).await;
            sweeping.links.close_old();
        }
    });
    // Each connection has a sender; that all are gone is what the receiver hears.
    let (alive, mut ended) = mpsc::channel::<()>(1);
    let mut stopped = pin!(told(stop.clone()));
    loop {
        let next = pin!(next_connection(&listener, &room));
        let Either::Left((stream, permit)) = either(next, stopped.as_mut()).await else { break };
        let (lane, tls) = (Arc::clone(&lane), tls.clone());
        let (stop, alive) = (stop.clone(), alive.clone());
        tokio::spawn(async move {
            serve(stream, lane, tls, stop).await;
            drop((permit, alive));
        });
    }
    drop((listener, alive));
    // Whoever has not ended by then is cut off with the runtime.
    let _ = timeout(lane.settings.drain, ended.recv()).await;
    Ok(())
}

/// The next connection, when there is room for it.
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
