//! The variables that scripts share, on a server of Redis or Valkey.
//!
//! Each event loop has its own connection among its sockets, and never waits for it: a session that
//! asks for something continues when the answer arrives. `member` is the state machine of that,
//! `server.lua` the server's part, `words` the shared vocabulary, `settings` the state before the
//! run.

mod commands;
mod member;
mod settings;

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use thinktime_core::program::{SharedAnswer, SharedRequest};
use thinktime_core::time::Nanos;

use crate::generator::transport::failure::would_block;
use crate::generator::transport::open_socket;
use crate::poller::Poller;
use crate::protocol::Outbox;
use crate::protocol::resp::{self, Reply};
use commands::ScriptReply;
use member::{ConnectionLost, Member};
pub(crate) use settings::Settings;

/// The number of the connection at the poller, unique there.
pub(crate) const LINK: u64 = u64::MAX;

/// The times between two tries to connect.
const RETRY_MIN: Nanos = Nanos(50_000_000);
const RETRY_MAX: Nanos = Nanos(1_000_000_000);
/// After the load has ended, sessions that wait for locks are given time as long as others obtain
/// some.
const SETTLE: Nanos = Nanos(1_000_000_000);
/// The bytes read at a time: then the sessions have their turn.
const READS_PER_TURN: u32 = 64;

/// The connection of an event loop to the server.
pub(crate) struct Link {
    settings: Settings,
    member: Member,
    /// The address to try next.
    next: usize,
    socket: Option<TcpStream>,
    readable: bool,
    out: Outbox,
    /// Received and unparsed bytes: the beginning of a reply.
    input: Vec<u8>,
    buffer: Vec<u8>,
    /// The replies that must come before those of sessions.
    greeting: VecDeque<Greeting>,
    script: Vec<u8>,
    began: Nanos,
    retry: Nanos,
    pause: Nanos,
    /// The time at which a session last received an answer.
    last_answer: Nanos,
}

/// The request that an answer at the beginning of a connection belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Greeting {
    /// Any reply but an error is accepted.
    Plain,
    Script,
    Join,
}

impl Link {
    pub(crate) fn new(settings: &Settings) -> Link {
        Link {
            member: Member::new(settings.settings()),
            settings: settings.clone(),
            next: 0,
            socket: None,
            readable: false,
            out: Outbox::default(),
            input: Vec::new(),
            buffer: vec![0; 1 << 16],
            greeting: VecDeque::new(),
            script: Vec::new(),
            began: Nanos::ZERO,
            retry: Nanos::ZERO,
            pause: RETRY_MIN,
            last_answer: Nanos::ZERO,
        }
    }

    pub(crate) fn ask(&mut self, now: Nanos, request: SharedRequest) {
        self.member.ask(now, request);
    }

    /// A session that receives an answer.
    pub(crate) fn answer(&mut self, now: Nanos) -> Option<(usize, SharedAnswer)> {
        let answer = self.member.answer()?;
        self.last_answer = now;
        Some(answer)
    }

    /// The socket is readable or writable.
    pub(crate) fn mark_ready(&mut self, readable: bool) {
        self.readable |= readable;
    }

    /// Whether unread bytes are left after this turn.
    pub(crate) fn has_more(&self) -> bool {
        self.readable
    }

    /// Whether sessions still expect answers. After the load has ended, waiters for locks may
    /// depend on sessions that are idle.
    pub(crate) fn is_waited_for(&self, now: Nanos, load_ended: bool) -> bool {
        let (asked, locked) = self.member.is_waited_for();
        asked || (locked && (!load_ended || now < self.last_answer + SETTLE))
    }

    /// The notes about it in the result.
    pub(crate) fn warning(&self) -> Option<String> {
        (self.member.forgotten > 0).then(|| {
            format!(
                "{} lost the variables that scripts share, or their last values, in a failure: \
                 what scripts counted with them is too small",
                self.settings.url()
            )
        })
    }

    /// Does everything that needs no waiting.
    pub(crate) fn turn(&mut self, now: Nanos, poller: &Poller) {
        if self.socket.is_none() && self.retry <= now {
            self.open(now, poller);
        }
        if self.go_on(now).is_err() {
            self.drop(now, now);
        }
        if let Some(since) = self.member.pass(now) {
            self.drop(now, since);
        }
        let greets = self.socket.is_some() && !self.greeting.is_empty();
        if greets && self.began + self.settings.wait() < now {
            self.drop(now, now);
        }
    }

    fn go_on(&mut self, now: Nanos) -> Result<(), ConnectionLost> {
        if self.readable {
            self.read(now)?;
        }
        if self.socket.is_some() {
            self.member.write(now, self.out.buffer());
        }
        self.send()
    }

    fn open(&mut self, now: Nanos, poller: &Poller) {
        let address: SocketAddr = self.settings.address(self.next);
        self.next += 1;
        let socket = open_socket(address, None);
        let opened = socket.and_then(|socket| poller.add(&socket, LINK).map(|()| socket));
        let Ok(socket) = opened else { return self.drop(now, now) };
        self.socket = Some(socket);
        self.began = now;
        let join = self.member.join();
        let expected = self.settings.greet(&self.member.settings, Some(&join), self.out.buffer());
        self.greeting = expected.into();
    }

    /// Gives the connection up; another one follows.
    fn drop(&mut self, now: Nanos, since: Nanos) {
        self.member.disconnected(since);
        self.socket = None;
        self.readable = false;
        self.out = Outbox::default();
        self.input.clear();
        self.greeting.clear();
        self.retry = now + self.pause;
        self.pause = Nanos((self.pause.0 * 2).min(RETRY_MAX.0));
    }

    fn read(&mut self, now: Nanos) -> Result<(), ConnectionLost> {
        for _ in 0..READS_PER_TURN {
            let Some(socket) = &mut self.socket else { return Ok(()) };
            match socket.read(&mut self.buffer) {
                Ok(0) => return Err(ConnectionLost),
                Ok(count) => self.input.extend_from_slice(&self.buffer[..count]),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) if would_block(&error) => {
                    self.readable = false;
                    return Ok(());
                }
                Err(_) => return Err(ConnectionLost),
            }
            self.take(now)?;
        }
        Ok(())
    }

    /// Takes the received replies.
    fn take(&mut self, now: Nanos) -> Result<(), ConnectionLost> {
        let mut at = 0;
        while let Some((reply, length)) =
            resp::read(&self.input[at..]).map_err(|_| ConnectionLost)?
        {
            at += length;
            match (self.greeting.front().copied(), reply) {
                (None, reply) => self.member.take(reply)?,
                (Some(_), push @ Reply::Push(_)) => self.member.take(push)?,
                (Some(expected), reply) => self.greeted(now, expected, reply)?,
            }
        }
        self.input.drain(..at);
        Ok(())
    }

    fn greeted(
        &mut self,
        now: Nanos,
        expected: Greeting,
        reply: Reply,
    ) -> Result<(), ConnectionLost> {
        self.greeting.pop_front();
        match (expected, reply) {
            (_, Reply::Error(_)) => return Err(ConnectionLost),
            (Greeting::Plain, _) => {}
            (Greeting::Script, Reply::Bytes(name)) => self.script = name,
            (Greeting::Join, reply) => match commands::script_reply(&reply) {
                ScriptReply::Joined(forgotten) => {
                    self.pause = RETRY_MIN;
                    self.member.accept_join(now, std::mem::take(&mut self.script), forgotten);
                }
                _ => return Err(ConnectionLost),
            },
            (Greeting::Script, _) => return Err(ConnectionLost),
        }
        Ok(())
    }

    fn send(&mut self) -> Result<(), ConnectionLost> {
        let Some(socket) = &mut self.socket else { return Ok(()) };
        while !self.out.unsent().is_empty() {
            match socket.write(self.out.unsent()) {
                Ok(0) => return Err(ConnectionLost),
                Ok(count) => self.out.mark_sent(count),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                // Not yet open, or full: the poller reports when to continue.
                Err(error) if would_block(&error) => return Ok(()),
                Err(_) => return Err(ConnectionLost),
            }
        }
        Ok(())
    }

    /// Leaves for good, if the socket accepts that without waiting.
    pub(crate) fn close(&mut self, now: Nanos) {
        self.member.depart(now);
        self.go_on(now).ok(); // otherwise the lease expires
    }
}
