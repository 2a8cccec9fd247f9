//! Tokens of OAuth 2.0: requested before the run, renewed beside it, and never shown.

use std::io::{Read, Write};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use thinktime_core::workload::WorkloadFiles;

use crate::support::{
    Certificate, OK, answer_all, free_port, https, plan, read_head, server, tls_server,
};
use thinktime_core::error::Invalid;
use thinktime_core::files::{Files, NoFiles};
use thinktime_core::limit::Limit;
use thinktime_core::schema::{SchemaError, Source};
use thinktime_core::time::Nanos;
use thinktime_core::workload::Workload;
use thinktime_net::generator::{Plan, RunError, RunOutcome, Target, run};

const SECRET: &str = "horse: battery&";

/// A workload whose clients get their tokens at a URL, with secrets from files of this test.
fn workload(url: &str, test: &str, more: &str) -> Workload {
    workload_with(url, test, more, &NoFiles).unwrap()
}

fn workload_with(
    url: &str,
    test: &str,
    more: &str,
    files: &dyn WorkloadFiles,
) -> Result<Workload, SchemaError> {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("id"), "ann@shop\n").unwrap();
    std::fs::write(folder.join("secret"), SECRET).unwrap();
    let (id, secret) = (folder.join("id"), folder.join("secret"));
    let text = format!(
        "name = 'w'\n[arrivals]\nmodel = 'open'\nrate = '100/s'\n[clients]\noauth2 = {{ url = \
         '{url}', client = 'file:{}', secret = 'file:{}'{more} }}\n[[request]]\nname = 'x'\n",
        id.display(),
        secret.display()
    );
    Workload::parse(Source { file: "w.toml", text: &text }, files)
}

/// Reads a whole request: head and body.
fn request(stream: &mut impl Read) -> Option<(String, String)> {
    let head = String::from_utf8(read_head(stream)?).unwrap();
    let length = head.to_ascii_lowercase();
    let length = length.split("content-length: ").nth(1).and_then(|it| it.lines().next());
    let mut body = vec![0; length.map_or(0, |it| it.parse().unwrap())];
    stream.read_exact(&mut body).unwrap();
    Some((head, String::from_utf8(body).unwrap()))
}

/// An answer in chunks, as some servers send it.
fn json(status: &str, body: &str) -> String {
    let head = "Content-Type: application/json\r\nTransfer-Encoding: chunked";
    format!("HTTP/1.1 {status}\r\n{head}\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n", body.len())
}

/// Heads and bodies of requests.
type Asked = Arc<Mutex<Vec<(String, String)>>>;

/// A server that gives the n-th token by a function, and its received requests.
fn giver(answer: impl Fn(u64) -> String + Send + Sync + 'static) -> (SocketAddr, Asked) {
    let (asked, count) = (Arc::new(Mutex::new(Vec::new())), AtomicU64::new(0));
    let own = Arc::clone(&asked);
    let address = server(move |mut stream| {
        if let Some(request) = request(&mut stream) {
            own.lock().unwrap().push(request);
            let number = count.fetch_add(1, Ordering::SeqCst);
            stream.write_all(answer(number).as_bytes()).ok();
        }
    });
    (address, asked)
}

/// A server that answers everything, and the identifying fields that it received, each once.
fn shop() -> (Target, Arc<Mutex<Vec<String>>>) {
    let seen = Arc::new(Mutex::new(Vec::<String>::new()));
    let own = Arc::clone(&seen);
    let address = server(move |mut stream| {
        while let Some((head, _)) = request(&mut stream) {
            let fields: Vec<&str> =
                head.lines().filter(|line| line.starts_with("Authorization: ")).collect();
            let mut all = own.lock().unwrap();
            if all.last().is_none_or(|last| *last != fields.concat()) {
                all.push(fields.concat());
            }
            stream.write_all(OK).unwrap();
        }
    });
    (Target::parse(&format!("http://{address}")).unwrap(), seen)
}

fn go(workload: &Workload, target: &Target, plan: &Plan) -> Result<RunOutcome, RunError> {
    run(workload, target, plan, &mut Vec::new(), &mut |_| true)
}

fn seconds(seconds: f64) -> Plan {
    let limit =
        Limit { requests: u64::MAX, until: Nanos::from_secs_f64(seconds), warmup: Nanos::ZERO };
    Plan { drain: Nanos(1_000_000_000), ..Plan::new(limit) }
}

#[test]
fn a_token_is_asked_for_and_goes_with_every_request() {
    let (id, asked) = giver(|_| json("200 OK", r#"{"access_token":"t1","token_type":"Bearer"}"#));
    let more = ", scope = 'read write', fields = { audience = 'a&b' }";
    let (target, seen) = shop();
    let done = go(&workload(&format!("http://{id}/token?v=2"), "given", more), &target, &plan(20));
    let summary = done.unwrap().summary;
    assert_eq!((summary.requests, summary.errors), (20, 0));
    assert_eq!(*seen.lock().unwrap(), ["Authorization: Bearer t1"]);
    let asked = asked.lock().unwrap();
    let [(head, body)] = asked.as_slice() else { panic!("{asked:?}") };
    assert!(head.starts_with("POST /token?v=2 HTTP/1.1\r\n"), "{head}");
    assert_eq!(body, "grant_type=client_credentials&scope=read+write&audience=a%26b");
    // `ann%40shop:horse%3A+battery%26`, by `base64` of coreutils.
    let field = "\r\nAuthorization: Basic YW5uJTQwc2hvcDpob3JzZSUzQStiYXR0ZXJ5JTI2\r\n";
    assert!(head.contains(field), "{head}");
}

#[test]
fn several_loops_share_a_token_and_it_may_be_asked_for_by_fields() {
    let (id, asked) = giver(|_| json("200 OK", r#"{"access_token": "t1", "expires_in": 60}"#));
    let (target, seen) = shop();
    let workload = workload(&format!("http://{id}"), "fields", ", in_body = true");
    let done = go(&workload, &target, &Plan { loops: 2, ..plan(20) }).unwrap();
    assert_eq!((done.summary.requests, done.summary.errors), (20, 0));
    assert_eq!(*seen.lock().unwrap(), ["Authorization: Bearer t1"]);
    let asked = asked.lock().unwrap();
    let [(head, body)] = asked.as_slice() else { panic!("{asked:?}") };
    assert!(head.starts_with("POST / HTTP/1.1") && !head.contains("Authorization"), "{head}");
    let both = "client_id=ann%40shop&client_secret=horse%3A+battery%26";
    assert_eq!(*body, format!("grant_type=client_credentials&{both}"));
}

#[test]
fn a_token_is_renewed_beside_the_run() {
    let (id, asked) = giver(|number| {
        json("200 OK", &format!("{{\"access_token\": \"t{number}\", \"expires_in\": 1}}"))
    });
    let (target, seen) = shop();
    let done = go(&workload(&format!("http://{id}"), "renewed", ""), &target, &seconds(2.5));
    let summary = done.unwrap().summary;
    assert_eq!(summary.errors, 0);
    // Requests that overlap may arrive in another order, and a machine that stops sees fewer
    // tokens.
    let seen = seen.lock().unwrap();
    let given = (0..u64::MAX).map(|number| format!("Authorization: Bearer t{number}"));
    let given: Vec<String> = given.take(asked.lock().unwrap().len()).collect();
    assert!(seen.len() >= 2 && seen.iter().all(|field| given.contains(field)), "{seen:?}");
    assert!(seen.contains(&given[0]) && seen.contains(&given[1]), "{seen:?}");
    // Requests for tokens do not count in the run.
    assert!((200..300).contains(&summary.requests), "{}", summary.requests);
    assert!(!summary.warnings.iter().any(|text| text.contains("renewed")));
}

#[test]
fn a_renewal_that_fails_is_a_warning_and_the_old_token_stays() {
    let (id, _) = giver(|number| match number {
        0 => json("200 OK", r#"{"access_token": "t0", "expires_in": 1}"#),
        _ => json("400 Bad Request", r#"{"error": "invalid_scope", "x": "t0"}"#),
    });
    let (target, seen) = shop();
    let done = go(&workload(&format!("http://{id}"), "failing", ""), &target, &seconds(1.5));
    let summary = done.unwrap().summary;
    assert_eq!(summary.errors, 0);
    assert_eq!(*seen.lock().unwrap(), ["Authorization: Bearer t0"]);
    let told: Vec<_> = summary.warnings.iter().filter(|text| text.contains("renewed")).collect();
    let [told] = told.as_slice() else { panic!("{:?}", summary.warnings) };
    assert!(told.contains(" times, at last because: status 400, `invalid_scope`"), "{told}");
}

/// The error of a run that does not begin, and the number of requests at the target.
fn refused(url: &str, test: &str) -> String {
    let (target, seen) = shop();
    let Err(RunError::Invalid(error)) = go(&workload(url, test, ""), &target, &plan(5)) else {
        panic!("{url} gave a token")
    };
    assert!(seen.lock().unwrap().is_empty());
    let message = error.to_string();
    assert!(!message.contains("horse") && !message.contains("ann"), "{message}");
    message
}

#[test]
fn without_a_token_there_is_no_run() {
    let (id, _) = giver(|_| json("401 Unauthorized", r#"{"error": "invalid_client"}"#));
    let said = refused(&format!("http://{id}/t"), "refused");
    let expected = format!("`oauth2`: http://{id}/t gave no token: status 401, `invalid_client`");
    assert_eq!(said, expected);
    let (id, _) = giver(|_| "SSH-2.0-x\r\n".to_owned());
    assert!(refused(&format!("http://{id}"), "ssh").contains("the answer is not HTTP"));
    let (id, _) = giver(|_| String::new());
    assert!(refused(&format!("http://{id}"), "closes").contains("it closed the connection"));
    let free = free_port();
    assert!(refused(&format!("http://{free}"), "nobody").contains("Connection refused"));
}

#[test]
fn no_secret_goes_where_a_redirect_leads() {
    let (other, asked) = giver(|_| json("200 OK", r#"{"access_token": "stolen"}"#));
    let (id, _) = giver(move |_| {
        format!("HTTP/1.1 307 X\r\nLocation: http://{other}/\r\nContent-Length: 0\r\n\r\n")
    });
    assert!(refused(&format!("http://{id}"), "redirect").contains("a redirect, to which no"));
    std::thread::sleep(Duration::from_millis(50));
    assert!(asked.lock().unwrap().is_empty());
}

#[test]
fn a_server_of_tokens_is_known_by_its_certificate() {
    let certificate = Certificate::new("localhost", "oauth2");
    let configuration = certificate.configuration(rustls::ALL_VERSIONS, &["http/1.1"]);
    let body = r#"{"access_token": "t9", "token_type": "bearer"}"#;
    let id = tls_server(configuration.clone(), move |mut stream| {
        answer_all(&mut stream, json("200 OK", body).as_bytes());
    });
    let shop = tls_server(configuration, |mut stream| answer_all(&mut stream, OK));
    let workload = workload(&format!("https://localhost:{}", id.port()), "tls", "");
    let unverified = thinktime_net::generator::TlsOptions { verify: false, ..Default::default() };
    // An unchecked target does not make the token server unchecked.
    let Err(error) = go(&workload, &https(shop, unverified), &plan(5)) else { panic!() };
    assert!(error.to_string().contains("gave no token: invalid peer certificate"), "{error}");
    let target = Target::parse(&format!("https://localhost:{}", shop.port())).unwrap();
    let done = go(&workload, &target.with_tls(certificate.trusted()), &plan(5)).unwrap();
    assert_eq!(done.summary.errors, 0);
}

/// The one file that a workload names.
struct Given(Vec<u8>);

impl Files for Given {
    fn read(&self, _name: &str) -> Result<String, Invalid> {
        Err(Invalid::new("no text"))
    }

    fn bytes(&self, name: &str) -> Result<Vec<u8>, Invalid> {
        match name {
            "id.pem" => Ok(self.0.clone()),
            _ => Err(Invalid::new(format!("{name}: not there"))),
        }
    }
}

impl WorkloadFiles for Given {}

#[test]
fn a_server_of_tokens_may_have_an_authority_of_its_own() {
    let of_tokens = Certificate::new("localhost", "oauth2-own");
    let configuration = of_tokens.configuration(rustls::ALL_VERSIONS, &["http/1.1"]);
    let body = r#"{"access_token": "t9", "token_type": "bearer"}"#;
    let id = tls_server(configuration, move |mut stream| {
        answer_all(&mut stream, json("200 OK", body).as_bytes());
    });
    let url = format!("https://localhost:{}", id.port());
    let run_with = |files: &Given, target: &Target| {
        let workload = workload_with(&url, "own-ca", ", ca = 'id.pem'", files).unwrap();
        go(&workload, target, &plan(5))
    };
    let own = Given(of_tokens.pem().0.into_bytes());
    // The target may use no TLS, or an authority of its own.
    let (plain, seen) = shop();
    assert_eq!(run_with(&own, &plain).unwrap().summary.errors, 0);
    assert_eq!(*seen.lock().unwrap(), ["Authorization: Bearer t9"]);
    let of_shop = Certificate::new("127.0.0.1", "oauth2-shop");
    let configuration = of_shop.configuration(rustls::ALL_VERSIONS, &["http/1.1"]);
    let address = tls_server(configuration, |mut stream| answer_all(&mut stream, OK));
    let secure = https(address, of_shop.trusted());
    assert_eq!(run_with(&own, &secure).unwrap().summary.errors, 0);
    // It replaces all others, those of the target's options included.
    let other = Given(of_shop.pem().0.into_bytes());
    let trusted = plain.with_tls(of_tokens.trusted());
    for (files, target, expected) in [
        (&other, &trusted, "gave no token: invalid peer certificate"),
        (&Given(b"hello".to_vec()), &secure, "`ca`: the CA file id.pem: it holds no certificate"),
    ] {
        let Err(error) = run_with(files, target) else { panic!("{expected}") };
        assert!(error.to_string().contains(expected), "{error}");
    }
    for (url, more, expected) in [
        ("http://127.0.0.1:9", ", ca = 'id.pem'", "`ca` goes with a `url` of https only"),
        ("https://127.0.0.1:9", ", ca = 'other.pem'", "`ca` other.pem: not there"),
    ] {
        let error = workload_with(url, "own-ca", more, &own).unwrap_err().to_string();
        assert!(error.contains("clients.oauth2: ") && error.contains(expected), "{error}");
    }
}
