//! A client's connection: its protocol, and its end.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

use crate::either::{Either, either};
use crate::fields::Origin;
use crate::forwarder::Forwarder;
use crate::stop::stop_signal;
use crate::tls::{HTTP2, Tls};
use crate::{http1, http2};

/// The beginning of every connection of HTTP/2 and of none of HTTP/1 (RFC 9113, sections 3.4 and
/// 11.6).
const BEGINS_HTTP2: &[u8] = b"PRI ";
/// The time between two checks of a beginning in pieces.
const PIECES: Duration = Duration::from_millis(5);

/// Serves one client until it leaves, or must leave.
pub(crate) async fn serve(
    stream: TcpStream,
    forwarder: Arc<Forwarder>,
    tls: Option<Tls>,
    stop: watch::Receiver<bool>,
) {
    let _connection = forwarder.dispatcher.open_connection();
    let (Ok(()), Ok(peer)) = (stream.set_nodelay(true), stream.peer_addr()) else { return };
    let (from, behind_proxy) = (peer.ip().to_canonical(), forwarder.settings.behind_proxy);
    let origin = |scheme| Origin { from, scheme, behind_proxy };
    let Some(Tls(acceptor)) = tls else {
        let client_timeout = forwarder.settings.client;
        match in_time(begins_http2(&stream), client_timeout, stop.clone()).await {
            Some(true) => Box::pin(http2::serve(stream, forwarder, origin("http"), stop)).await,
            Some(false) => http1::serve(stream, forwarder, origin("http"), stop).await,
            None => {}
        }
        return;
    };
    // In boxes, so that connections of the other kinds reserve no room for it.
    Box::pin(serve_tls(acceptor, stream, forwarder, origin("https"), stop)).await;
}

async fn serve_tls(
    acceptor: TlsAcceptor,
    stream: TcpStream,
    forwarder: Arc<Forwarder>,
    origin: Origin,
    stop: watch::Receiver<bool>,
) {
    let client_timeout = forwarder.settings.client;
    let shaken = in_time(acceptor.accept(stream), client_timeout, stop.clone()).await;
    let Some(stream) = shaken else { return };
    match stream.get_ref().1.alpn_protocol() {
        Some(HTTP2) => http2::serve(stream, forwarder, origin, stop).await,
        _ => http1::serve(stream, forwarder, origin, stop).await,
    }
}

/// The beginning of a connection; nothing if that fails or takes too long, or if the switch stops:
/// a client without a request loses nothing.
async fn in_time<T>(
    begins: impl Future<Output = io::Result<T>>,
    client_timeout: Duration,
    stop: watch::Receiver<bool>,
) -> Option<T> {
    match either(pin!(timeout(client_timeout, begins)), pin!(stop_signal(stop))).await {
        Either::Left(Ok(begun)) => begun.ok(),
        Either::Left(Err(_)) | Either::Right(()) => None,
    }
}

/// Whether a connection is one of HTTP/2. No data is consumed.
async fn begins_http2(stream: &TcpStream) -> io::Result<bool> {
    let mut seen = [0; BEGINS_HTTP2.len()];
    loop {
        let length = stream.peek(&mut seen).await?;
        if length == 0 || !BEGINS_HTTP2.starts_with(&seen[..length]) {
            return Ok(false);
        }
        if length == BEGINS_HTTP2.len() {
            return Ok(true);
        }
        // Arrived data is visible at once again: a wait for readiness would not wait.
        sleep(PIECES).await;
    }
}
