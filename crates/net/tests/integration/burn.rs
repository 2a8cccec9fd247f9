//! A server that burns: its answers, its counts, and its end.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use thinktime_core::files::NoFiles;
use thinktime_core::schema::Source;
use thinktime_core::system::SystemModel;
use thinktime_core::time::Nanos;
use thinktime_net::server::burn::{BurnPlan, BurnServer, BurnTotals, THREADS_MAX, Threads};

/// A server in a thread, stopped at the end of the test.
struct Running {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<BurnTotals>>,
}

const STATION: &str = "[[station]]\nname = 'a'\ndemand = '1ms'";
/// The most threads of single requests.
const MOST: u32 = 12;
const MS: u64 = 1_000_000;

impl Running {
    fn start(tables: &str, threads: Threads) -> Running {
        Running::start_with(tables, threads, THREADS_MAX)
    }

    fn start_with(tables: &str, threads: Threads, most: u32) -> Running {
        let text = format!("name = 's'\n{tables}");
        let model = SystemModel::parse(Source { file: "", text: &text }, &NoFiles).unwrap();
        let plan = BurnPlan::new(&model, Some(threads), &[], 1).unwrap();
        let plan = plan.with_threads_max(most);
        let server = BurnServer::bind(plan, None, "127.0.0.1:0".parse().unwrap()).unwrap();
        let (address, stop) = (server.address().unwrap(), Arc::new(AtomicBool::new(false)));
        let flag = Arc::clone(&stop);
        let thread = Some(std::thread::spawn(move || server.serve(&flag).unwrap()));
        Running { address, stop, thread }
    }

    fn end(mut self) -> BurnTotals {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap()
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// Sends bytes and returns all received bytes until the server closes.
    fn exchange(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect();
        stream.write_all(bytes).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

/// A request with its own demand, on a connection that stays.
fn ask(demand: &str) -> Vec<u8> {
    format!("GET / HTTP/1.1\r\nHost: x\r\nThinktime-Demand: {demand}\r\n\r\n").into_bytes()
}

/// Reads one response, of which the body is the last 16 bytes.
fn response(stream: &mut TcpStream) -> String {
    let (mut text, mut byte) = (String::new(), [0]);
    while !text.ends_with("\r\n\r\n") {
        stream.read_exact(&mut byte).unwrap();
        text.push(char::from(byte[0]));
    }
    let mut body = [0; 16];
    stream.read_exact(&mut body).unwrap();
    text
}

/// Both kinds of threads.
fn both(test: impl Fn(Threads)) {
    [Threads::PerRequest, Threads::Pool(3)].into_iter().for_each(test);
}

#[test]
fn requests_on_one_connection_are_answered_and_burned() {
    both(|threads| {
        let running = Running::start(STATION, threads);
        let mut stream = running.connect();
        for _ in 0..20 {
            stream.write_all(&ask("2ms")).unwrap();
            assert!(response(&mut stream).starts_with("HTTP/1.1 200"));
        }
        let burned = running.end();
        assert_eq!((burned.requests, burned.refused), (20, 0));
        assert_eq!(burned.demanded, Nanos(20 * 2 * MS));
        assert!(burned.used.0 > burned.demanded.0 / 2);
    });
}

#[test]
fn requests_sent_ahead_are_answered_in_their_order() {
    both(|threads| {
        let running = Running::start(STATION, threads);
        let mut bytes = ask("3ms").repeat(3);
        bytes.extend_from_slice(
            b"HEAD / HTTP/1.1\r\nHost: x\r\nThinktime-Demand: 0s\r\nConnection: close\r\n\r\n",
        );
        let answer = running.exchange(&bytes);
        assert_eq!(answer.matches("HTTP/1.1 200").count(), 4);
        // The last, a HEAD, has no body.
        assert!(answer.ends_with("\r\n\r\n"), "{answer}");
        assert_eq!(running.end().demanded, Nanos(9 * MS));
    });
}

#[test]
fn a_request_in_pieces_is_one_request() {
    both(|threads| {
        let running = Running::start(STATION, threads);
        let mut stream = running.connect();
        for piece in ask("1ms").chunks(7) {
            stream.write_all(piece).unwrap();
            std::thread::yield_now();
        }
        assert!(response(&mut stream).starts_with("HTTP/1.1 200"));
        let body = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\
                    Connection: close\r\n\r\n";
        stream.write_all(body.as_bytes()).unwrap();
        let mut interim = [0; 25];
        stream.read_exact(&mut interim).unwrap();
        assert!(interim.starts_with(b"HTTP/1.1 100"));
        stream.write_all(b"12345").unwrap();
        let mut rest = String::new();
        stream.read_to_string(&mut rest).unwrap();
        assert!(rest.starts_with("HTTP/1.1 200"));
        assert_eq!(running.end().requests, 2);
    });
}

#[test]
fn wrong_requests_are_refused_and_others_served_on() {
    both(|threads| {
        let running = Running::start(STATION, threads);
        for bad in [
            b"nonsense\r\n\r\n".to_vec(),
            ask("soon"),
            ask("1ms,1ms"),
            b"GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n".to_vec(),
        ] {
            assert!(running.exchange(&bad).starts_with("HTTP/1.1 400"));
        }
        for _ in 0..20 {
            // The client leaves before the answer, and in the middle of a request.
            running.connect().write_all(&ask("1ms")).unwrap();
            running.connect().write_all(&ask("1ms")[..20]).unwrap();
        }
        let good = running.exchange(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        assert!(good.starts_with("HTTP/1.1 200"));
        assert_eq!(running.end().refused, 4);
    });
}

#[test]
fn demands_go_by_name_and_delays_burn_nothing() {
    let tables = "[[station]]\nname = 'a'\ndemand.item = '1ms'\ndemand.order = '2ms'\n\
                  [[behaviour]]\nrequest = 'slow'\n\
                  steps = [{ delay = '20ms' }, { use = 'a', demand = '4ms' }]";
    both(|threads| {
        let running = Running::start(tables, threads);
        let status = |line: &str| {
            let text = format!("{line}Host: x\r\nConnection: close\r\n\r\n");
            running.exchange(text.as_bytes())[9..12].to_owned()
        };
        assert_eq!(status("GET /item/17?q=1 HTTP/1.1\r\n"), "200");
        assert_eq!(status("GET /x HTTP/1.1\r\nThinktime-Request: order\r\n"), "200");
        assert_eq!(status("GET /slow HTTP/1.1\r\n"), "200");
        assert_eq!(status("GET /x HTTP/1.1\r\n"), "400");
        assert_eq!(running.end().demanded, Nanos(7 * MS));
    });
}

/// The number of threads of this process that run here. Other tests run beside it, so it counts
/// names that only the server has.
fn threads_named(name: &str) -> usize {
    let tasks = fs::read_dir("/proc/self/task").unwrap().flatten();
    let names = tasks.filter_map(|task| fs::read_to_string(task.path().join("comm")).ok());
    names.filter(|other| other.trim_end() == name).count()
}

/// Starts a server whose threads, which inherit it, have this name.
fn named(name: &'static str, threads: Threads, most: u32) -> (Running, impl Fn() -> usize) {
    let start = move || {
        fs::write("/proc/thread-self/comm", name).unwrap();
        Running::start_with(STATION, threads, most)
    };
    let running = std::thread::spawn(start).join().unwrap();
    (running, move || threads_named(name))
}

fn wait_until(what: impl Fn() -> bool) {
    while !what() {
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_pool_has_its_threads_and_no_more() {
    let (running, count) = named("burn-pool", Threads::Pool(4), THREADS_MAX);
    // The pool's threads and the accepting one.
    wait_until(|| count() == 5);
    let clients: Vec<TcpStream> = (0..20).map(|_| running.connect()).collect();
    for mut client in &clients {
        client.write_all(&ask("1h")).unwrap();
    }
    assert_eq!(count(), 5);
    // A burning request is cut off, and counted as neither answered nor burned.
    let burned = running.end();
    assert_eq!((burned.requests, burned.demanded), (0, Nanos::ZERO));
    wait_until(|| count() == 0);
}

#[test]
fn each_request_has_a_thread_of_its_own_while_there_are_any() {
    let (running, count) = named("burn-requests", Threads::PerRequest, MOST);
    wait_until(|| count() == 1);
    let mut clients: Vec<TcpStream> = (0..MOST).map(|_| running.connect()).collect();
    for client in &mut clients {
        client.write_all(&ask("1h")).unwrap();
    }
    wait_until(|| count() == 13);
    // There is no thread for one more; its connection stays, and it may ask again.
    let mut other = running.connect();
    for _ in 0..2 {
        other.write_all(&ask("1ms")).unwrap();
        assert!(response(&mut other).starts_with("HTTP/1.1 503"));
    }
    assert_eq!(count(), 13);
    let burned = running.end();
    assert_eq!((burned.requests, burned.refused), (0, 2));
    wait_until(|| count() == 0);
}

#[test]
fn a_thread_ends_with_its_request() {
    let (running, count) = named("burn-ends", Threads::PerRequest, THREADS_MAX);
    for _ in 0..3 {
        // Clients of the previous turn have gone, of which threads are notified too.
        let mut clients: Vec<TcpStream> = (0..MOST).map(|_| running.connect()).collect();
        for client in &mut clients {
            client.write_all(&ask("1ms")).unwrap();
        }
        for client in &mut clients {
            assert!(response(client).starts_with("HTTP/1.1 200"));
        }
        wait_until(|| count() == 1);
    }
    assert_eq!(running.end().requests, u64::from(3 * MOST));
}

#[test]
fn a_body_without_end_keeps_no_server_from_ending() {
    both(|threads| {
        let running = Running::start(STATION, threads);
        let mut stream = running.connect();
        let sender = std::thread::spawn(move || {
            let head = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999\r\n\r\n";
            stream.write_all(head).unwrap();
            while stream.write_all(&[0; 1 << 16]).is_ok() {}
        });
        let good = running.exchange(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        assert!(good.starts_with("HTTP/1.1 200"));
        assert_eq!(running.end().requests, 1);
        sender.join().unwrap();
    });
}

#[test]
fn a_client_that_reads_no_answers_is_cut_off() {
    both(|threads| {
        let running = Running::start(STATION, threads);
        let mut stream = running.connect();
        while stream.write_all(&ask("0s").repeat(100)).is_ok() {}
        let burned = running.end();
        assert!(burned.requests > 100);
    });
}

#[test]
fn a_pool_of_one_serves_one_after_another() {
    let running = Running::start(STATION, Threads::Pool(1));
    let mut clients: Vec<TcpStream> = (0..6).map(|_| running.connect()).collect();
    // If they were served side by side, the last would be answered long before the first.
    for (number, client) in clients.iter_mut().enumerate() {
        client.write_all(&ask(if number == 0 { "60ms" } else { "1ms" })).unwrap();
    }
    let (last, others) = clients.split_last_mut().unwrap();
    assert!(response(last).starts_with("HTTP/1.1 200"));
    for other in others {
        other.set_nonblocking(true).unwrap();
        assert!(other.peek(&mut [0]).unwrap() > 0);
    }
    assert_eq!(running.end().demanded, Nanos(65 * MS));
}

#[test]
fn idle_connections_do_not_keep_a_server_from_ending() {
    both(|threads| {
        let running = Running::start(STATION, threads);
        let clients: Vec<TcpStream> = (0..50).map(|_| running.connect()).collect();
        assert_eq!(running.end().requests, 0);
        drop(clients);
    });
}

#[test]
fn cores_that_do_not_exist_are_refused() {
    let text = format!("name = 's'\n{STATION}");
    let model = SystemModel::parse(Source { file: "", text: &text }, &NoFiles).unwrap();
    let message = BurnPlan::new(&model, None, &[1 << 40], 1).unwrap_err().to_string();
    assert!(message.contains("there are 0"), "{message}");
}
