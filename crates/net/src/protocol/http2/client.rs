//! A client's end of a connection.

use std::collections::VecDeque;

use super::frame::{self, FrameReader, kind};
use super::hpack::{Decoder, Encoder};
use super::settings::{self, Settings};
use super::stream::{ReceiveWindow, STREAM_WINDOW, Stream};
use super::{Http2Error, code};
use crate::protocol::{Capture, Outbox, StreamEvent};

/// A client's first bytes.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// The highest number of a stream.
const ID_MAX: u32 = (1 << 31) - 1;

/// An event of a stream. Codes are those of RFC 9113, section 7.
pub type Event = StreamEvent<u32>;

/// A client's end of one connection.
#[derive(Debug)]
pub struct Client {
    frames: FrameReader,
    pub(super) decoder: Decoder,
    pub(super) encoder: Encoder,
    /// Open streams by their numbers, upwards.
    pub(super) streams: Vec<Stream>,
    pub(super) next_id: u32,
    most: usize,
    pub(super) server: Settings,
    /// Whether the server's first settings have arrived.
    pub(super) settings_read: bool,
    pub(super) send_window: i64,
    pub(super) receive_window: ReceiveWindow,
    /// A header block that is incomplete.
    pub(super) block: Option<Block>,
    pub(super) closing: bool,
    /// Consecutive frames without progress.
    pub(super) barren: u32,
    /// The kept parts of responses.
    pub(super) capture: Capture,
    failed: Option<Http2Error>,
}

/// A header block that comes in several frames.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) stream: u32,
    /// Whether the response ends with it.
    pub(super) ends: bool,
    pub(super) bytes: Vec<u8>,
}

impl Client {
    /// Opens a connection with at most this many concurrent streams, and appends its first bytes.
    /// Requests may follow at once. `capture` selects the kept parts of responses.
    #[must_use]
    pub fn open(most: usize, capture: Capture, out: &mut Vec<u8>) -> Client {
        out.extend_from_slice(PREFACE);
        settings::push(out);
        let server = Settings::INITIAL;
        let increment = STREAM_WINDOW - server.window;
        frame::push_number(out, kind::WINDOW_UPDATE, 0, increment as u32);
        Client {
            frames: FrameReader::default(),
            decoder: Decoder::new(),
            encoder: Encoder::new(),
            streams: Vec::new(),
            next_id: 1,
            most,
            server,
            settings_read: false,
            send_window: server.window,
            receive_window: ReceiveWindow::new(),
            block: None,
            closing: false,
            barren: 0,
            capture,
            failed: None,
        }
    }

    /// Whether another stream can be opened now.
    #[must_use]
    pub fn has_room(&self) -> bool {
        !self.is_closing() && self.streams.len() < self.most.min(self.server.streams)
    }

    /// The number of concurrent streams that the server allows, once it has said so.
    #[must_use]
    pub fn streams_allowed(&self) -> Option<usize> {
        self.settings_read.then_some(self.server.streams)
    }

    /// Whether no further stream will ever be opened: the server said so, or broke the rules, or
    /// the numbers are used up.
    #[must_use]
    pub fn is_closing(&self) -> bool {
        self.closing || self.failed.is_some() || self.next_id > ID_MAX
    }

    /// Feeds arrived bytes. Events are appended to `events`, and replies to `out`.
    ///
    /// # Errors
    /// The server's error. Close the connection then, after sending `out`. Earlier events are in
    /// `events`.
    pub fn read(
        &mut self,
        bytes: &[u8],
        out: &mut Outbox,
        events: &mut VecDeque<Event>,
    ) -> Result<(), Http2Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let mut frames = std::mem::take(&mut self.frames);
        let result = frames.read(bytes, |frame| self.dispatch(&frame, out, events));
        self.frames = frames;
        if let Err(error) = result {
            self.failed = Some(error);
            let mut payload = [0; 8];
            payload[4..].copy_from_slice(&error.code().to_be_bytes());
            frame::push(out.buffer(), kind::GOAWAY, 0, 0, &payload);
        }
        result
    }

    /// Ends a stream from this side, if it is open. Returns the size of the part of its request
    /// that was not sent, in bytes.
    pub fn reset(&mut self, stream: u32, out: &mut Outbox) -> u64 {
        let Some(place) = self.place(stream) else { return 0 };
        let unsent = self.streams.remove(place).unsent_bytes(out);
        frame::push_number(out.buffer(), kind::RST_STREAM, stream, code::CANCEL);
        unsent
    }

    /// The size of the part of a stream's request that was not sent, in bytes.
    #[must_use]
    pub fn unsent_bytes(&self, stream: u32, out: &Outbox) -> u64 {
        self.place(stream).map_or(0, |place| self.streams[place].unsent_bytes(out))
    }

    /// Removes a stream that ends, and reports the part of its request that was not sent.
    pub(super) fn remove(
        &mut self,
        place: usize,
        out: &Outbox,
        events: &mut VecDeque<Event>,
    ) -> Stream {
        let stream = self.streams.remove(place);
        let unsent = stream.unsent_bytes(out);
        if unsent > 0 {
            events.push_back(Event::CutShort { stream: stream.id, unsent });
        }
        stream
    }

    /// The index of an open stream in the list.
    pub(super) fn place(&self, stream: u32) -> Option<usize> {
        self.streams.binary_search_by_key(&stream, |it| it.id).ok()
    }
}
