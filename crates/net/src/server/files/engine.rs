//! The event loop of the file server.

use std::io::{self, Read};
use std::net::TcpListener;

use rustix::net::SendFlags;
use thinktime_core::time::Nanos;

use super::connection::{Connection, SendOutcome, prepare};
use super::folder::Folder;
use super::line::{Line, Order, Pace};
use super::{Sending, ServeTotals};
use crate::poller::{Clock, Poller, Readiness};
use crate::protocol::http1::{CONTINUE, RequestProgress};

pub(super) struct Engine {
    listener: TcpListener,
    folder: Folder,
    sending: Sending,
    poller: Poller,
    clock: Clock,
    line: Line,
    pace: Pace,
    connections: Vec<Option<Connection>>,
    vacant: Vec<u32>,
    /// Connections with more to read.
    unread: Vec<u32>,
    ready: Vec<Readiness>,
    buffer: Vec<u8>,
    /// Whether clients wait to be accepted for lack of a descriptor.
    unaccepted: bool,
    tidied_s: f64,
    served: ServeTotals,
}

const LISTENER: u64 = u64::MAX;
/// The longest sleep between two checks of `stop`.
const LOOK: Nanos = Nanos(50_000_000);
/// The bytes read from one connection at a time: then others have their turn.
const READS_PER_TURN: u32 = 16;
/// The pieces sent between two looks for new input, which may ask for something shorter.
const PIECES_PER_TURN: u32 = 4;
/// A connection without input and output for this long is closed.
const SILENT_S: f64 = 60.0;
/// The time to wait for a client after its connection was shut down.
const LINGER_S: f64 = 2.0;
/// The unsent bytes of a response that the kernel may hold: few if the order matters, and never so
/// many that a slow reader seems dead.
const fn unsent_bytes(order: Order) -> u32 {
    match order {
        Order::Fair => 1 << 17,
        Order::Srpt => 4096,
    }
}

impl Engine {
    pub(super) fn new(
        listener: TcpListener,
        folder: Folder,
        sending: Sending,
    ) -> io::Result<Engine> {
        let poller = Poller::new()?;
        // Reported once for each client: without a free descriptor it would be reported again and
        // again.
        poller.add(&listener, LISTENER)?;
        Ok(Engine {
            listener,
            folder,
            sending,
            poller,
            clock: Clock::start(),
            line: Line::new(sending.order),
            pace: Pace::new(sending.bytes_per_s),
            connections: Vec::new(),
            vacant: Vec::new(),
            unread: Vec::new(),
            ready: Vec::new(),
            buffer: vec![0; 1 << 14],
            unaccepted: false,
            tidied_s: 0.0,
            served: ServeTotals::default(),
        })
    }

    pub(super) fn totals(&self) -> ServeTotals {
        self.served
    }

    /// Sleeps until something happens, at most a twentieth of a second, and handles it.
    pub(super) fn turn(&mut self) -> io::Result<()> {
        let until = match (self.unread.is_empty(), self.line.first()) {
            (true, None) => LOOK,
            (true, Some(_)) => self.pace.wait(),
            (false, _) => Nanos::ZERO,
        };
        let mut ready = std::mem::take(&mut self.ready);
        self.poller.wait(until.min(LOOK), &mut ready)?;
        for place in std::mem::take(&mut self.unread) {
            // Another connection may have its place by now, and reads the same way.
            if let Some(connection) = &mut self.connections[place as usize]
                && std::mem::take(&mut connection.unread)
            {
                self.read(place);
            }
        }
        for readiness in &ready {
            match readiness.token {
                LISTENER => self.accept(),
                token => self.handle(token as u32, readiness),
            }
        }
        self.ready = ready;
        if self.unaccepted {
            self.accept();
        }
        self.send();
        self.tidy();
        Ok(())
    }

    fn now_s(&self) -> f64 {
        self.clock.now().as_secs_f64()
    }

    fn accept(&mut self) {
        let unsent = unsent_bytes(self.sending.order);
        self.unaccepted = false;
        loop {
            let stream = match self.listener.accept() {
                Ok((stream, _)) => stream,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                // The client has gone.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => continue,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                // No descriptor is free, which passes: the next turn tries again.
                Err(_) => {
                    self.unaccepted = true;
                    return;
                }
            };
            if prepare(&stream, unsent).is_err() {
                continue;
            }
            let place = self.vacant.pop().unwrap_or_else(|| {
                self.connections.push(None);
                (self.connections.len() - 1) as u32
            });
            if self.poller.add(&stream, place.into()).is_err() {
                self.vacant.push(place);
                continue;
            }
            let connection = Connection::new(stream, self.now_s());
            self.connections[place as usize] = Some(connection);
        }
    }

    fn handle(&mut self, place: u32, readiness: &Readiness) {
        if readiness.readable {
            self.read(place);
        }
        if readiness.writable {
            self.go_on(place);
        }
    }

    /// Reads the available bytes, at most for one turn.
    fn read(&mut self, place: u32) {
        let now_s = self.now_s();
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut turns = 0;
        while let Some(connection) = &mut self.connections[place as usize] {
            if turns == READS_PER_TURN {
                connection.unread = true;
                self.unread.push(place);
                break;
            }
            turns += 1;
            match connection.stream.read(&mut buffer) {
                Ok(1..) if connection.lingers => {}
                Ok(count @ 1..) => {
                    connection.last_s = now_s;
                    self.take(place, &buffer[..count]);
                }
                Ok(0) if connection.lingers => self.close(place),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                // It may still read its responses.
                Ok(_) => {
                    connection.ended = true;
                    break;
                }
                Err(_) => self.close(place),
            }
        }
        self.buffer = buffer;
        self.go_on(place);
    }

    /// Takes bytes from a client: perhaps several requests at once.
    fn take(&mut self, place: u32, mut bytes: &[u8]) {
        let Some(connection) = &mut self.connections[place as usize] else { return };
        while !bytes.is_empty() && connection.is_watched() {
            match connection.reader.read(bytes) {
                Ok(RequestProgress::NeedMore { continue_expected }) => {
                    connection.waits_for_leave |= continue_expected;
                    return;
                }
                Ok(RequestProgress::Complete { request, used }) => {
                    bytes = &bytes[used..];
                    connection.ask(request);
                }
                Err(_) => return connection.refuse(),
            }
        }
    }

    /// Lets a connection wait for its turn, if it has something to send.
    fn go_on(&mut self, place: u32) {
        let Some(connection) = &mut self.connections[place as usize] else { return };
        if let Some(status) = connection.begin(&self.folder) {
            connection.begun = self.served.requests + self.served.refused;
            match status < 400 {
                true => self.served.requests += 1,
                false => self.served.refused += 1,
            }
        }
        match connection.left() {
            Some(left) => return self.line.enter(place, left, connection.begun),
            None => self.line.leave(place),
        }
        if connection.lingers {
            return;
        }
        let leave = std::mem::take(&mut connection.waits_for_leave);
        let refused = || {
            let sent = rustix::net::send(&connection.stream, CONTINUE, SendFlags::NOSIGNAL);
            sent != Ok(CONTINUE.len())
        };
        if leave && refused() {
            return self.close(place);
        }
        if connection.is_done() {
            connection.last_s = self.clock.now().as_secs_f64() + LINGER_S - SILENT_S;
            if !connection.say_goodbye() {
                self.close(place);
            }
        }
    }

    /// Sends pieces of the first responses in the queue.
    fn send(&mut self) {
        for _ in 0..PIECES_PER_TURN {
            let Some(place) = self.line.first() else { return };
            let now = self.clock.now();
            let Some(piece) = self.pace.piece(now) else { return };
            let Some(connection) = &mut self.connections[place as usize] else {
                self.line.leave(place);
                continue;
            };
            match connection.send(piece, self.sending.link_class) {
                SendOutcome::Some(count) => {
                    connection.last_s = now.as_secs_f64();
                    self.pace.spend(count);
                    // With turns, it goes to the end.
                    self.line.leave(place);
                    self.go_on(place);
                }
                // The poller reports when the socket accepts more.
                SendOutcome::Full => self.line.leave(place),
                SendOutcome::Broken => self.close(place),
            }
        }
    }

    /// Closes, once a second, connections that have been silent for too long.
    fn tidy(&mut self) {
        let now_s = self.now_s();
        if now_s < self.tidied_s + 1.0 {
            return;
        }
        self.tidied_s = now_s;
        for place in 0..self.connections.len() {
            // A client that waits for others is not to blame.
            let silent = |one: &Connection| one.last_s + SILENT_S < now_s;
            if self.connections[place].as_ref().is_some_and(silent) && !self.line.has(place as u32)
            {
                self.close(place as u32);
            }
        }
    }

    fn close(&mut self, place: u32) {
        self.line.leave(place);
        if self.connections[place as usize].take().is_some() {
            self.vacant.push(place);
        }
    }
}
