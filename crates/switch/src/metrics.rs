//! Metrics, at an address of their own, under `/metrics`.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hyper::body::Incoming;
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use crate::accept::PAUSE;
use crate::dispatcher::Dispatcher;
use crate::download::Download;
use crate::metrics_page::page;

/// Connections at a time; few programs read metrics.
const CONNECTIONS_MAX: usize = 64;
/// The longest duration of one: readers of metrics come again.
const LASTS: Duration = Duration::from_secs(120);

/// Answers until it is dropped.
pub(crate) async fn serve_metrics(listener: TcpListener, dispatcher: Arc<Dispatcher>) {
    let room = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    // Nobody closes the semaphore.
    while let Ok(permit) = Arc::clone(&room).acquire_owned().await {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(PAUSE).await;
            continue;
        };
        let dispatcher = Arc::clone(&dispatcher);
        tokio::spawn(async move {
            let answer =
                |request| std::future::ready(Ok::<_, Infallible>(answer(&dispatcher, &request)));
            let mut builder = http1::Builder::new();
            builder.timer(TokioTimer::new()).header_read_timeout(LASTS);
            let serving = builder.serve_connection(TokioIo::new(stream), service_fn(answer));
            // A reader's error ends its own connection.
            drop(timeout(LASTS, serving).await);
            drop(permit);
        });
    }
}

fn answer(dispatcher: &Dispatcher, request: &Request<Incoming>) -> Response<Download> {
    let (status, text) = match (request.method(), request.uri().path()) {
        (_, path) if path != "/metrics" => {
            (StatusCode::NOT_FOUND, "404: metrics are at /metrics\n".to_owned())
        }
        (&Method::GET | &Method::HEAD, _) => (StatusCode::OK, page(dispatcher)),
        _ => (StatusCode::METHOD_NOT_ALLOWED, "405: metrics are read with GET\n".to_owned()),
    };
    let mut response = Response::new(Download::Own(Some(Bytes::from(text))));
    *response.status_mut() = status;
    let fields = response.headers_mut();
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    fields.insert(CONTENT_TYPE, kind);
    if status == StatusCode::METHOD_NOT_ALLOWED {
        fields.insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
    }
    response
}
