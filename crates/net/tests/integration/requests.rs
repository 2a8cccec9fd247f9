//! The content of requests besides their targets, as a server sees it.

use std::io::{Read, Write};
use std::sync::{Arc, Mutex};

use thinktime_core::workload::WorkloadFiles;

use crate::support::{go, read_head, server};
use thinktime_core::error::Invalid;
use thinktime_core::files::Files;
use thinktime_core::schema::Source;
use thinktime_core::workload::Workload;
use thinktime_net::generator::{Plan, RunError, Target, run};

struct Given;

impl Files for Given {
    fn read(&self, name: &str) -> Result<String, Invalid> {
        match name {
            "order.json" => Ok("{\"id\": 7}".to_owned()),
            _ => Err(Invalid::new(format!("{name}: there is no such file"))),
        }
    }
}

impl WorkloadFiles for Given {}

fn workload(clients: &str, request: &str) -> Workload {
    let text = format!(
        "name = 'w'\n[arrivals]\nmodel = 'closed'\nclients = 1\n[session]\nthink = '1ms'\n\
         [clients]\n{clients}\n[[request]]\nname = 'x'\n{request}"
    );
    Workload::parse(Source { file: "w.toml", text: &text }, &Given).unwrap()
}

/// The head and the body of the first request of a workload.
fn sent(workload: &Workload) -> (String, String) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let own = Arc::clone(&seen);
    let address = server(move |mut stream| {
        while let Some(head) = read_head(&mut stream) {
            let head = String::from_utf8(head).unwrap();
            let length = head.to_ascii_lowercase();
            let length = length.split("content-length: ").nth(1);
            let length = length.and_then(|rest| rest.lines().next()?.parse().ok());
            let mut body = vec![0; length.unwrap_or(0)];
            stream.read_exact(&mut body).unwrap();
            own.lock().unwrap().push((head, String::from_utf8(body).unwrap()));
            if stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").is_err() {
                return;
            }
        }
    });
    let target = Target::parse(&format!("http://{address}")).unwrap();
    let (outcome, _) = go(workload, &target, 3);
    assert_eq!(outcome.summary.errors, 0);
    let first = seen.lock().unwrap().first().cloned();
    first.unwrap()
}

#[test]
fn header_fields_of_all_clients_give_way_to_a_requests_own() {
    let clients = "headers = { Accept = '*/*', X-Tenant = 'a' }";
    let (head, _) = sent(&workload(clients, "get = '/'\nheaders = { accept = 'text/html' }"));
    assert!(head.contains("\r\naccept: text/html\r\n"), "{head}");
    assert!(head.contains("\r\nX-Tenant: a\r\n"), "{head}");
    assert!(!head.contains("*/*"), "{head}");
    assert!(head.contains(concat!("\r\nUser-Agent: thinktime/", env!("CARGO_PKG_VERSION"))));
    let (head, _) = sent(&workload("headers = { user-agent = 'me' }", "get = '/'"));
    assert!(head.contains("\r\nuser-agent: me\r\n") && !head.contains("thinktime/"), "{head}");
}

#[test]
fn any_method_and_any_body_go_out_as_they_are() {
    let (head, body) = sent(&workload("", "method = 'PROPFIND'\ntarget = '/dav'\nbody = '<x/>'"));
    assert!(head.starts_with("PROPFIND /dav HTTP/1.1\r\n"), "{head}");
    assert_eq!(body, "<x/>");
    let (head, body) = sent(&workload("", "put = '/o'\njson = { b = [1, 'x'], a = true }"));
    assert!(head.contains("\r\nContent-Type: application/json\r\n"), "{head}");
    assert_eq!(body, r#"{"a":true,"b":[1,"x"]}"#);
    let typed = "post = '/o'\nbody_file = 'order.json'\nheaders = { content-type = 'text/x' }";
    let (head, body) = sent(&workload("", typed));
    assert!(head.contains("\r\ncontent-type: text/x\r\n") && !head.contains("json"), "{head}");
    assert_eq!(body, "{\"id\": 7}");
}

#[test]
fn secrets_are_read_when_a_run_begins_and_stand_in_no_message() {
    let folder = std::env::temp_dir().join(format!("thinktime-secret-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("token");
    std::fs::write(&file, "open sesame\n").unwrap();
    let bearer = format!("bearer = 'file:{}'", file.display());
    let (head, _) = sent(&workload(&bearer, "get = '/'"));
    assert!(head.contains("\r\nAuthorization: Bearer open sesame\r\n"), "{head}");
    std::fs::write(&file, "Aladdin:open sesame").unwrap();
    let basic = format!("basic = 'file:{}'", file.display());
    let (head, _) = sent(&workload(&basic, "get = '/'"));
    // The example of RFC 7617, section 2.
    assert!(head.contains("\r\nAuthorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n"), "{head}");

    std::fs::write(&file, "open\nsesame").unwrap();
    for clients in [bearer.as_str(), "bearer = 'env:THINKTIME_NO_SUCH_TOKEN'"] {
        let target = Target::parse("http://127.0.0.1:9").unwrap();
        let plan: Plan = crate::support::plan(1);
        let told =
            run(&workload(clients, "get = '/'"), &target, &plan, &mut Vec::new(), &mut |_| true);
        let Err(RunError::Invalid(error)) = told else { panic!("{clients}") };
        let message = error.to_string();
        let key =
            message.starts_with("w.toml:") && message.contains(": clients.bearer: the secret");
        assert!(key && !message.contains("sesame"), "{message}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_goes_with_what_is_checked() {
    for (clients, request, expected) in [
        ("", "get = '/'\nbody = 'x'", "w.toml:12: request[1].body: goes with `post`"),
        ("", "method = 'A B'\ntarget = '/'", "request[1].method: `A B` is no method"),
        ("", "method = 'LOCK'", "request[1].method: needs a `target`"),
        ("", "target = '/'", "request[1].target: goes with `method` only"),
        ("", "method = 'LOCK'\ntarget = 'x'", "request[1].target: the target `x` must begin"),
        ("", "get = '/'\nheaders = { X = \"a\\r\\nb\" }", "headers: the header field value"),
        ("", "post = '/'\nbody_file = 'no'", "request[1].body_file: no: there is no such file"),
        ("headers = { Connection = 'x' }", "get = '/'", "clients.headers: `Connection` cannot"),
        ("bearer = 'hunter2'", "get = '/'", "clients.bearer: names the place of the secret"),
        ("bearer = 'env:A'\nbasic = 'env:B'", "get = '/'", "clients.basic: does not go with"),
        ("", "send = 'x'\nheaders = { A = 'b' }", "headers: goes with a method of HTTP only"),
    ] {
        let text = format!(
            "name = 'w'\n[arrivals]\nmodel = 'closed'\nclients = 1\n[session]\nthink = '1ms'\n\
             [clients]\n{clients}\n[[request]]\nname = 'x'\n{request}"
        );
        let source = Source { file: "w.toml", text: &text };
        let message = Workload::parse(source, &Given).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
        assert!(!message.contains("hunter2"), "{message}");
    }
}
