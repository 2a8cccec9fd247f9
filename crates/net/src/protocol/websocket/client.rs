//! A client's end of a connection.

use thinktime_core::random::Stream;

use super::frame::{self, Header, HeaderReader, opcode};
use super::handshake::{Handshake, HandshakeRequest};
use super::text::TextCheck;
use super::{BARREN_FRAMES_MAX, MESSAGE_BYTES_MAX, WebSocketError, code};
use crate::protocol::Outbox;

/// A received event. The parts of one message come one after another, between its begin and its
/// end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<'a> {
    /// The handshake has ended: messages can be sent.
    Opened,
    /// A message begins.
    Begun,
    /// A part of it; never empty.
    Part(&'a [u8]),
    /// The message is complete.
    Complete {
        /// Its size in bytes: its frames with their headers.
        bytes: u64,
    },
    /// The server closes the connection; nothing follows.
    Closed,
}

/// A client's end of one connection.
#[derive(Debug)]
pub struct Client {
    state: State,
    headers: HeaderReader,
    message: Option<Message>,
    /// The received payload of a control frame: 125 bytes at most.
    control: Vec<u8>,
    /// Consecutive frames without progress.
    barren: u32,
    /// The source of the masks.
    random: Stream,
    failed: Option<WebSocketError>,
}

#[derive(Debug)]
enum State {
    Shaking(Handshake),
    /// Between two frames.
    Idle,
    /// Within a frame, of which this many bytes are to come.
    Within(Header, u64),
    /// A close frame was received or sent: later frames are ignored.
    Closed,
}

/// A message that is incomplete.
#[derive(Debug)]
struct Message {
    /// Its size so far: payload, and all with the headers of its frames.
    length: u64,
    bytes: u64,
    /// For a text.
    text: Option<TextCheck>,
}

impl Client {
    /// Opens a connection, and appends the handshake. The key and the masks come from `random`.
    #[must_use]
    pub fn open(asked: &HandshakeRequest<'_>, mut random: Stream, out: &mut Vec<u8>) -> Client {
        let mut nonce = [0; 16];
        nonce[..8].copy_from_slice(&random.bits().to_be_bytes());
        nonce[8..].copy_from_slice(&random.bits().to_be_bytes());
        Client {
            state: State::Shaking(Handshake::begin(asked, nonce, out)),
            headers: HeaderReader::default(),
            message: None,
            control: Vec::new(),
            barren: 0,
            random,
            failed: None,
        }
    }

    /// Whether messages can be sent.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self.state, State::Idle | State::Within(..)) && self.failed.is_none()
    }

    /// Whether the connection has ended in both directions.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        matches!(self.state, State::Closed) || self.failed.is_some()
    }

    /// Appends a message: a text, or a binary one if `binary` is set or it is no UTF-8. Returns its
    /// size in bytes, with the frame's header.
    pub fn send(&mut self, message: &[u8], binary: bool, out: &mut Vec<u8>) -> u64 {
        let before = out.len();
        let is_text = !binary && std::str::from_utf8(message).is_ok();
        self.push(if is_text { opcode::TEXT } else { opcode::BINARY }, message, out);
        self.barren = 0;
        (out.len() - before) as u64
    }

    /// Appends a close frame, if the connection is open.
    pub fn close(&mut self, out: &mut Vec<u8>) {
        if self.is_open() {
            self.push(opcode::CLOSE, &code::NORMAL.to_be_bytes(), out);
            self.state = State::Closed;
        }
    }

    fn push(&mut self, opcode: u8, payload: &[u8], out: &mut Vec<u8>) {
        let [a, b, c, d, ..] = self.random.bits().to_be_bytes();
        frame::push(out, opcode, payload, [a, b, c, d]);
    }

    /// Feeds arrived bytes. Their events go to `take`, and replies are appended to `out`.
    ///
    /// # Errors
    /// The server's error. Close the connection then, after sending `out`.
    pub fn read(
        &mut self,
        bytes: &[u8],
        out: &mut Outbox,
        mut take: impl FnMut(Event<'_>),
    ) -> Result<(), WebSocketError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let result = self.take_in(bytes, out, &mut take);
        if let Err(error) = result {
            self.failed = Some(error);
            if let Some(code) = error.code() {
                self.push(opcode::CLOSE, &code.to_be_bytes(), out.buffer());
            }
        }
        result
    }

    fn take_in(
        &mut self,
        mut bytes: &[u8],
        out: &mut Outbox,
        take: &mut impl FnMut(Event<'_>),
    ) -> Result<(), WebSocketError> {
        while !bytes.is_empty() {
            match &mut self.state {
                State::Shaking(handshake) => {
                    let Some(used) = handshake.read(bytes)? else { break };
                    bytes = &bytes[used..];
                    self.state = State::Idle;
                    take(Event::Opened);
                }
                State::Idle => {
                    let Some((header, own, used)) = self.headers.read(bytes)? else { break };
                    bytes = &bytes[used..];
                    self.begin(&header, own, take)?;
                    if header.length == 0 {
                        self.end(&header, out, take)?;
                    }
                }
                State::Within(header, left) => {
                    let header = *header;
                    let length = usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len());
                    let (part, rest) = bytes.split_at(length);
                    bytes = rest;
                    *left -= length as u64;
                    let over = *left == 0;
                    self.part(&header, part, take)?;
                    if over {
                        self.end(&header, out, take)?;
                    }
                }
                State::Closed => break,
            }
        }
        Ok(())
    }

    /// A frame begins whose header has this many bytes.
    fn begin(
        &mut self,
        header: &Header,
        own: usize,
        take: &mut impl FnMut(Event<'_>),
    ) -> Result<(), WebSocketError> {
        self.state = State::Within(*header, header.length);
        if header.is_control() {
            return Ok(());
        }
        if (header.opcode == opcode::CONTINUATION) != self.message.is_some() {
            return Err(WebSocketError::Protocol);
        }
        if self.message.is_none() {
            take(Event::Begun);
        }
        let message = self.message.get_or_insert_with(|| Message {
            length: 0,
            bytes: 0,
            text: (header.opcode == opcode::TEXT).then(TextCheck::default),
        });
        message.length = message.length.saturating_add(header.length);
        message.bytes = message.bytes.saturating_add(own as u64 + header.length);
        if message.length > MESSAGE_BYTES_MAX {
            return Err(WebSocketError::TooLarge);
        }
        Ok(())
    }

    /// A part of a frame's payload.
    fn part(
        &mut self,
        header: &Header,
        part: &[u8],
        take: &mut impl FnMut(Event<'_>),
    ) -> Result<(), WebSocketError> {
        if header.is_control() {
            self.control.extend_from_slice(part);
            return Ok(());
        }
        if let Some(text) = self.message.as_mut().and_then(|message| message.text.as_mut()) {
            text.read(part)?;
        }
        self.barren = 0;
        take(Event::Part(part));
        Ok(())
    }

    /// A frame has ended.
    fn end(
        &mut self,
        header: &Header,
        out: &mut Outbox,
        take: &mut impl FnMut(Event<'_>),
    ) -> Result<(), WebSocketError> {
        self.state = State::Idle;
        if header.is_control() {
            return self.end_of_control(header.opcode, out, take);
        }
        if header.length == 0 {
            self.count_empty_frame()?;
        }
        if header.last
            && let Some(message) = self.message.take()
        {
            if let Some(mut text) = message.text {
                text.end()?;
            }
            take(Event::Complete { bytes: message.bytes });
        }
        Ok(())
    }

    fn end_of_control(
        &mut self,
        opcode: u8,
        out: &mut Outbox,
        take: &mut impl FnMut(Event<'_>),
    ) -> Result<(), WebSocketError> {
        self.count_empty_frame()?;
        let mut payload = std::mem::take(&mut self.control);
        match opcode {
            opcode::PING => out.reply(|bytes| self.push(opcode::PONG, &payload, bytes))?,
            opcode::CLOSE => {
                check_close(&payload)?;
                payload.truncate(2);
                self.push(opcode::CLOSE, &payload, out.buffer());
                self.state = State::Closed;
                take(Event::Closed);
            }
            _ => {}
        }
        payload.clear();
        self.control = payload;
        Ok(())
    }

    /// Counts a frame without progress.
    fn count_empty_frame(&mut self) -> Result<(), WebSocketError> {
        self.barren += 1;
        if self.barren > BARREN_FRAMES_MAX { Err(WebSocketError::Flood) } else { Ok(()) }
    }
}

/// The content of a close frame: nothing, or a code and perhaps a reason.
fn check_close(payload: &[u8]) -> Result<(), WebSocketError> {
    match payload {
        [] => Ok(()),
        [a, b, reason @ ..] if code::may_be_sent(u16::from_be_bytes([*a, *b])) => {
            std::str::from_utf8(reason).map_err(|_| WebSocketError::Text).map(drop)
        }
        _ => Err(WebSocketError::Protocol),
    }
}
