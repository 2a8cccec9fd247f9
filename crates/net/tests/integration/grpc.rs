//! Calls of gRPC over HTTP/2, against a server of the crate `h2` that sends its status in trailers.

use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::Duration;

use thinktime_core::workload::WorkloadFiles;

use crate::support::*;
use bytes::Bytes;
use h2::RecvStream;
use h2::server::SendResponse;
use http::{HeaderMap, Request, Response};
use prost_reflect::prost::Message;
use prost_reflect::prost_types::field_descriptor_proto::{Label, Type};
use prost_reflect::prost_types::{
    DescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet,
    MethodDescriptorProto, ServiceDescriptorProto,
};
use rustls::ALL_VERSIONS;
use serde_json::json;
use thinktime_core::data::DataTable;
use thinktime_core::error::Invalid;
use thinktime_core::files::Files;
use thinktime_core::program::{Action, Event, ProgramSource, Programs, Report};
use thinktime_core::request::{Call, GrpcCall, Method, RequestKind};
use thinktime_core::schema::Source;
use thinktime_core::time::Nanos;
use thinktime_core::workload::Workload;
use thinktime_net::generator::{Target, run};
use tokio::net::TcpListener;

const METHODS: [&str; 11] = [
    "Good", "Bad", "Short", "Mute", "Told", "Drawn", "Collect", "Echo", "Watch", "Endless", "Timed",
];
/// Methods of a service whose messages are not empty.
const TALKS: [&str; 4] = ["Mirror", "Odd", "Both", "Told"];
/// The delay of a stream's first message after its head.
const FIRST_MESSAGE: Duration = Duration::from_millis(20);

/// Whether the server has learned that an endless stream has ended.
static ENDED: AtomicBool = AtomicBool::new(false);

/// A workload whose sessions are programs.
const SCRIPTED: &str = "name = 'w'\n[arrivals]\nmodel = 'closed'\nclients = 3\n[session]\n\
                        script = 'SCRIPT'\n[[request]]\nname = 'x'\ngrpc = 'a.S/Good'\n\
                        descriptors = 'a.pb'\n";

struct Descriptors;

impl Files for Descriptors {
    fn read(&self, name: &str) -> Result<String, Invalid> {
        Err(Invalid::new(format!("no text in {name}")))
    }

    fn bytes(&self, _name: &str) -> Result<Vec<u8>, Invalid> {
        let method = |name: &str| MethodDescriptorProto {
            name: Some(name.to_owned()),
            client_streaming: Some(["Collect", "Echo"].contains(&name)),
            server_streaming: Some(["Watch", "Endless", "Echo"].contains(&name)),
            input_type: Some(".a.Empty".to_owned()),
            output_type: Some(".a.Empty".to_owned()),
            ..MethodDescriptorProto::default()
        };
        let empty =
            DescriptorProto { name: Some("Empty".to_owned()), ..DescriptorProto::default() };
        let talk = |name: &str| MethodDescriptorProto {
            client_streaming: Some(name == "Both"),
            server_streaming: Some(name == "Both"),
            input_type: Some(".a.Word".to_owned()),
            output_type: Some(".a.Word".to_owned()),
            ..method(name)
        };
        let service = |name: &str, method: Vec<MethodDescriptorProto>| ServiceDescriptorProto {
            name: Some(name.to_owned()),
            method,
            ..ServiceDescriptorProto::default()
        };
        let services = vec![
            service("S", METHODS.map(method).to_vec()),
            service("T", TALKS.map(talk).to_vec()),
        ];
        let text = FieldDescriptorProto {
            name: Some("text".to_owned()),
            number: Some(1),
            label: Some(Label::Optional.into()),
            r#type: Some(Type::String.into()),
            ..FieldDescriptorProto::default()
        };
        let word = DescriptorProto {
            name: Some("Word".to_owned()),
            field: vec![text],
            ..DescriptorProto::default()
        };
        let file = FileDescriptorProto {
            name: Some("a.proto".to_owned()),
            package: Some("a".to_owned()),
            syntax: Some("proto3".to_owned()),
            message_type: vec![empty, word],
            service: services,
            ..FileDescriptorProto::default()
        };
        Ok(FileDescriptorSet { file: vec![file] }.encode_to_vec())
    }
}

impl WorkloadFiles for Descriptors {
    fn program(
        &self,
        name: &str,
        requests: &[RequestKind],
    ) -> Result<Arc<dyn ProgramSource>, Invalid> {
        let own = ["own.luau", "file.luau"].contains(&name);
        let own = own.then(|| requests[0].grpc.clone().unwrap());
        Ok(Arc::new(Callers { gets: name == "get.luau", gives: name == "own.luau", own }))
    }
}

fn calls(method: &str) -> Workload {
    calls_with(method, "")
}

fn calls_with(method: &str, more: &str) -> Workload {
    let text = format!(
        "name = 'w'\n[arrivals]\nmodel = 'closed'\nclients = 3\n[session]\nthink = '0s'\n\
         [[request]]\nname = 'x'\ngrpc = 'a.S/{method}'\ndescriptors = 'a.pb'\n{more}"
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

#[test]
fn streams_are_over_with_their_end() {
    let target = Target::parse(&format!("h2c://{}", grpc_server())).unwrap();
    let three = "message = ['{}', '{}', '{}']";
    for (method, more) in [("Collect", three), ("Echo", three), ("Watch", "")] {
        let (done, rows) = go(&calls_with(method, more), &target, 30);
        assert_eq!(done.summary.errors, 0, "{method}: {:?}", done.summary.errors_by_kind);
        for row in &rows {
            assert!(row.first_byte <= row.done && row.bytes_received > 15, "{method}: {row:?}");
            // The head comes at once, and nobody waits for it.
            let waited = Duration::from_nanos(row.first_byte.since(row.sent).0);
            let late = waited >= FIRST_MESSAGE;
            assert!(late || method != "Watch", "{row:?}");
        }
    }
    let (done, _) = go(&calls_with("Collect", "message = ['{}', '{}']"), &target, 9);
    assert_eq!(done.summary.errors_by_kind["grpc_status"], 9, "two messages are too few there");
}

#[test]
fn a_stream_is_over_with_the_messages_that_are_wanted() {
    let target = Target::parse(&format!("h2c://{}", grpc_server())).unwrap();
    for (method, wanted, failed) in [("Endless", 5, 0), ("Watch", 3, 0), ("Watch", 4, 9)] {
        let workload = calls_with(method, &format!("messages = {wanted}\ntimeout = '60s'"));
        let (done, rows) = go(&workload, &target, 9);
        let counted = &done.summary.errors_by_kind;
        assert_eq!(counted.get("grpc_messages").copied().unwrap_or(0), failed, "{method}");
        assert_eq!(done.summary.errors, failed, "{method} {wanted}: {counted:?}");
        assert!(rows.iter().all(|row| row.first_byte <= row.done), "{method} {wanted}");
    }
    let told = (0..2000).any(|_| {
        thread::sleep(FIRST_MESSAGE);
        ENDED.load(Relaxed)
    });
    assert!(told, "the server never heard that the stream is over");
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
fn a_server_learns_how_long_its_client_waits() {
    let target = Target::parse(&format!("h2c://{}", grpc_server())).unwrap();
    let late = "timeout = '30s'\nretry = { attempts = 2, when = 'late' }";
    let drawn = "timeout = '30s'\nheaders = { x-a = '{uniform(1, 9)}' }";
    let cases = [("Timed", "timeout = '30s'"), ("Timed", drawn), ("Good", ""), ("Good", late)];
    for (method, more) in cases {
        let (done, _) = go(&calls_with(method, more), &target, 9);
        assert_eq!(done.summary.errors, 0, "{more}: {:?}", done.summary.errors_by_kind);
    }
}

/// Sessions that make the workload's call, perhaps with a message of their own, and check the
/// answer; or request a page by its name.
#[derive(Clone, Debug)]
struct Callers {
    gets: bool,
    /// Whether they give a message of their own; else that of the workload is sent.
    gives: bool,
    /// The call with their message and further metadata.
    own: Option<Arc<GrpcCall>>,
}

impl ProgramSource for Callers {
    fn programs(&self, _seed: u64, _data: &Arc<[DataTable]>) -> Box<dyn Programs> {
        Box::new(Calling { of: self.clone(), report: Report::default() })
    }
}

#[derive(Debug)]
struct Calling {
    of: Callers,
    report: Report,
}

impl Programs for Calling {
    fn begin(&mut self, _now: Nanos, _slot: usize, _session: u64, _turn: u32) -> Action {
        Action::Request(0)
    }

    fn resume(&mut self, _now: Nanos, _slot: usize, event: Event<'_>) -> Action {
        if let Event::Answered(reply) = event {
            let right: [&[u8]; 2] = [br#"{"text":"own"}"#, br#"{"text":"drawn 5"}"#];
            self.report.check("mirrored", reply.body == right[usize::from(!self.of.gives)]);
        }
        Action::Request(0)
    }

    fn reads_responses(&self) -> bool {
        self.of.own.is_some()
    }

    fn woken(&mut self) -> Option<usize> {
        None
    }

    fn call(&self, _slot: usize) -> Option<Rc<Call>> {
        if let Some(known) = &self.of.own {
            let metadata = vec![("x-trace-bin".to_owned(), "AAE=".to_owned())];
            let message = self.of.gives.then(|| json!({"text": "own"}));
            return Some(Rc::new(known.with(message, metadata).unwrap()));
        }
        let (headers, body, cuts) = (Vec::new(), Vec::new(), Vec::new());
        let (method, target) = (Method::Get, "/".to_owned());
        let (binary, expect, grpc, sql) = (false, None, None, None);
        let get = Call { method, target, headers, body, cuts, binary, expect, grpc, sql };
        self.of.gets.then(|| Rc::new(get))
    }

    fn report(&self) -> Report {
        self.report.clone()
    }
}

#[test]
fn programs_make_the_calls_of_the_workload() {
    let target = Target::parse(&format!("h2c://{}", grpc_server())).unwrap();
    for (script, failed) in [("call.luau", 0), ("get.luau", 9)] {
        let text = SCRIPTED.replace("SCRIPT", script);
        let workload = Workload::parse(Source { file: "", text: &text }, &Descriptors).unwrap();
        let (done, _) = go(&workload, &target, 9);
        let counted = &done.summary.errors_by_kind;
        assert_eq!(counted.get("unfit_request").copied().unwrap_or(0), failed, "{counted:?}");
        assert_eq!(done.summary.errors, failed, "{counted:?}");
    }
    let text = SCRIPTED.replace("SCRIPT", "call.luau").replace("grpc = 'a.S/Good'", "get = '/'");
    let text = text.replace("descriptors = 'a.pb'", "");
    let workload = Workload::parse(Source { file: "", text: &text }, &Descriptors).unwrap();
    let (done, _) = go(&workload, &target, 9);
    assert_eq!(done.summary.errors_by_kind["unfit_request"], 9, "a name alone is no request");
}

#[test]
fn programs_give_messages_and_read_answers() {
    let target = Target::parse(&format!("h2c://{}", grpc_server())).unwrap();
    let own = SCRIPTED.replace("SCRIPT", "own.luau").replace("S/Good", "T/Mirror");
    // Varying values of the file are still drawn, except in the message, which is the program's.
    let varying = "message = { text = '{const(5)}' }\nheaders = { X-Tenant = '{const(7)}' }\n";
    for more in ["", varying] {
        let text = format!("{own}{more}");
        let workload = Workload::parse(Source { file: "", text: &text }, &Descriptors).unwrap();
        let (done, _) = go(&workload, &target, 30);
        assert_eq!(done.summary.errors, 0, "{more}: {:?}", done.summary.errors_by_kind);
        let checks = &done.summary.checks["mirrored"];
        assert!(checks.failed == 0 && checks.passed >= 27, "{more}: {checks:?}");
    }
    let file = own.replace("own.luau", "file.luau");
    for more in ["message = { text = 'drawn 5' }\n", "message = { text = 'drawn {const(5)}' }\n"] {
        let text = format!("{file}{more}headers = {{ X-Tenant = '7' }}\n");
        let workload = Workload::parse(Source { file: "", text: &text }, &Descriptors).unwrap();
        let (done, _) = go(&workload, &target, 30);
        let checks = &done.summary.checks["mirrored"];
        assert!(checks.failed == 0 && checks.passed >= 27, "{more}: {checks:?}");
    }
    for script in [own, file] {
        let text = format!("{}{varying}", script.replace("T/Mirror", "T/Told"));
        let workload = Workload::parse(Source { file: "", text: &text }, &Descriptors).unwrap();
        let (done, _) = go(&workload, &target, 9);
        let counted = &done.summary.errors_by_kind;
        assert_eq!(done.summary.errors, 0, "metadata is of both: {counted:?}");
    }
}

/// Sessions that take a word of one call into the next one.
fn taking(method: &str, path: &str, checked: &str) -> Workload {
    let text = format!(
        "name = 'w'\n[arrivals]\nmodel = 'closed'\nclients = 1\nstart = 'empty'\n[session]\n\
         think = '0s'\n[[request]]\nname = 'one'\ngrpc = 'a.T/{method}'\ndescriptors = 'a.pb'\n\
         message = {{ text = 'a\"{{const(7)}}' }}\ntake = {{ word = 'json:{path}' }}\n\
         checks = {{ right = {{ of = 'json:{path}', is = '{checked}' }} }}\nnext = {{ two = 1 }}\n\
         [[request]]\nname = 'two'\ngrpc = 'a.T/Both'\ndescriptors = 'a.pb'\nmessage = [\
         {{ text = '{{word}}' }}, {{ text = 'b' }}]\nchecks = {{ taken = {{ of = 'json:$[0].text', \
         is = '{checked}' }}, all = 'json:$[1].text' }}\nnext = {{ one = 1 }}\n"
    );
    Workload::parse(Source { file: "", text: &text }, &Descriptors).unwrap()
}

#[test]
fn answers_are_looked_into_as_json() {
    let target = Target::parse(&format!("h2c://{}", grpc_server())).unwrap();
    let (done, rows) = go(&taking("Mirror", "$.text", "a\"7"), &target, 40);
    assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
    for name in ["right", "taken", "all"] {
        let check = &done.summary.checks[name];
        assert!(check.failed == 0 && check.passed >= 18, "{name}: {check:?}");
    }
    assert!(rows.iter().all(|row| row.status == 200));
    let (done, _) = go(&taking("Odd", "$.text", "a"), &target, 40);
    let counted = &done.summary.errors_by_kind;
    assert_eq!((counted["grpc_answer"], counted["value_missing"]), (20, 20), "{counted:?}");
    assert_eq!(done.summary.checks["right"].passed, 0);
    // Without a reader, nothing is parsed.
    let (done, _) = go(&calls("Good"), &target, 5);
    assert_eq!(done.summary.errors, 0);
    let text = "name = 'w'\n[arrivals]\nmodel = 'closed'\nclients = 1\n[session]\nthink = '0s'\n\
                [[request]]\nname = 'x'\ngrpc = 'a.T/Odd'\ndescriptors = 'a.pb'\n";
    let workload = Workload::parse(Source { file: "", text }, &Descriptors).unwrap();
    assert_eq!(go(&workload, &target, 5).0.summary.errors, 0);
}

#[test]
fn header_fields_go_as_metadata() {
    let target = Target::parse(&format!("h2c://{}", grpc_server())).unwrap();
    let metadata =
        "headers = { X-Tenant = 'north' }\n[clients]\nheaders = { x-trace-bin = 'AAE=' }";
    let (done, _) = go(&calls_with("Told", metadata), &target, 9);
    assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
    let drawn = calls_with("Drawn", "headers = { X-Tenant = '{const(7)}' }");
    let (done, _) = go(&drawn, &target, 9);
    assert_eq!(done.summary.errors, 0, "{:?}", done.summary.errors_by_kind);
    let (done, _) = go(&calls("Told"), &target, 9);
    assert_eq!(done.summary.errors_by_kind.get("grpc_status"), Some(&9));
}

#[test]
fn a_server_of_http1_fails_calls_by_their_status() {
    let certificate = Certificate::new("127.0.0.1", "grpc");
    let configuration = certificate.configuration(ALL_VERSIONS, &["http/1.1"]);
    let address = tls_server(configuration, |mut stream| answer_all(&mut stream, OK));
    for (method, more) in [("Good", ""), ("Watch", ""), ("Endless", "messages = 2\n")] {
        let workload = calls_with(method, &format!("{more}timeout = '20s'"));
        let (done, _) = go(&workload, &https(address, certificate.trusted()), 9);
        assert_eq!(done.summary.errors_by_kind.get("grpc_status"), Some(&9), "{method}");
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
