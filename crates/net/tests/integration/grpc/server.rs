//! A server of the crate `h2` that sends its status in trailers.

use std::net::SocketAddr;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use h2::RecvStream;
use h2::server::SendResponse;
use http::{HeaderMap, Request, Response};
use tokio::net::TcpListener;

/// The delay of a stream's first message after its head.
pub(super) const FIRST_MESSAGE: Duration = Duration::from_millis(20);

/// Whether the server has learned that an endless stream has ended.
pub(super) static ENDED: AtomicBool = AtomicBool::new(false);

/// A server in a thread that ends with the test process.
pub(super) fn grpc_server() -> SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    listener.set_nonblocking(true).unwrap();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
        runtime.block_on(async move {
            let listener = TcpListener::from_std(listener).unwrap();
            while let Ok((socket, _)) = listener.accept().await {
                tokio::spawn(async move {
                    let Ok(mut connection) = h2::server::handshake(socket).await else { return };
                    while let Some(Ok((request, respond))) = connection.accept().await {
                        match request.uri().path() {
                            "/a.S/Watch" | "/a.S/Endless" | "/a.S/Echo" => {
                                tokio::spawn(stream(request, respond));
                            }
                            _ => drop(tokio::spawn(answer(request, respond))),
                        }
                    }
                });
            }
        });
    });
    address
}

async fn answer(request: Request<RecvStream>, mut respond: SendResponse<Bytes>) {
    let (head, mut body) = request.into_parts();
    let mut bytes = Vec::new();
    while let Some(Ok(part)) = body.data().await {
        bytes.extend_from_slice(&part);
    }
    let right = head.method == "POST"
        && head.headers["content-type"] == "application/grpc"
        && head.headers["te"] == "trailers"
        && bytes == [0; 5];
    let response = || Response::builder().header("content-type", "application/grpc");
    let told = |name: &str, value: &str| head.headers.get(name).is_some_and(|it| it == value);
    let good = match head.uri.path() {
        "/a.S/Good" => right && !head.headers.contains_key("grpc-timeout"),
        "/a.S/Told" => right && told("x-tenant", "north") && told("x-trace-bin", "AAE="),
        "/a.S/Timed" => told("grpc-timeout", "30000000u"),
        "/a.S/Drawn" => right && told("x-tenant", "7"),
        "/a.S/Collect" => bytes == [0; 15],
        "/a.T/Told" => told("x-tenant", "7") && told("x-trace-bin", "AAE="),
        "/a.T/Mirror" | "/a.T/Both" | "/a.T/Odd" => head.headers["te"] == "trailers",
        _ => false,
    };
    let status = if good { "0" } else { "13" };
    match head.uri.path() {
        // A failure may come without a message.
        "/a.S/Short" => {
            respond
                .send_response(response().header("grpc-status", "5").body(()).unwrap(), true)
                .ok();
        }
        "/a.S/Mute" => {
            respond.send_response(response().body(()).unwrap(), true).ok();
        }
        path => {
            let mut stream = respond.send_response(response().body(()).unwrap(), false).unwrap();
            let message = match path {
                "/a.T/Mirror" | "/a.T/Both" => Bytes::from(bytes),
                "/a.T/Odd" => Bytes::from_static(b"\0\0\0\0\x02\x0a\x05"),
                _ => Bytes::from_static(&[0; 5]),
            };
            stream.send_data(message, false).ok();
            let mut trailers = HeaderMap::new();
            trailers.insert("grpc-status", status.parse().unwrap());
            stream.send_trailers(trailers).ok();
        }
    }
}

/// Answers with a message for each received one; or with three in pieces, some time after the head;
/// or with messages until nobody wants any.
async fn stream(request: Request<RecvStream>, mut respond: SendResponse<Bytes>) {
    let (head, mut body) = request.into_parts();
    let response = Response::builder().header("content-type", "application/grpc");
    let mut stream = respond.send_response(response.body(()).unwrap(), false).unwrap();
    let mut send = |part: &'static [u8]| stream.send_data(Bytes::from_static(part), false).is_ok();
    match head.uri.path() {
        "/a.S/Echo" => {
            while let Some(Ok(part)) = body.data().await {
                if !send(&[0; 15][..part.len()]) {
                    return;
                }
            }
        }
        "/a.S/Watch" => {
            tokio::task::spawn_blocking(|| thread::sleep(FIRST_MESSAGE)).await.unwrap();
            for part in [&[0; 7][..], &[0; 2], &[0; 6]] {
                send(part);
                tokio::task::yield_now().await;
            }
        }
        _ => {
            while send(&[0; 5]) {
                tokio::task::spawn_blocking(|| thread::sleep(FIRST_MESSAGE / 10)).await.unwrap();
            }
            return ENDED.store(true, Relaxed);
        }
    }
    let mut trailers = HeaderMap::new();
    trailers.insert("grpc-status", "0".parse().unwrap());
    stream.send_trailers(trailers).ok();
}
