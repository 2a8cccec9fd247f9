//! Members against a server of their own: Redis or Valkey if installed.

#![allow(clippy::print_stderr, reason = "tests that are skipped say so")]

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use socket2::{Domain, Socket, Type};
use thinktime_core::program::{
    Shared, SharedAnswer, SharedFailure, SharedOperation, SharedRequest,
};
use thinktime_core::time::Nanos;

use super::*;

const SECOND: Nanos = Nanos(1_000_000_000);

/// A server that ends when this is dropped.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    /// Starts one without storage; `None` if the program is not installed.
    fn start(program: &str) -> Option<Server> {
        // Held meanwhile, so that no other socket gets it; a server that names it may listen there.
        let holder = Socket::new(Domain::IPV4, Type::STREAM, None).ok()?;
        holder.set_reuse_address(true).ok()?;
        holder.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).ok()?;
        let port = holder.local_addr().ok()?.as_socket()?.port();
        let arguments = ["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", ""];
        let child = Command::new(program).args(arguments).stdout(Stdio::null()).spawn().ok()?;
        let server = Server { child, port };
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            std::thread::sleep(Duration::from_millis(5));
        }
        Some(server)
    }
}

/// Runs this with each kind of installed server.
fn on_each(test: impl Fn(&Server)) {
    for program in ["valkey-server", "redis-server"] {
        match Server::start(program) {
            Some(server) => test(&server),
            None => eprintln!("skipped: {program} is not installed"),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// A member with its connection, which can break at any time.
struct Client {
    member: Member,
    port: u16,
    socket: Option<TcpStream>,
    input: Vec<u8>,
    /// The unread answers of each session.
    answered: BTreeMap<usize, SharedAnswer>,
    now: Nanos,
}

impl Client {
    fn new(port: u16, run: &str, name: &str) -> Client {
        let member = Member::new(MemberSettings {
            run: format!("thinktime:{{{run}}}"),
            member: name.to_owned(),
            wait: Nanos(1000 * SECOND.0),
            lease: Nanos(60 * SECOND.0),
            silent: "silent".to_owned(),
            refuses: "refuses".to_owned(),
        });
        let (answered, input) = (BTreeMap::new(), Vec::new());
        let mut client = Client { member, port, socket: None, input, answered, now: SECOND };
        client.connect();
        client
    }

    fn connect(&mut self) {
        let socket = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(300))).unwrap();
        self.socket = Some(socket);
        let channel = format!("{}:{}", self.member.settings.run, self.member.settings.member);
        let mut out = Vec::new();
        resp::write(&mut out, &[b"HELLO", b"3"]);
        resp::write(&mut out, &[b"SCRIPT", b"LOAD", commands::SCRIPT.as_bytes()]);
        resp::write(&mut out, &[b"SUBSCRIBE", channel.as_bytes()]);
        let join = self.member.join();
        resp::write(&mut out, &join.iter().map(Vec::as_slice).collect::<Vec<_>>());
        self.send(&out);
        self.reply();
        let Reply::Bytes(script) = self.reply() else { panic!("no name of a script") };
        let ScriptReply::Joined(forgotten) = commands::script_reply(&self.reply()) else {
            panic!("not joined")
        };
        self.member.accept_join(self.now, script, forgotten);
    }

    fn send(&mut self, out: &[u8]) {
        self.socket.as_mut().unwrap().write_all(out).unwrap();
    }

    /// The next reply that is no push; pushes are taken.
    fn reply(&mut self) -> Reply {
        loop {
            if let Some((reply, length)) = resp::read(&self.input).unwrap() {
                self.input.drain(..length);
                match reply {
                    push @ Reply::Push(_) => self.member.take(push).unwrap(),
                    reply => return reply,
                }
                continue;
            }
            let mut buffer = [0; 4096];
            let count = self.socket.as_mut().unwrap().read(&mut buffer).unwrap();
            assert!(count > 0);
            self.input.extend_from_slice(&buffer[..count]);
        }
    }

    /// Sends all waiting bytes, and takes all answers; or breaks the connection before any is read.
    fn exchange(&mut self, breaks: bool) {
        let mut out = Vec::new();
        self.member.write(self.now, &mut out);
        self.send(&out);
        if breaks {
            self.socket = None;
            self.input.clear();
            self.member.disconnected(self.now);
            self.connect();
            return self.exchange(false);
        }
        // Earlier publications arrive before the answer to this.
        self.send(b"*1\r\n$4\r\nPING\r\n");
        loop {
            match self.reply() {
                Reply::Bytes(pong) if pong == b"PONG" => break,
                reply => self.member.take(reply).unwrap(),
            }
        }
        while let Some((slot, answer)) = self.member.answer() {
            assert_eq!(self.answered.insert(slot, answer), None, "told twice");
        }
    }

    fn ask(&mut self, slot: usize, operation: SharedOperation) {
        self.member.ask(self.now, SharedRequest { slot, operation });
    }

    fn does(&mut self, slot: usize, operation: SharedOperation) -> SharedAnswer {
        self.ask(slot, operation);
        self.exchange(false);
        self.answered.remove(&slot).expect("it was told")
    }
}

fn name(text: &str) -> String {
    text.to_owned()
}

/// The loop of each session: lock, get, put one more, unlock, add one.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Lock,
    Get,
    Put,
    Unlock,
    Add,
}

#[derive(Debug)]
struct Session {
    step: Step,
    token: u64,
    seen: f64,
    rounds: u32,
}

/// Lets sessions of several members count, while connections break as `breaks` says; gives the
/// number of breaks, and the tokens in their order.
fn counted(clients: &mut [Client], breaks: &[(usize, bool)]) -> (u32, Vec<u64>) {
    let fresh = || Session { step: Step::Lock, token: 0, seen: 0.0, rounds: 0 };
    let mut sessions: Vec<Vec<Session>> =
        clients.iter().map(|_| (0..3).map(|_| fresh()).collect()).collect();
    let mut tokens = Vec::new();
    let mut asked = vec![vec![false; 3]; clients.len()];
    for &(turn, broken) in breaks {
        let at = turn % clients.len();
        let client = &mut clients[at];
        for (slot, session) in sessions[at].iter_mut().enumerate() {
            match client.answered.remove(&slot) {
                Some(answer) => go_on(session, answer, &mut tokens),
                None if asked[at][slot] => continue,
                None => {}
            }
            asked[at][slot] = true;
            client.ask(
                slot,
                match session.step {
                    Step::Lock => SharedOperation::Lock(name("a"), 0.0),
                    Step::Get => SharedOperation::Get(name("n")),
                    Step::Put => {
                        SharedOperation::Put(name("n"), Some(Shared::Number(session.seen + 1.0)))
                    }
                    Step::Unlock => SharedOperation::Unlock(name("a")),
                    Step::Add => SharedOperation::Add(name("all"), 1.0),
                },
            );
        }
        client.exchange(broken);
    }
    (sessions.iter().flatten().map(|one| one.rounds).sum(), tokens)
}

fn go_on(session: &mut Session, answer: SharedAnswer, tokens: &mut Vec<u64>) {
    session.step = match (session.step, answer) {
        (Step::Lock, SharedAnswer::Token(token)) => {
            session.token = token;
            tokens.push(token);
            Step::Get
        }
        (Step::Get, SharedAnswer::Value(value)) => {
            session.seen = match value {
                Some(Shared::Number(number)) => number,
                None => 0.0,
                other => panic!("{other:?}"),
            };
            Step::Put
        }
        (Step::Put, SharedAnswer::Done) => {
            session.rounds += 1;
            Step::Unlock
        }
        (Step::Unlock, SharedAnswer::Done) => Step::Add,
        (Step::Add, SharedAnswer::Value(Some(_))) => Step::Lock,
        (step, answer) => panic!("{step:?}: {answer:?}"),
    };
}

#[test]
fn nothing_is_lost_or_done_twice_however_connections_break() {
    on_each(|server| {
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        let steps = prop::collection::vec((0..3_usize, prop::bool::weighted(0.3)), 50..200);
        for number in 0..30 {
            let breaks = steps.new_tree(&mut runner).unwrap().current();
            let run = format!("run{number}");
            let mut clients: Vec<Client> =
                ["m", "n", "m1"].iter().map(|one| Client::new(server.port, &run, one)).collect();
            let (rounds, tokens) = counted(&mut clients, &breaks);
            // Sessions that wrote and have no answer yet have done so once.
            let written = match clients[0].does(9, SharedOperation::Get(name("n"))) {
                SharedAnswer::Value(Some(Shared::Number(number))) => number,
                SharedAnswer::Value(None) => 0.0,
                other => panic!("{other:?}"),
            };
            assert!((0.0..=1.0).contains(&(written - f64::from(rounds))), "{written} {rounds}");
            assert!(written > 0.0);
            assert!(tokens.is_sorted_by(|one, next| one < next), "{tokens:?}");
            assert!(clients.iter().all(|one| one.member.forgotten == 0));
        }
    });
}

#[test]
fn what_a_dead_member_had_goes_on_and_what_it_writes_is_refused() {
    on_each(|server| {
        let mut old = Client::new(server.port, "r", "old");
        old.member.settings.lease = Nanos(100_000_000);
        let SharedAnswer::Token(first) = old.does(0, SharedOperation::Lock(name("a"), 0.0)) else {
            panic!("no token")
        };
        let mut new = Client::new(server.port, "r", "new");
        std::thread::sleep(Duration::from_millis(150));
        let SharedAnswer::Token(second) = new.does(5, SharedOperation::Lock(name("a"), 0.0)) else {
            panic!("no token")
        };
        assert!(second > first);
        let lost = SharedAnswer::Failed(SharedFailure::Lost(name("a")));
        assert_eq!(old.does(0, SharedOperation::Put(name("x"), Some(Shared::Flag(true)))), lost);
        assert_eq!(old.does(0, SharedOperation::Add(name("x"), 1.0)), lost);
        assert_eq!(old.does(0, SharedOperation::Unlock(name("a"))), lost);
        assert_eq!(new.does(5, SharedOperation::Get(name("x"))), SharedAnswer::Value(None));
        assert_eq!(new.does(5, SharedOperation::Unlock(name("a"))), SharedAnswer::Done);
    });
}

#[test]
fn what_is_not_answered_in_time_fails_and_is_forgotten() {
    on_each(|server| {
        let mut holder = Client::new(server.port, "t", "holder");
        holder.does(0, SharedOperation::Lock(name("a"), 0.0));
        let mut client = Client::new(server.port, "t", "client");
        client.member.settings.wait = SECOND;
        client.ask(1, SharedOperation::Lock(name("a"), 0.0));
        client.ask(2, SharedOperation::Get(name("x")));
        client.exchange(false);
        assert!(client.answered.remove(&2).is_some());
        client.member.disconnected(client.now);
        client.ask(3, SharedOperation::Add(name("x"), 1.0));
        for (after, failed) in [(0.9, 0), (1.1, 2)] {
            client.member.pass(client.now + Nanos::from_secs_f64(after));
            let told: Vec<_> = std::iter::from_fn(|| client.member.answer()).collect();
            assert_eq!(told.len(), failed, "{told:?}");
            let silent = SharedAnswer::Failed(SharedFailure::Unavailable(name("silent")));
            assert!(told.iter().all(|(_, answer)| *answer == silent));
        }
        client.now += Nanos(5 * SECOND.0);
        client.connect();
        client.exchange(false);
        // Its place in the queue is given up, and nothing was added.
        assert_eq!(holder.does(0, SharedOperation::Unlock(name("a"))), SharedAnswer::Done);
        assert!(matches!(
            holder.does(0, SharedOperation::Lock(name("a"), 0.0)),
            SharedAnswer::Token(_)
        ));
        assert_eq!(client.does(3, SharedOperation::Get(name("x"))), SharedAnswer::Value(None));
    });
}

#[test]
fn who_gave_up_gets_no_lock_whatever_was_lost() {
    on_each(|server| {
        let mut holder = Client::new(server.port, "g", "holder");
        holder.does(0, SharedOperation::Lock(name("a"), 0.0));
        let mut client = Client::new(server.port, "g", "client");
        client.ask(1, SharedOperation::Lock(name("a"), 0.0));
        client.exchange(false);
        client.ask(1, SharedOperation::Leave);
        // The notice is written, and never arrives.
        client.member.write(client.now, &mut Vec::new());
        client.member.disconnected(client.now);
        client.connect();
        client.exchange(false);
        assert_eq!(holder.does(0, SharedOperation::Unlock(name("a"))), SharedAnswer::Done);
        assert!(matches!(
            holder.does(0, SharedOperation::Lock(name("a"), 0.0)),
            SharedAnswer::Token(_)
        ));
    });
}

#[test]
fn what_comes_late_over_an_old_connection_does_nothing() {
    on_each(|server| {
        let mut client = Client::new(server.port, "l", "client");
        client.ask(1, SharedOperation::Lock(name("a"), 0.0));
        client.ask(2, SharedOperation::Add(name("x"), 1.0));
        let mut late = Vec::new();
        client.member.write(client.now, &mut late);
        let mut old = client.socket.take().unwrap();
        client.member.disconnected(client.now);
        client.connect();
        client.exchange(false);
        client.ask(1, SharedOperation::Leave);
        client.exchange(false);
        assert_eq!(client.answered[&2], SharedAnswer::Value(Some(Shared::Number(1.0))));
        old.write_all(&late).unwrap();
        let (mut input, mut buffer) = (Vec::new(), [0; 4096]);
        for _ in 0..2 {
            let (reply, length) = loop {
                match resp::read(&input).unwrap() {
                    Some(found) => break found,
                    None => {
                        let count = old.read(&mut buffer).unwrap();
                        assert!(count > 0);
                        input.extend_from_slice(&buffer[..count]);
                    }
                }
            };
            input.drain(..length);
            assert_eq!(reply, Reply::List(vec![Reply::Bytes(b"stale".to_vec())]));
        }
        // Nobody holds the lock, and nothing was added once more.
        let mut other = Client::new(server.port, "l", "other");
        assert!(matches!(
            other.does(0, SharedOperation::Lock(name("a"), 0.0)),
            SharedAnswer::Token(_)
        ));
        let sum = SharedAnswer::Value(Some(Shared::Number(1.0)));
        assert_eq!(other.does(0, SharedOperation::Get(name("x"))), sum);
    });
}

#[test]
fn nothing_piles_up_while_nobody_answers() {
    let mut member = Member::new(MemberSettings {
        run: name("r"),
        member: name("m"),
        wait: SECOND,
        lease: SECOND,
        silent: name("silent"),
        refuses: name("refuses"),
    });
    let mut now = SECOND;
    for _ in 0..1000 {
        for (slot, operation) in [
            SharedOperation::Get(name("x")),
            SharedOperation::Add(name("x"), 1.0),
            SharedOperation::Lock(name("a"), 0.0),
            SharedOperation::Lock(name("a"), 0.0),
        ]
        .into_iter()
        .enumerate()
        {
            member.ask(now, SharedRequest { slot, operation });
        }
        member.ask(now, SharedRequest { slot: 3, operation: SharedOperation::Leave });
        now += Nanos(2 * SECOND.0);
        assert!(member.pass(now).is_none());
        let told: Vec<usize> = std::iter::from_fn(|| member.answer()).map(|one| one.0).collect();
        assert_eq!(told, [0, 1, 2]);
        let left = (member.unsent.len(), member.sent.len(), member.locks.len());
        assert_eq!(left, (0, 0, 0));
        assert!(member.tickets.is_empty() && member.asking.is_empty());
    }
}
