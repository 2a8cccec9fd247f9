//! Sessions like people's browsing, against small servers: cookies, redirects, pages whose objects
//! come over several connections.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::rc::Rc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Barrier, Mutex};

use thinktime_core::workload::WorkloadFiles;

use crate::support::{go, read_head, server};
use thinktime_core::data::DataTable;
use thinktime_core::error::Invalid;
use thinktime_core::files::{Files, NoFiles};
use thinktime_core::program::{Action, Event, ProgramSource, Programs, Report};
use thinktime_core::record::Row;
use thinktime_core::request::{Call, Method, RequestKind};
use thinktime_core::schema::Source;
use thinktime_core::time::Nanos;
use thinktime_core::workload::Workload;
use thinktime_net::generator::{RunOutcome, Target};

/// A request as a server saw it.
#[derive(Clone, Debug)]
struct Seen {
    method: String,
    target: String,
    cookie: String,
    content_type: String,
    body: String,
}

type Log = Arc<Mutex<Vec<Seen>>>;

fn read_request(stream: &mut TcpStream) -> Option<Seen> {
    let head = String::from_utf8(read_head(stream)?).unwrap();
    let field = |name: &str| {
        let mut lines = head.lines().skip(1).filter_map(|line| line.split_once(": "));
        let found = lines.find(|(own, _)| own.eq_ignore_ascii_case(name));
        found.map_or("", |(_, value)| value).to_owned()
    };
    let mut body = vec![0; field("content-length").parse().unwrap_or(0)];
    stream.read_exact(&mut body).ok()?;
    let mut words = head.split(' ');
    Some(Seen {
        method: words.next()?.to_owned(),
        target: words.next()?.to_owned(),
        cookie: field("cookie"),
        content_type: field("content-type"),
        body: String::from_utf8(body).unwrap(),
    })
}

/// A server that answers each request by a function, with a status and fields, and the requests
/// that it saw.
fn site(answer: impl Fn(&Seen) -> (u16, String) + Send + Sync + 'static) -> (SocketAddr, Log) {
    let log: Log = Arc::default();
    let own = Arc::clone(&log);
    let address = server(move |mut stream| {
        while let Some(seen) = read_request(&mut stream) {
            let (status, fields) = answer(&seen);
            own.lock().unwrap().push(seen);
            let head = format!("HTTP/1.1 {status} X\r\nContent-Length: 2\r\n{fields}\r\nok");
            if stream.write_all(head.as_bytes()).is_err() {
                return;
            }
        }
    });
    (address, log)
}

fn workload(session: &str, request: &str) -> Workload {
    let text = format!(
        "name = 'w'\n[arrivals]\nmodel = 'closed'\nclients = 1\n\
         [session]\nthink = '1ms'\n{session}\n[[request]]\nname = 'x'\n{request}"
    );
    Workload::parse(Source { file: "", text: &text }, &NoFiles).unwrap()
}

fn target(address: SocketAddr) -> Target {
    Target::parse(&format!("http://{address}")).unwrap()
}

/// One client's requests, as the server saw them.
fn browse(
    session: &str,
    request: &str,
    requests: u64,
    answer: impl Fn(&Seen) -> (u16, String) + Send + Sync + 'static,
) -> (RunOutcome, Vec<Row>, Vec<Seen>) {
    let (address, log) = site(answer);
    let (outcome, rows) = go(&workload(session, request), &target(address), requests);
    let seen = log.lock().unwrap().clone();
    (outcome, rows, seen)
}

fn cookies(seen: &[Seen]) -> Vec<&str> {
    seen.iter().map(|one| one.cookie.as_str()).collect()
}

fn redirect(status: u16, location: &str) -> (u16, String) {
    (status, format!("Location: {location}\r\n"))
}

#[test]
fn cookies_are_sent_back_and_run_out() {
    let answer = |seen: &Seen| {
        let fields = match seen.cookie.as_str() {
            "" => {
                "Set-Cookie: a=1\r\nset-cookie: other=1; Path=/elsewhere\r\n\
                   Set-Cookie: c=1; Domain=example.org\r\n"
            }
            "a=1" => "Set-Cookie: b=2; Path=/shop; Max-Age=60\r\n",
            "b=2; a=1" => "Set-Cookie: a=; Max-Age=0\r\n",
            _ => "",
        };
        (200, fields.to_owned())
    };
    let (outcome, _, seen) = browse("cookies = true", "get = '/shop'", 5, answer);
    assert_eq!(outcome.summary.errors, 0);
    assert_eq!(cookies(&seen), ["", "a=1", "b=2; a=1", "b=2", "b=2"]);
}

#[test]
fn without_the_key_there_are_no_cookies() {
    let (_, _, seen) = browse("", "", 3, |_| (200, "Set-Cookie: a=1\r\n".to_owned()));
    assert_eq!(cookies(&seen), ["", "", ""]);
}

#[test]
fn sessions_have_jars_of_their_own() {
    let next = Mutex::new(0);
    let (address, log) = site(move |seen| {
        if !seen.cookie.is_empty() {
            return (200, String::new());
        }
        let mut next = next.lock().unwrap();
        *next += 1;
        (200, format!("Set-Cookie: id={next}\r\n"))
    });
    let text = "name = 'w'\n[arrivals]\nmodel = 'partly-open'\nrate = '500/s'\nstart = 'empty'\n\
                [session]\nrequests = 3\nthink = '2ms'\ncookies = true";
    let partly_open = Workload::parse(Source { file: "", text }, &NoFiles).unwrap();
    let (outcome, _) = go(&partly_open, &target(address), 300);
    let seen = log.lock().unwrap();
    let fresh = seen.iter().filter(|one| one.cookie.is_empty()).count() as u64;
    // Every session begins without cookies, though slots are reused.
    assert_eq!(fresh, outcome.summary.sessions);
    for one in seen.iter().filter(|one| !one.cookie.is_empty()) {
        let same = seen.iter().filter(|other| other.cookie == one.cookie).count();
        assert!(same <= 2, "{one:?}");
    }
}

#[test]
fn a_client_that_begins_again_has_an_empty_jar() {
    let answer = |seen: &Seen| match seen.cookie.as_str() {
        "" => (200, "Set-Cookie: a=1\r\n".to_owned()),
        _ => (500, String::new()),
    };
    let (_, _, seen) = browse("cookies = true\non_error = 'end'", "", 6, answer);
    assert_eq!(cookies(&seen), ["", "a=1", "", "a=1", "", "a=1"]);
    let (_, _, seen) = browse("cookies = true", "", 4, answer);
    assert_eq!(cookies(&seen), ["", "a=1", "a=1", "a=1"]);
}

#[test]
fn redirects_are_followed_within_the_attempt() {
    let answer = |seen: &Seen| match seen.target.as_str() {
        "/" => redirect(302, "/login?from=/"),
        "/login?from=/" => (307, "Location: ../home\r\nSet-Cookie: in=1\r\n".to_owned()),
        _ => (200, String::new()),
    };
    let (outcome, rows, seen) = browse("redirects = 2\ncookies = true", "", 2, answer);
    assert_eq!((outcome.summary.requests, outcome.summary.errors), (2, 0));
    let targets: Vec<_> = seen.iter().map(|one| one.target.as_str()).collect();
    assert_eq!(targets[..3], ["/", "/login?from=/", "/home"]);
    assert_eq!(cookies(&seen), ["", "", "in=1", "in=1", "in=1", "in=1"]);
    assert_eq!(rows[0].status, 200);
    // Three responses and three requests, the last one of each some 40 bytes long.
    assert!(rows[0].bytes_received > 120 && rows[0].bytes_sent > 120, "{:?}", rows[0]);
    assert!(rows[0].sent <= rows[0].first_byte && rows[0].first_byte <= rows[0].done);
}

#[test]
fn methods_and_bodies_change_as_in_browsers() {
    let cases = [
        (301, "post", "GET", false),
        (302, "post", "GET", false),
        (303, "post", "GET", false),
        (303, "put", "GET", false),
        (307, "post", "POST", true),
        (308, "post", "POST", true),
        (302, "put", "PUT", true),
    ];
    for (status, method, expected, with_body) in cases {
        let request = format!("{method} = '/form'\nbody = 'x=1'");
        let (_, _, seen) = browse("redirects = 1", &request, 1, move |seen| {
            if seen.target == "/form" { redirect(status, "/done") } else { (200, String::new()) }
        });
        assert_eq!(seen[1].method, expected, "{status} {method}");
        assert_eq!(seen[1].body == "x=1", with_body, "{status} {method}");
        assert!(seen[1].content_type.is_empty());
    }
}

#[test]
fn redirects_that_lead_too_far_are_failures() {
    for (redirects, location, word, exchanges) in [
        ("redirects = 3", "/again", Some("redirects"), 4),
        ("redirects = 3", "http://127.0.0.1:1/", Some("redirect_elsewhere"), 1),
        ("redirects = 3", "https://example.org/", Some("redirect_elsewhere"), 1),
        ("", "/again", None, 1),
    ] {
        let (_, rows, seen) = browse(redirects, "", 1, |_| redirect(302, location));
        assert_eq!((rows[0].error, rows[0].status), (word, 302), "{location}");
        assert_eq!(seen.len(), exchanges, "{location}");
    }
}

#[test]
fn a_redirect_without_a_way_is_a_response() {
    let (outcome, rows, _) = browse("redirects = 3", "", 1, |_| (302, String::new()));
    assert_eq!((rows[0].status, outcome.summary.errors), (302, 0));
}

#[test]
fn a_timeout_ends_an_attempt_wherever_it_is_led() {
    let (address, _) = site(|seen| match seen.target.as_str() {
        "/" => redirect(302, "/slow"),
        _ => {
            std::thread::sleep(std::time::Duration::from_secs(30));
            (200, String::new())
        }
    });
    let request = "timeout = '1s'\nretry = { attempts = 2 }";
    let (outcome, rows) = go(&workload("redirects = 3", request), &target(address), 1);
    assert_eq!(outcome.summary.errors, 1);
    assert_eq!(rows.iter().map(|row| row.error).collect::<Vec<_>>(), [Some("timeout"); 2]);
    // Each attempt begins anew.
    assert!(rows.iter().all(|row| row.bytes_sent > 0 && row.bytes_received > 0));
}

/// Sessions that send a request, then three each over four children, and then leave.
#[derive(Debug, Default)]
struct Families {
    /// By slot: the parent of a child, its sent requests, its living children.
    members: Vec<(Option<usize>, u32, usize)>,
    spawned: Vec<usize>,
    woken: Vec<usize>,
}

const CHILDREN: usize = 4;

impl Families {
    fn place(&mut self, slot: usize, parent: Option<usize>) -> Action {
        self.members.resize(self.members.len().max(slot + 1), (None, 0, 0));
        self.members[slot] = (parent, 1, 0);
        Action::Request(0)
    }
}

impl Programs for Families {
    fn begin(&mut self, _now: Nanos, slot: usize, _session: u64, _turn: u32) -> Action {
        self.place(slot, None)
    }

    fn begin_child(&mut self, _now: Nanos, slot: usize, parent: usize) -> Action {
        self.place(slot, Some(parent))
    }

    fn resume(&mut self, _now: Nanos, slot: usize, event: Event<'_>) -> Action {
        let (parent, sent, _) = self.members[slot];
        match (parent, event) {
            (None, Event::Answered(_)) => {
                self.members[slot].2 = CHILDREN;
                self.spawned.extend([slot; CHILDREN]);
                Action::Wait
            }
            (Some(_), _) if sent < 3 => {
                self.members[slot].1 += 1;
                Action::Request(0)
            }
            (Some(parent), _) => {
                self.members[parent].2 -= 1;
                if self.members[parent].2 == 0 {
                    self.woken.push(parent);
                }
                Action::End
            }
            (None, Event::Waited) => Action::End,
        }
    }

    fn woken(&mut self) -> Option<usize> {
        self.woken.pop()
    }

    fn spawned(&mut self) -> Option<usize> {
        self.spawned.pop()
    }

    fn call(&self, slot: usize) -> Option<Rc<Call>> {
        let target = if self.members[slot].0.is_some() { "/object" } else { "/" };
        Some(Rc::new(Call {
            method: Method::Get,
            target: target.to_owned(),
            headers: vec![("Cookie".to_owned(), "own=1".to_owned())],
            body: Vec::new(),
            cuts: Vec::new(),
            binary: false,
            expect: None,
            grpc: None,
            sql: None,
        }))
    }

    fn report(&self) -> Report {
        Report::default()
    }
}

#[derive(Debug)]
struct FamilySource;

impl ProgramSource for FamilySource {
    fn programs(&self, _seed: u64, _data: &Arc<[DataTable]>) -> Box<dyn Programs> {
        Box::<Families>::default()
    }
}

struct Given;

impl Files for Given {
    fn read(&self, name: &str) -> Result<String, Invalid> {
        NoFiles.read(name)
    }
}

impl WorkloadFiles for Given {
    fn program(
        &self,
        _name: &str,
        _requests: &[RequestKind],
    ) -> Result<Arc<dyn ProgramSource>, Invalid> {
        Ok(Arc::new(FamilySource))
    }
}

#[test]
fn children_send_at_the_same_time_with_the_cookies_of_their_session() {
    let (now, most) = (AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)));
    let (all, seen_most) = (Barrier::new(CHILDREN), Arc::clone(&most));
    let (address, log) = site(move |seen| {
        if seen.target == "/" {
            return (200, "Set-Cookie: a=1\r\n".to_owned());
        }
        seen_most.fetch_max(now.fetch_add(1, Relaxed) + 1, Relaxed);
        // None is answered before the largest concurrent number has arrived.
        all.wait();
        now.fetch_sub(1, Relaxed);
        (200, String::new())
    });
    let text = "name = 'w'\n[arrivals]\nmodel = 'closed'\nclients = 1\n\
                [session]\nscript = 'x'\ncookies = true\n[[request]]\nname = 'x'";
    let workload = Workload::parse(Source { file: "", text }, &Given).unwrap();
    let (outcome, rows) = go(&workload, &target(address), 26);
    assert_eq!((outcome.summary.requests, outcome.summary.errors), (26, 0));
    assert_eq!((outcome.summary.sessions, most.load(Relaxed)), (1, CHILDREN));
    let mut numbers: Vec<u32> = rows.iter().map(|row| row.attempt.index).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..26).collect::<Vec<_>>());
    for one in log.lock().unwrap().iter() {
        let expected = if one.target == "/" { "own=1" } else { "own=1; a=1" };
        assert_eq!(one.cookie, expected);
    }
}
