//! Connections of clients: taken, served, and ended.

use std::io;
use std::net::TcpListener;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio::time::{sleep, timeout};

use crate::either::{Either, either};
use crate::fields::Came;
use crate::forward::{Lane, answer};
use crate::guarded::Guarded;

/// The largest head of a request, in bytes, and the most fields that it has.
const HEAD_BYTES_MAX: usize = 64 * 1024;
const FIELDS_MAX: usize = 128;
/// How often idle connections to servers are looked through.
const SWEEP: Duration = Duration::from_secs(10);
/// How long nothing is accepted after the operating system has had no room for another connection.
const PAUSE: Duration = Duration::from_millis(50);

/// Where a thread takes connections from, and what it does with them.
#[derive(Debug)]
pub(crate) struct Door {
    pub(crate) listener: TcpListener,
    pub(crate) lane: Arc<Lane>,
    /// Room for connections, of all threads.
    pub(crate) room: Arc<Semaphore>,
    pub(crate) stop: watch::Receiver<bool>,
}

/// Takes connections until it is told to stop, and waits for those that it has.
pub(crate) async fn take_connections(door: Door) -> io::Result<()> {
    let Door { listener, lane, room, stop } = door;
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
        let (lane, stop, alive) = (Arc::clone(&lane), stop.clone(), alive.clone());
        tokio::spawn(async move {
            serve(stream, lane, stop).await;
            drop((permit, alive));
        });
    }
    drop((listener, alive));
    // Whoever has not ended by then is cut off with the runtime.
    let _ = timeout(lane.settings.drain, ended.recv()).await;
    Ok(())
}

/// Waits until the switch is to stop.
async fn told(mut stop: watch::Receiver<bool>) {
    // Who tells it lives as long as the switch.
    let _ = stop.wait_for(|stopped| *stopped).await;
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

/// Serves one client until it leaves, or is to.
async fn serve(stream: TcpStream, lane: Arc<Lane>, stop: watch::Receiver<bool>) {
    let (Ok(()), Ok(peer)) = (stream.set_nodelay(true), stream.peer_addr()) else { return };
    let settings = lane.settings;
    let behind_proxy = settings.behind_proxy;
    let came = Came { from: peer.ip().to_canonical(), scheme: "http", behind_proxy };
    let service = service_fn(move |request| answer(Arc::clone(&lane), came, request));
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(settings.client)
        .max_buf_size(HEAD_BYTES_MAX)
        .max_headers(FIELDS_MAX);
    let guarded = TokioIo::new(Guarded::new(stream, settings.idle));
    let mut connection = pin!(builder.serve_connection(guarded, service));
    if let Either::Right(()) = either(connection.as_mut(), pin!(told(stop))).await {
        connection.as_mut().graceful_shutdown();
        // A client's mistake, or its going away, ends its own connection and nothing else.
        let _ = connection.await;
    }
}
