//! Calls of gRPC over HTTP/2, against a server of the crate `h2` that says its status in trailers.

use std::net::SocketAddr;
use std::thread;

use crate::support::*;
use bytes::Bytes;
use h2::RecvStream;
use h2::server::SendResponse;
use http::{HeaderMap, Request, Response};
use prost_reflect::prost::Message;
use prost_reflect::prost_types::{
    DescriptorProto, FileDescriptorProto, FileDescriptorSet, MethodDescriptorProto,
    ServiceDescriptorProto,
};
use thinktime_core::error::Invalid;
use thinktime_core::files::Files;
use thinktime_core::schema::Source;
use thinktime_core::workload::Workload;
use thinktime_net::generator::{Target, run};
use tokio::net::TcpListener;

struct Descriptors;

impl Files for Descriptors {
    fn read(&self, name: &str) -> Result<String, Invalid> {
        Err(Invalid::new(format!("no text in {name}")))
    }

    fn bytes(&self, _name: &str) -> Result<Vec<u8>, Invalid> {
        let method = |name: &str| MethodDescriptorProto {
            name: Some(name.to_owned()),
            input_type: Some(".a.Empty".to_owned()),
            output_type: Some(".a.Empty".to_owned()),
            ..MethodDescriptorProto::default()
        };
        let empty =
            DescriptorProto { name: Some("Empty".to_owned()), ..DescriptorProto::default() };
        let service = ServiceDescriptorProto {
            name: Some("S".to_owned()),
            method: ["Good", "Bad", "Short", "Mute"].map(method).to_vec(),
            ..ServiceDescriptorProto::default()
        };
        let file = FileDescriptorProto {
            name: Some("a.proto".to_owned()),
            package: Some("a".to_owned()),
            syntax: Some("proto3".to_owned()),
            message_type: vec![empty],
            service: vec![service],
            ..FileDescriptorProto::default()
        };
        Ok(FileDescriptorSet { file: vec![file] }.encode_to_vec())
    }
}

fn calls(method: &str) -> Workload {
    let text = format!(
        "name = 'w'\n[arrivals]\nmodel = 'closed'\nclients = 3\n[session]\nthink = '0s'\n\
         [[request]]\nname = 'x'\ngrpc = 'a.S/{method}'\ndescriptors = 'a.pb'"
    );
    Workload::parse(Source { file: "", text: &text }, &Descriptors).unwrap()
}

/// A server in a thread that ends with the test process.
fn grpc_server() -> SocketAddr {
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
                        tokio::spawn(answer(request, respond));
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
    let status = if right && head.uri.path() == "/a.S/Good" { "0" } else { "13" };
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
        _ => {
            let mut stream = respond.send_response(response().body(()).unwrap(), false).unwrap();
            stream.send_data(Bytes::from_static(&[0; 5]), false).ok();
            let mut trailers = HeaderMap::new();
            trailers.insert("grpc-status", status.parse().unwrap());
            stream.send_trailers(trailers).ok();
        }
    }
}

#[test]
fn calls_succeed_by_their_trailers() {
    let target = Target::parse(&format!("h2c://{}", grpc_server())).unwrap();
    let (done, rows) = go(&calls("Good"), &target, 100);
    assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
    assert!(rows.iter().all(|row| row.status == 200));
    for method in ["Bad", "Short", "Mute"] {
        let (done, _) = go(&calls(method), &target, 9);
        let counted = &done.summary.errors_by_kind;
        assert_eq!(counted.get("grpc_status"), Some(&9), "{method}: {counted:?}");
    }
}

#[test]
fn other_targets_are_refused() {
    for scheme in ["http", "ws", "tcp"] {
        let target = Target::parse(&format!("{scheme}://127.0.0.1:9")).unwrap();
        let refused = run(&calls("Good"), &target, &plan(1), &mut (), &mut |_| true).unwrap_err();
        assert!(refused.to_string().contains("h2c or https"), "{scheme}: {refused}");
    }
}
