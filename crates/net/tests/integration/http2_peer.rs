//! An independent HTTP/2 server: the crate `h2`.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use bytes::Bytes;
use h2::server::{Builder, SendResponse};
use h2::{Reason, RecvStream};
use http::{HeaderMap, Request, Response};
use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;

/// The behaviour of a server.
#[derive(Clone, Default)]
pub struct Behaviour {
    /// TLS, if any.
    pub tls: Option<Arc<ServerConfig>>,
    /// The streams that it allows on a connection.
    pub streams: Option<u32>,
    /// The requests after which it closes a connection in an orderly way.
    pub requests_per_connection: Option<usize>,
}

/// The observations of a server.
#[derive(Default)]
pub struct Seen {
    /// Connections with a request.
    pub connections: AtomicUsize,
    pub requests: AtomicUsize,
    pub now: AtomicUsize,
    /// The most requests at the same time.
    pub most: AtomicUsize,
    /// Streams that the client cancelled.
    pub cancelled: AtomicUsize,
    pub body_bytes: AtomicUsize,
}

/// Starts a server in a thread that ends with the test process.
pub fn http2_server(behaviour: Behaviour) -> (SocketAddr, Arc<Seen>) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    listener.set_nonblocking(true).unwrap();
    let seen = Arc::new(Seen::default());
    let own = Arc::clone(&seen);
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
        runtime.block_on(async move {
            let listener = TcpListener::from_std(listener).unwrap();
            while let Ok((socket, _)) = listener.accept().await {
                socket.set_nodelay(true).unwrap();
                let (behaviour, seen) = (behaviour.clone(), Arc::clone(&own));
                tokio::spawn(async move {
                    match behaviour.tls.clone() {
                        None => serve(socket, behaviour, seen).await,
                        Some(tls) => {
                            let acceptor = tokio_rustls::TlsAcceptor::from(tls);
                            if let Ok(stream) = acceptor.accept(socket).await {
                                serve(stream, behaviour, seen).await;
                            }
                        }
                    }
                });
            }
        });
    });
    (address, seen)
}

async fn serve(stream: impl AsyncRead + AsyncWrite + Unpin, behaviour: Behaviour, seen: Arc<Seen>) {
    let mut builder = Builder::new();
    if let Some(streams) = behaviour.streams {
        builder.max_concurrent_streams(streams);
    }
    let Ok(mut connection) = builder.handshake::<_, Bytes>(stream).await else { return };
    let mut requests = 0;
    while let Some(Ok((request, respond))) = connection.accept().await {
        requests += 1;
        if requests == 1 {
            seen.connections.fetch_add(1, Relaxed);
        }
        seen.requests.fetch_add(1, Relaxed);
        if Some(requests) == behaviour.requests_per_connection {
            connection.graceful_shutdown();
        }
        let seen = Arc::clone(&seen);
        tokio::spawn(async move {
            let now = seen.now.fetch_add(1, Relaxed) + 1;
            seen.most.fetch_max(now, Relaxed);
            answer(request, respond, &seen).await;
            seen.now.fetch_sub(1, Relaxed);
        });
    }
}

/// Answers according to the path.
async fn answer(request: Request<RecvStream>, mut respond: SendResponse<Bytes>, seen: &Seen) {
    let (head, mut body) = request.into_parts();
    while let Some(Ok(part)) = body.data().await {
        seen.body_bytes.fetch_add(part.len(), Relaxed);
        body.flow_control().release_capacity(part.len()).ok();
    }
    // Others come meanwhile.
    for _ in 0..3 {
        tokio::task::yield_now().await;
    }
    let plain = || Response::builder().header("server", "h2").body(()).unwrap();
    match head.uri.path() {
        "/reset" => respond.send_reset(Reason::INTERNAL_ERROR),
        "/refuse" => respond.send_reset(Reason::REFUSED_STREAM),
        "/never" => {
            let reset = std::future::poll_fn(|context| respond.poll_reset(context)).await;
            seen.cancelled.fetch_add(usize::from(reset.ok() == Some(Reason::CANCEL)), Relaxed);
        }
        "/missing" => {
            let response = Response::builder().status(404).body(()).unwrap();
            respond.send_response(response, true).ok();
        }
        // Redirects clients without its cookie, which get one.
        "/member" => {
            let known = head.headers.get("cookie").is_some_and(|cookie| cookie == "a=1");
            let response = Response::builder().status(if known { 200 } else { 302 });
            let response = match known {
                true => response,
                false => response.header("location", "/member").header("set-cookie", "a=1"),
            };
            respond.send_response(response.body(()).unwrap(), true).ok();
        }
        "/trailers" => {
            let Ok(mut stream) = respond.send_response(plain(), false) else { return };
            stream.send_data(Bytes::from_static(b"ok"), false).ok();
            let mut trailers = HeaderMap::new();
            trailers.insert("checksum", "1".parse().unwrap());
            stream.send_trailers(trailers).ok();
        }
        "/large" => {
            let Ok(mut stream) = respond.send_response(plain(), false) else { return };
            stream.send_data(Bytes::from(vec![b'x'; 3 << 20]), true).ok();
        }
        _ => {
            let interim = Response::builder().status(103).body(()).unwrap();
            respond.send_informational(interim).ok();
            let Ok(mut stream) = respond.send_response(plain(), head.method == "HEAD") else {
                return;
            };
            stream.send_data(Bytes::from_static(b"ok"), true).ok();
        }
    }
}
