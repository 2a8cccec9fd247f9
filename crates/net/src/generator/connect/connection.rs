//! One connection of the generator: its transport, its unsent data, and its protocol.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd};

use thinktime_core::attempt::Attempt;

use super::connector::Connector;
use crate::generator::protocols::exchange::{Event, Exchange};
use crate::generator::protocols::{Arrival, Continuation, Conversation, Outgoing};
use crate::generator::transport::Transport;
use crate::generator::transport::failure::Failure;
use crate::generator::transport::input::Input;
use crate::generator::transport::negotiation::Negotiation;
use crate::generator::transport::reader::Reader;
use crate::poller::Clock;
use crate::protocol::Outbox;

/// A connection with its attempts.
pub(crate) struct Connection {
    transport: Transport,
    out: Outbox,
    /// Whether replies were written and not yet sent.
    replied: bool,
    /// Whether the socket is known to be empty.
    drained: bool,
    spoken: SpokenProtocol,
    /// The request that must be granted first.
    negotiation: Option<Box<Negotiation>>,
    /// The number of the connection, from 1.
    number: u64,
    /// Its address, if the target has several.
    pub(crate) address: Option<SocketAddr>,
    /// Whether it carries one exchange only.
    once: bool,
    /// Whether it was given an exchange.
    begun: bool,
    /// Whether a response came over it before.
    pub(crate) reused: bool,
    /// The session that it belongs to, if it is not shared.
    pub(crate) owner: Option<(usize, u64)>,
    /// That it has more to read, and whether the stream's end is next.
    pub(crate) unread: Option<bool>,
    /// Whether the pool lists it as free for another exchange.
    pub(crate) listed: bool,
}

/// The protocol, once it is known.
enum SpokenProtocol {
    /// The TLS handshake, in which the server chooses the protocol, or the negotiation before it:
    /// exchanges that wait for its end, and their maximum.
    Undecided(VecDeque<Exchange>, usize),
    Decided(Box<dyn Conversation>),
}

impl Connection {
    /// Begins to open a connection.
    pub(crate) fn open(connector: &mut Connector, once: bool) -> io::Result<Connection> {
        let (transport, number, address) = connector.open()?;
        let mut out = Outbox::default();
        let negotiation = connector.negotiation();
        let spoken = if negotiation.is_some() || matches!(transport, Transport::Tls(_)) {
            SpokenProtocol::Undecided(VecDeque::new(), connector.expected_room(once))
        } else {
            let protocol = connector.expected();
            SpokenProtocol::Decided((protocol.open)(&connector.opening(number), &mut out))
        };
        Ok(Connection {
            transport,
            out,
            replied: false,
            drained: false,
            spoken,
            negotiation,
            number,
            address,
            once,
            begun: false,
            reused: false,
            owner: None,
            unread: None,
            listed: false,
        })
    }

    /// The timer for due work, if the transport has one.
    pub(crate) fn timer(&self) -> Option<BorrowedFd<'_>> {
        match &self.transport {
            Transport::Quic(socket) => Some(socket.timer()),
            _ => None,
        }
    }

    /// Whether it can take another exchange.
    pub(crate) fn has_room(&self) -> bool {
        if self.once && self.begun {
            return false;
        }
        match &self.spoken {
            SpokenProtocol::Undecided(waiting, room) => waiting.len() < *room,
            SpokenProtocol::Decided(conversation) => conversation.has_room(&self.out),
        }
    }

    /// The number of concurrent exchanges that the server allows, if it has said so.
    pub(crate) fn allowed(&self) -> Option<usize> {
        match &self.spoken {
            SpokenProtocol::Undecided(..) => None,
            SpokenProtocol::Decided(conversation) => conversation.allowed(),
        }
    }

    /// Whether it is idle and unusable.
    pub(crate) fn is_finished(&self) -> bool {
        match &self.spoken {
            SpokenProtocol::Undecided(..) => false,
            SpokenProtocol::Decided(conversation) => {
                conversation.is_idle() && (conversation.is_closing() || self.once && self.begun)
            }
        }
    }

    /// Lets an exchange wait for the end of the handshake, or returns it if that has ended.
    pub(crate) fn wait(&mut self, exchange: Exchange) -> Option<Exchange> {
        let SpokenProtocol::Undecided(waiting, _) = &mut self.spoken else { return Some(exchange) };
        waiting.push_back(exchange);
        None
    }

    /// Takes an exchange. If it may have to wait, ask [`Connection::wait`] first.
    pub(crate) fn begin(&mut self, mut exchange: Exchange, what: Outgoing<'_>) {
        self.begun = true;
        // Another connection may have carried it before.
        exchange.bytes_sent = 0;
        match &mut self.spoken {
            SpokenProtocol::Undecided(waiting, _) => waiting.push_back(exchange),
            SpokenProtocol::Decided(conversation) => {
                conversation.begin(exchange, what, &mut self.out)
            }
        }
    }

    /// Continues a transaction with the program's next step.
    pub(crate) fn proceed(&mut self, next: Continuation<'_>) {
        if let SpokenProtocol::Decided(conversation) = &mut self.spoken {
            conversation.proceed(next, &mut self.out);
        }
    }

    /// Writes as much as the socket accepts.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        if let Some(negotiation) = &mut self.negotiation {
            return negotiation.ask(&self.transport);
        }
        if let (Transport::Quic(socket), SpokenProtocol::Decided(conversation)) =
            (&mut self.transport, &mut self.spoken)
        {
            return socket.send(&mut self.out, |out| conversation.transmit(out));
        }
        self.transport.send(&mut self.out)
    }

    /// Reads until an event, until the socket would block, or until the turn ends.
    #[inline]
    pub(crate) fn read(&mut self, reader: &mut Reader, clock: Clock) -> Result<Event, Failure> {
        let result = self.listen(reader, clock);
        let over = matches!(result, Err(_) | Ok(Event::Blocked | Event::Later));
        let keeps_time = matches!(self.transport, Transport::Quic(_));
        if over && (std::mem::take(&mut self.replied) || keeps_time) {
            let sent = self.flush();
            // The reason for leaving is worth one try.
            if result.is_ok() {
                sent?;
            }
        }
        result
    }

    #[inline]
    fn listen(&mut self, reader: &mut Reader, clock: Clock) -> Result<Event, Failure> {
        let Connection { transport, out, spoken, negotiation, .. } = self;
        let SpokenProtocol::Decided(conversation) = spoken else {
            return shake_hands(transport, negotiation);
        };
        loop {
            if let Some(event) = conversation.more(clock)? {
                return Ok(event);
            }
            if std::mem::take(&mut self.drained) {
                return Ok(Event::Blocked);
            }
            let count = match reader.next(transport)? {
                Some(Input::Bytes(count)) => count,
                Some(Input::End) => return conversation.end_of_stream(out),
                Some(Input::Blocked) => return Ok(Event::Blocked),
                None => return Ok(Event::Later),
            };
            self.drained = reader.has_emptied(transport, count);
            let (bytes, before) = (&reader.buffer[..count], out.unsent().len());
            let arrival = Arrival { clock, date: transport.arrived() };
            let event = conversation.read(bytes, reader.ending, arrival, out);
            self.replied |= out.unsent().len() > before;
            // If that fails, the next read or write will report it again.
            transport.send_replies(out).ok();
            if let Some(event) = event? {
                return Ok(event);
            }
        }
    }

    /// After the handshake: begins the protocol that the server has chosen, and returns the waiting
    /// exchanges.
    pub(crate) fn choose_protocol(&mut self, connector: &mut Connector) -> VecDeque<Exchange> {
        let protocol = match &self.transport {
            Transport::Tls(stream) => connector.chosen(stream.chosen_protocol()),
            _ => connector.expected(),
        };
        let open = (protocol.open)(&connector.opening(self.number), &mut self.out);
        match std::mem::replace(&mut self.spoken, SpokenProtocol::Decided(open)) {
            SpokenProtocol::Undecided(waiting, _) => waiting,
            SpokenProtocol::Decided(_) => VecDeque::new(),
        }
    }

    /// Takes one of its exchanges.
    pub(crate) fn take_exchange(&mut self) -> Option<Exchange> {
        match &mut self.spoken {
            SpokenProtocol::Undecided(waiting, _) => waiting.pop_front(),
            SpokenProtocol::Decided(conversation) => conversation.take_exchange(&self.out),
        }
    }

    /// Gives an attempt up: its exchange, and whether the connection must be closed.
    pub(crate) fn give_up(&mut self, attempt: &Attempt) -> Option<(Exchange, bool)> {
        match &mut self.spoken {
            SpokenProtocol::Undecided(waiting, _) => {
                let at = waiting.iter().position(|exchange| exchange.attempt == *attempt)?;
                let exchange = waiting.remove(at)?;
                Some((exchange, waiting.is_empty()))
            }
            SpokenProtocol::Decided(conversation) => {
                conversation.give_up(attempt, self.reused, &mut self.out)
            }
        }
    }

    /// Says goodbye, if the protocol does that.
    pub(crate) fn close(mut self) {
        if let SpokenProtocol::Decided(conversation) = &mut self.spoken {
            let before = self.out.unsent().len();
            conversation.close(&mut self.out);
            if self.out.unsent().len() > before {
                self.flush().ok();
            }
        }
        // A server that has granted nothing yet does not speak TLS.
        if self.negotiation.is_none() {
            self.transport.send_close();
        }
    }
}

fn shake_hands(
    transport: &mut Transport,
    negotiation: &mut Option<Box<Negotiation>>,
) -> Result<Event, Failure> {
    if let Some(pending) = negotiation {
        if !pending.is_agreed(&*transport)? {
            return Ok(Event::Blocked);
        }
        *negotiation = None;
    }
    if let Transport::Tls(stream) = transport
        && !stream.shake_hands()?
    {
        return Ok(Event::Blocked);
    }
    Ok(Event::Ready)
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.transport.as_fd()
    }
}
