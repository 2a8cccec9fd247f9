//! One connection of the generator: what carries its bytes, what is still to be written, and the
//! protocol that is spoken over it.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use thinktime_core::client::Attempt;

use super::answering::Sending;
use super::connector::Connector;
use super::exchange::{Answer, Exchange};
use super::failure::Failure;
use super::http1::Http1;
use super::http2::Http2;
use super::messenger::Messenger;
use super::reading::Reading;
use super::transport::Transport;
use super::waiting::Waiting;
use crate::poller::Clock;
use crate::protocol::http1::RequestHead;

/// A connection, with the attempts that it carries.
pub(super) struct Connection {
    transport: Transport,
    out: Vec<u8>,
    written: usize,
    spoken: Spoken,
    /// Whether it carries one exchange only.
    once: bool,
    /// Whether it was given an exchange.
    begun: bool,
    /// Whether a response came over it before.
    pub(super) reused: bool,
    /// The session that it belongs to, if it is not for all.
    pub(super) owner: Option<(usize, u64)>,
    /// That it has more to read, and whether the stream's end is among that.
    pub(super) unread: Option<bool>,
    /// Whether the pool has it among those that can carry another exchange.
    pub(super) listed: bool,
}

/// The protocol, once it is known.
enum Spoken {
    /// The TLS handshake is under way, in which the server chooses.
    Undecided(Waiting),
    Http1(Http1),
    Http2(Box<Http2>),
    /// Messages or plain bytes, not HTTP.
    Messages(Box<Messenger>),
}

/// A connection of which more bytes than these wait to be sent takes on no further exchange.
const CLOGGED_BYTES: usize = 1 << 20;

/// What reading a connection brought.
pub(super) enum Event {
    /// All is read.
    Blocked,
    /// There may be more to read, after others have had their turn.
    Later,
    /// The handshake is over: what waited for it can begin.
    Ready,
    /// A response is complete. `more` says that there may be more to read.
    Done { exchange: Exchange, answer: Answer, more: bool },
    /// The server did not look at the request, and says so.
    Unprocessed(Exchange),
    /// An exchange failed; the connection goes on.
    Failed { exchange: Exchange, failure: Failure },
}

impl Connection {
    /// Begins to open a connection.
    pub(super) fn open(connector: &mut Connector) -> io::Result<Connection> {
        let transport = connector.open()?;
        let mut out = Vec::new();
        let spoken =
            match transport {
                Transport::Plain(_) | Transport::Datagrams(_) if connector.for_messages => {
                    let upgrade = connector.upgrade();
                    let messenger = Messenger::open(upgrade, connector.keeping, &mut out);
                    Spoken::Messages(Box::new(messenger))
                }
                Transport::Plain(_) if connector.expects_http2 => Spoken::Http2(Box::new(
                    Http2::open("http", connector.streams, connector.keeping, &mut out),
                )),
                Transport::Plain(_) | Transport::Datagrams(_) => {
                    Spoken::Http1(Http1::new(connector.keeping))
                }
                Transport::Tls(_) => Spoken::Undecided(Waiting::new(connector)),
            };
        Ok(Connection {
            transport,
            out,
            written: 0,
            spoken,
            once: connector.once,
            begun: false,
            reused: false,
            owner: None,
            unread: None,
            listed: false,
        })
    }

    /// Whether it can take on another exchange.
    pub(super) fn has_room(&self) -> bool {
        if self.once && self.begun {
            return false;
        }
        match &self.spoken {
            Spoken::Undecided(waiting) => waiting.has_room(),
            Spoken::Http1(http1) => http1.has_room(),
            Spoken::Http2(http2) => http2.has_room() && !self.is_clogged(),
            Spoken::Messages(messenger) => messenger.has_room(),
        }
    }

    /// How many streams the server allows, if it speaks HTTP/2 and has said so.
    pub(super) fn streams_allowed(&self) -> Option<usize> {
        match &self.spoken {
            Spoken::Http2(http2) => http2.streams_allowed(),
            _ => None,
        }
    }

    /// Whether the server has long not taken what is to be sent.
    fn is_clogged(&self) -> bool {
        self.out.len() - self.written > CLOGGED_BYTES
    }

    /// Whether it carries nothing and never will again.
    pub(super) fn is_finished(&self) -> bool {
        match &self.spoken {
            Spoken::Undecided(_) => false,
            Spoken::Http1(http1) => http1.is_finished(self.once && self.begun),
            Spoken::Http2(http2) => http2.is_finished(self.once && self.begun),
            Spoken::Messages(messenger) => messenger.is_finished(self.once && self.begun),
        }
    }

    /// Lets an exchange wait for the end of the handshake, or gives it back if that is over.
    pub(super) fn wait(&mut self, exchange: Exchange) -> Option<Exchange> {
        let Spoken::Undecided(waiting) = &mut self.spoken else { return Some(exchange) };
        waiting.exchanges.push_back(exchange);
        None
    }

    /// Takes an exchange on.
    pub(super) fn begin(&mut self, exchange: Exchange, request: &RequestHead<'_>) {
        self.begun = true;
        match &mut self.spoken {
            Spoken::Undecided(waiting) => waiting.exchanges.push_back(exchange),
            Spoken::Http1(http1) => {
                self.out.clear();
                self.written = 0;
                http1.begin(exchange, request, &mut self.out);
            }
            Spoken::Http2(http2) => http2.begin(exchange, request, &mut self.out),
            Spoken::Messages(_) => {}
        }
    }

    /// Takes an exchange of messages on.
    pub(super) fn begin_message(&mut self, exchange: Exchange, sending: &Sending<'_>) {
        self.begun = true;
        if let Spoken::Messages(messenger) = &mut self.spoken {
            messenger.begin(exchange, sending, &mut self.out);
        }
    }

    /// Writes as much as the socket takes.
    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        if self.written < self.out.len() || self.transport.holds_bytes() {
            self.written += self.transport.write(&self.out[self.written..])?;
        }
        if self.written == self.out.len() {
            self.out.clear();
            self.written = 0;
        } else if self.written > CLOGGED_BYTES {
            self.out.drain(..self.written);
            self.written = 0;
        }
        Ok(())
    }

    /// Reads until something happened, the socket would block, or the turn is over.
    #[inline]
    pub(super) fn read(&mut self, reading: &mut Reading, clock: Clock) -> Result<Event, Failure> {
        let now = || clock.now();
        match &mut self.spoken {
            Spoken::Http1(http1) => http1.read(&mut self.transport, reading, clock),
            Spoken::Http2(http2) => {
                let (transport, out) = (&mut self.transport, &mut self.out);
                let result = http2.read(transport, out, reading, now);
                self.reply(result)
            }
            Spoken::Messages(messenger) => {
                let (transport, out) = (&mut self.transport, &mut self.out);
                let result = messenger.read(transport, out, reading, now);
                self.reply(result)
            }
            Spoken::Undecided(_) => self.shake_hands(),
        }
    }

    /// Sends what reading gave to send.
    fn reply(&mut self, result: Result<Event, Failure>) -> Result<Event, Failure> {
        if matches!(result, Ok(Event::Blocked | Event::Later)) {
            self.flush()?;
        } else if result.is_err() {
            // Why the client leaves is worth one try.
            self.flush().ok();
        }
        result
    }

    fn shake_hands(&mut self) -> Result<Event, Failure> {
        if let Transport::Tls(stream) = &mut self.transport
            && !stream.shake_hands()?
        {
            return Ok(Event::Blocked);
        }
        Ok(Event::Ready)
    }

    /// After the handshake: settles the protocol, and gives what waited for it, and whether the
    /// server chose HTTP/2.
    pub(super) fn settle_protocol(&mut self) -> (VecDeque<Exchange>, bool) {
        let is_http2 = matches!(&self.transport, Transport::Tls(tls) if tls.chose_http2());
        let Spoken::Undecided(waiting) = &mut self.spoken else {
            return (VecDeque::new(), is_http2);
        };
        let exchanges = std::mem::take(&mut waiting.exchanges);
        let (streams, keeping) = (waiting.streams, waiting.keeping);
        self.spoken = if let Some(upgrade) = waiting.upgrade.take() {
            let messenger = Messenger::open(Some(upgrade), keeping, &mut self.out);
            Spoken::Messages(Box::new(messenger))
        } else if is_http2 {
            Spoken::Http2(Box::new(Http2::open("https", streams, keeping, &mut self.out)))
        } else {
            Spoken::Http1(Http1::new(keeping))
        };
        (exchanges, is_http2)
    }

    /// Takes one of the exchanges that it carries.
    pub(super) fn take_exchange(&mut self) -> Option<Exchange> {
        match &mut self.spoken {
            Spoken::Undecided(waiting) => waiting.exchanges.pop_front(),
            Spoken::Http1(http1) => http1.take_exchange(),
            Spoken::Http2(http2) => http2.take_exchange(),
            Spoken::Messages(messenger) => messenger.take_exchange(),
        }
    }

    /// Gives an attempt up: its exchange, and whether the connection is to be closed.
    pub(super) fn give_up(&mut self, attempt: &Attempt) -> Option<(Exchange, bool)> {
        match &mut self.spoken {
            Spoken::Undecided(waiting) => waiting.give_up(attempt),
            Spoken::Http1(http1) => http1.give_up(attempt).map(|exchange| (exchange, true)),
            Spoken::Messages(messenger) => {
                messenger.give_up(attempt).map(|exchange| (exchange, true))
            }
            Spoken::Http2(http2) => {
                let exchange = http2.give_up(attempt, &mut self.out)?;
                let idle = http2.carries_nothing();
                // A connection over which nothing ever came may be one that leads nowhere.
                Some((exchange, idle && (!self.reused || self.is_clogged())))
            }
        }
    }

    /// Says goodbye, where that is the custom.
    pub(super) fn close(mut self) {
        if let Spoken::Messages(messenger) = &mut self.spoken {
            messenger.say_goodbye(&mut self.out);
            self.flush().ok();
        }
        self.transport.say_goodbye();
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.transport.as_fd()
    }
}
