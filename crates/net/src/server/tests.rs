use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

mod sizes;

use super::*;
use thinktime_core::files::NoFiles;
use thinktime_core::schema::Source;

/// A server in a thread, stopped at the end of the test.
struct Running {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<(ServeTotals, Option<TokenTotals>)>>,
}

fn model(stations: &str) -> SystemModel {
    let text = format!("name = 's'\n{stations}");
    SystemModel::parse(Source { file: "", text: &text }, &NoFiles).unwrap()
}

impl Running {
    fn start(stations: &str) -> Running {
        Running::of(&model(stations), None)
    }

    fn of(model: &SystemModel, workload: Option<&Workload>) -> Running {
        let server = Server::bind(model, workload, "127.0.0.1:0".parse().unwrap(), 1).unwrap();
        Running::serving(server)
    }

    fn serving(server: Server) -> Running {
        let (address, stop) = (server.address().unwrap(), Arc::new(AtomicBool::new(false)));
        let flag = Arc::clone(&stop);
        let thread = Some(std::thread::spawn(move || server.serve(&flag).unwrap()));
        Running { address, stop, thread }
    }

    fn end(mut self) -> ServeTotals {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap().0
    }

    /// Sends bytes and returns all received bytes until the server closes.
    fn exchange(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(bytes).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

#[test]
fn successes_tell_their_demands_where_that_is_asked_for() {
    let stations =
        "[[station]]\nname = 'a'\ndemand = '1ms'\n[[station]]\nname = 'b'\ndemand = '2ms'";
    let ask = b"GET /x HTTP/1.1\r\nThinktime-Demand: 1.5ms,20us\r\nConnection: close\r\n\r\n";
    for told in [true, false] {
        let address = "127.0.0.1:0".parse().unwrap();
        let server = Server::bind(&model(stations), None, address, 1).unwrap();
        let running = Running::serving(server.with_server_timing(told));
        let answer = running.exchange(ask);
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        let field = "\r\nServer-Timing: demand;dur=1.520000\r\n";
        assert_eq!(answer.contains(field), told, "{answer}");
        let refused = running.exchange(b"GET /x HTTP/1.1\r\nThinktime-Demand: soon\r\n\r\n");
        assert!(!refused.contains("Server-Timing"), "{refused}");
        running.end();
    }
}

const STATION: &str = "[[station]]\nname = 'a'\ndemand = '1ms'";

#[test]
fn answers_come_in_the_order_of_the_requests() {
    // Shortest first would finish the second request before the first: its answer must wait.
    let running = Running::start("[[station]]\nname = 'a'\npolicy = 'ps'\ndemand = '1ms'");
    let answer = running.exchange(
        b"GET / HTTP/1.1\r\nHost: x\r\nThinktime-Demand: 30ms\r\n\r\n\
          HEAD / HTTP/1.1\r\nHost: x\r\nThinktime-Demand: 1ms\r\nConnection: close\r\n\r\n",
    );
    assert_eq!(answer.matches("HTTP/1.1 200").count(), 2);
    // The first has its body, the second, a HEAD, has none and comes last.
    assert!(answer.ends_with("\r\n\r\n"), "{answer}");
    assert_eq!(running.end(), ServeTotals { requests: 2, refused: 0 });
}

#[test]
fn wrong_requests_are_refused_and_others_served_on() {
    let running = Running::start(STATION);
    for bad in [
        &b"nonsense\r\n\r\n"[..],
        b"GET / HTTP/1.1\r\nHost: x\r\nThinktime-Demand: soon\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nThinktime-Demand: 1ms,1ms\r\n\r\n",
    ] {
        assert!(running.exchange(bad).starts_with("HTTP/1.1 400"));
    }
    let good = running.exchange(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert!(good.starts_with("HTTP/1.1 200"));
    assert_eq!(running.end(), ServeTotals { requests: 1, refused: 3 });
}

#[test]
fn requests_are_known_by_header_or_by_the_first_part_of_their_path() {
    let running =
        Running::start("[[station]]\nname = 'a'\ndemand.item = '1ms'\ndemand.order = '2ms'");
    let status = |line: &str| {
        let text = format!("{line}Host: x\r\nConnection: close\r\n\r\n");
        running.exchange(text.as_bytes())[9..12].to_owned()
    };
    assert_eq!(status("GET /item/17?q=1 HTTP/1.1\r\n"), "200");
    assert_eq!(status("GET /x HTTP/1.1\r\nThinktime-Request: order\r\n"), "200");
    assert_eq!(status("GET /x HTTP/1.1\r\nThinktime-Demand: 1ms\r\n"), "200");
    assert_eq!(status("GET /x HTTP/1.1\r\n"), "400");
    running.end();
}

#[test]
fn requests_of_a_learned_system_are_known_by_their_paths() {
    let running = Running::start(
        "[[station]]\nname = 'a'\ndemand.'/' = '1ms'\ndemand.'/item/*' = '1ms'\n\
         demand.'/img/*/*.jpg' = '1ms'\ndemand.'POST /cart' = '1ms'",
    );
    for (line, expected) in [
        ("GET /", "200"),
        ("GET /?q=1", "200"),
        ("GET /item/17", "200"),
        ("POST /item/17", "200"),
        ("GET /img/a/b.jpg", "200"),
        ("GET /img/a/b.png", "400"),
        ("POST /cart?q=1", "200"),
        ("GET /cart", "400"),
        ("GET /other", "400"),
    ] {
        let text = format!("{line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        assert_eq!(&running.exchange(text.as_bytes())[9..12], expected, "{line}");
    }
    running.end();
}

#[test]
fn a_client_that_leaves_harms_nobody() {
    let running = Running::start(STATION);
    for _ in 0..50 {
        let mut stream = TcpStream::connect(running.address).unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\nThinktime-Demand: 5ms\r\n\r\n").unwrap();
    }
    let good = running.exchange(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert!(good.starts_with("HTTP/1.1 200"));
    running.end();
}

#[test]
fn a_body_without_end_stops_nobody() {
    let running = Running::start(STATION);
    let mut stream = TcpStream::connect(running.address).unwrap();
    let sender = std::thread::spawn(move || {
        let head = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999\r\n\r\n";
        stream.write_all(head).unwrap();
        while stream.write_all(&[0; 1 << 16]).is_ok() {}
    });
    for _ in 0..20 {
        let good = running.exchange(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        assert!(good.starts_with("HTTP/1.1 200"));
    }
    assert_eq!(running.end().requests, 20);
    sender.join().unwrap();
}

#[test]
fn a_client_that_reads_no_answers_is_cut_off() {
    // Each request is 57 bytes and its answer more, of which sockets take some megabytes.
    let requests = b"GET / HTTP/1.1\r\nHost: x\r\nThinktime-Demand: 0s\r\n\r\n".repeat(100);
    let running = Running::start(STATION);
    let mut stream = TcpStream::connect(running.address).unwrap();
    let sent = (0..20_000).take_while(|_| stream.write_all(&requests).is_ok()).count();
    assert!(sent < 20_000, "two million requests were taken and their answers kept");
    assert!(running.end().requests > 100);
}

#[test]
fn what_it_has_to_do_is_told_and_is_no_request() {
    let running = Running::start("[[station]]\nname = 'a'\npolicy = 'ps'\ndemand = '100ms'");
    let request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    let probe = |method| format!("{method} {PROBE_PATH} HTTP/1.1\r\nHost: x\r\n");
    let bytes = format!("{request}{request}{}Connection: close\r\n\r\n", probe("GET"));
    let answers = running.exchange(bytes.as_bytes());
    // It is answered in its turn, and reports the state at its arrival.
    assert!(answers.ends_with("\r\n\r\n{\"in_progress\": 2, \"response_s\": 0}"), "{answers}");
    assert!(answers.contains("Content-Type: application/json\r\n"));
    let bytes = format!("{}\r\n{}Connection: close\r\n\r\n", probe("HEAD"), probe("GET"));
    let answers = running.exchange(bytes.as_bytes());
    let (head, rest) = answers.split_once("\r\n\r\n").unwrap();
    assert!(head.contains("Content-Length: "), "{head}");
    assert!(rest.starts_with("HTTP/1.1 200 OK"), "a head alone has no body");
    assert!(rest.contains("{\"in_progress\": 0, \"response_s\": 0."), "{rest}");
    assert_eq!(running.end().requests, 2);
}

/// Nobody learns that a server has failed: its current and later requests get no answer.
#[test]
fn a_server_that_has_failed_answers_nothing() {
    let server = |change: &str| {
        let text = format!(
            "[[cluster]]\nname = 'c'\nservers = 1\ndispatch = 'jsq'\n\
             [[cluster.station]]\nname = 'a'\ndemand = '1ms'\n{change}"
        );
        Running::start(&text)
    };
    let request = |path: &str, demand: &str| {
        format!(
            "GET {path} HTTP/1.1\r\nHost: x\r\nThinktime-Demand: {demand}\r\n\
             Connection: close\r\n\r\n"
        )
    };
    let changed = |does: &str, at: &str| {
        server(&format!("[[cluster.change]]\nat = '{at}'\nserver = 0\ndoes = '{does}'"))
    };
    let failed = changed("fails", "0s");
    assert_eq!(failed.exchange(request("/", "1ms").as_bytes()), "");
    assert_eq!(failed.exchange(request(PROBE_PATH, "1ms").as_bytes()), "");
    assert_eq!(failed.end(), ServeTotals { requests: 0, refused: 1 });
    let fails = changed("fails", "50ms");
    assert_eq!(fails.exchange(request("/", "1h").as_bytes()), "");
    assert_eq!(fails.end(), ServeTotals { requests: 0, refused: 1 });
    let drained = changed("drains", "0s");
    assert!(drained.exchange(request("/", "1ms").as_bytes()).starts_with("HTTP/1.1 503"));
    assert!(drained.exchange(request(PROBE_PATH, "1ms").as_bytes()).starts_with("HTTP/1.1 503"));
    let well = server("");
    assert!(well.exchange(request(PROBE_PATH, "1ms").as_bytes()).starts_with("HTTP/1.1 200"));
}
