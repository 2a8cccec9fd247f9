//! Shared code of the protocol tests: a short run, and servers in threads.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned, SupportedProtocolVersion};
use socket2::{Domain, Socket, Type};
use thinktime_core::files::NoFiles;
use thinktime_core::limit::Limit;
use thinktime_core::record::Row;
use thinktime_core::schema::Source;
use thinktime_core::time::Nanos;
use thinktime_core::workload::Workload;
use thinktime_net::generator::{Plan, RunOutcome, Target, TlsOptions, run};

pub const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// A workload of 200 requests a second.
pub fn even(request: &str) -> Workload {
    let text = format!(
        "name = 'w'\n[arrivals]\nmodel = 'open'\nrate = '200/s'\nprocess = 'even'\n\
         [[request]]\nname = 'x'\n{request}"
    );
    Workload::parse(Source { file: "", text: &text }, &NoFiles).unwrap()
}

/// A workload of this many clients that do not think.
pub fn closed(clients: u32, request: &str) -> Workload {
    let text = format!(
        "name = 'w'\n[arrivals]\nmodel = 'closed'\nclients = {clients}\n\
         [session]\nthink = '0s'\n[[request]]\nname = 'x'\n{request}"
    );
    Workload::parse(Source { file: "", text: &text }, &NoFiles).unwrap()
}

pub fn plan(requests: u64) -> Plan {
    let limit = Limit { requests, until: Nanos(30_000_000_000), warmup: Nanos::ZERO };
    // As long as a busy machine may need: a run ends with its last response.
    Plan { drain: Nanos(30_000_000_000), ..Plan::new(limit) }
}

/// Runs this many requests of the workload against the target.
pub fn go(workload: &Workload, target: &Target, requests: u64) -> (RunOutcome, Vec<Row>) {
    let mut rows = Vec::new();
    let done = run(workload, target, &plan(requests), &mut rows, &mut |_| true);
    (done.unwrap(), rows)
}

/// An address where nobody listens, held until the test process ends: otherwise the kernel may give
/// the port to any other socket meanwhile. A server that names it may listen there.
pub fn free_port() -> SocketAddr {
    let holder = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    holder.set_reuse_address(true).unwrap();
    holder.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
    let address = holder.local_addr().unwrap().as_socket().unwrap();
    std::mem::forget(holder);
    address
}

/// A server that handles each connection by a function, in threads that end with the test process.
pub fn server(answer: impl Fn(TcpStream) + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let answer = Arc::new(answer);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = Arc::clone(&answer);
            thread::spawn(move || answer(stream));
        }
    });
    address
}

/// Reads one request's head; nothing at the end of the stream.
pub fn read_head(stream: &mut impl Read) -> Option<Vec<u8>> {
    let (mut seen, mut byte) = (Vec::new(), [0]);
    while !seen.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte) {
            Ok(1) => seen.push(byte[0]),
            _ => return None,
        }
    }
    Some(seen)
}

/// Answers every request the same way, until the client leaves.
pub fn answer_all(stream: &mut (impl Read + Write), bytes: &[u8]) {
    while read_head(stream).is_some() {
        if stream.write_all(bytes).is_err() {
            return;
        }
    }
}

/// A certificate of its own authority, in a file of its own.
pub struct Certificate {
    key: CertifiedKey<KeyPair>,
    pub file: PathBuf,
}

impl Certificate {
    pub fn new(name: &str, test: &str) -> Certificate {
        let key = generate_simple_self_signed([name.to_owned()]).unwrap();
        let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}.pem"));
        std::fs::write(&file, key.cert.pem()).unwrap();
        Certificate { key, file }
    }

    pub fn pem(&self) -> (String, String) {
        (self.key.cert.pem(), self.key.signing_key.serialize_pem())
    }

    /// The configuration of a server with these versions of TLS and these protocols.
    pub fn configuration(
        &self,
        versions: &[&'static SupportedProtocolVersion],
        protocols: &[&str],
    ) -> Arc<ServerConfig> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let key = PrivatePkcs8KeyDer::from(self.key.signing_key.serialize_der());
        let mut configuration = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(versions)
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![self.key.cert.der().clone()], key.into())
            .unwrap();
        configuration.alpn_protocols =
            protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        Arc::new(configuration)
    }

    /// TLS options that trust this certificate.
    pub fn trusted(&self) -> TlsOptions {
        TlsOptions { ca_file: Some(self.file.clone()), ..TlsOptions::default() }
    }
}

/// The server's end of a TLS connection.
pub type Secured = StreamOwned<ServerConnection, TcpStream>;

/// A TLS server that handles each connection by a function.
pub fn tls_server(
    configuration: Arc<ServerConfig>,
    answer: impl Fn(Secured) + Send + Sync + 'static,
) -> SocketAddr {
    server(move |stream| {
        let session = ServerConnection::new(Arc::clone(&configuration)).unwrap();
        answer(StreamOwned::new(session, stream));
    })
}

pub fn https(address: SocketAddr, options: TlsOptions) -> Target {
    Target::parse(&format!("https://{address}")).unwrap().with_tls(options)
}
