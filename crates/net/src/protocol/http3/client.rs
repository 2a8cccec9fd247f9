//! A client's end of a connection.

use std::collections::VecDeque;

use thinktime_core::file::StreamFormat;

use super::control::{Control, Stop, of};
use super::frame::{self, kind};
use super::qpack::Encoder;
use super::stream::{Step, Stream};
use super::{Http3Error, LIST_BYTES_MAX, code, varint};
use crate::protocol::fields::request_fields;
use crate::protocol::http1::RequestHead;
use crate::protocol::response::Response;
use crate::protocol::{Capture, StreamEvent};

/// An event of a stream. Codes are those of RFC 9114, section 8.1.
pub type Event = StreamEvent<u64>;

/// A request in its form on a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodedRequest {
    /// Its frames.
    pub bytes: Vec<u8>,
    /// The size of its list of fields as RFC 9114 counts it: section 4.2.2.
    pub list_bytes: u64,
    /// Whether its response has a head only.
    pub head_only: bool,
    /// The format of its response, if that is a stream of events.
    pub events: Option<StreamFormat>,
}

/// A client's end of one connection.
#[derive(Debug)]
pub struct Client {
    /// Streams of requests that wait for responses, by their numbers, upwards.
    streams: Vec<Stream>,
    control: Control,
    capture: Capture,
    failed: Option<Http3Error>,
}

impl Client {
    /// A connection that keeps this much of responses.
    #[must_use]
    pub fn new(capture: Capture) -> Client {
        Client { streams: Vec::new(), control: Control::default(), capture, failed: None }
    }

    /// The content of the client's own streams, one each, which stay open: its settings, and empty
    /// streams of header compression.
    #[must_use]
    pub fn greeting() -> [Vec<u8>; 3] {
        // No dynamic table is the default of both sides, and need not be sent; heads are bounded.
        const MAX_FIELD_SECTION_SIZE: u64 = 0x6;
        let mut settings = Vec::new();
        varint::push(&mut settings, MAX_FIELD_SECTION_SIZE);
        varint::push(&mut settings, LIST_BYTES_MAX as u64);
        let mut control = vec![of::CONTROL as u8];
        frame::push(&mut control, kind::SETTINGS, &settings);
        [control, vec![of::ENCODER as u8], vec![of::DECODER as u8]]
    }

    /// Writes a request, which is the same on every connection.
    #[must_use]
    pub fn write(request: &RequestHead<'_>) -> EncodedRequest {
        let mut encoder = Encoder::new();
        request_fields(request, "https", |name, value, _| encoder.push(name, value));
        let (block, list_bytes) = encoder.finish();
        let mut bytes = Vec::with_capacity(block.len() + request.body.len() + 16);
        frame::push(&mut bytes, kind::HEADERS, &block);
        if !request.body.is_empty() {
            frame::push(&mut bytes, kind::DATA, request.body);
        }
        EncodedRequest { bytes, list_bytes, head_only: request.method == "HEAD", events: None }
    }

    /// Whether the server accepts a request's list of fields, as far as it has said.
    #[must_use]
    pub fn takes(&self, list_bytes: u64) -> bool {
        self.control.list_bytes_max.is_none_or(|most| list_bytes <= most)
    }

    /// A request goes over the stream of this number, which is larger than those before. The
    /// response is perhaps a stream of events.
    pub fn begin(&mut self, stream: u64, head_only: bool, events: Option<StreamFormat>) {
        self.control.empty_frames.reset();
        let mut response = Response::new(head_only, self.capture.place());
        if let Some(format) = events {
            response.await_events(format);
        }
        self.streams.push(Stream::new(stream, response));
    }

    /// Forgets an abandoned stream.
    pub fn forget(&mut self, stream: u64) {
        if let Some(place) = self.place(stream) {
            self.streams.remove(place);
        }
    }

    /// Whether no further request is possible: the server said so, or broke the rules.
    #[must_use]
    pub fn is_closing(&self) -> bool {
        self.control.gone_from.is_some() || self.failed.is_some()
    }

    /// Feeds the arrived data of a stream: one of a request, or one of the server's own. `ends`
    /// says that nothing follows. Events are appended to `events`; the result says whether to stop
    /// the stream.
    ///
    /// # Errors
    /// The server's error. Close the connection then with the error's code. Earlier events are in
    /// `events`.
    pub fn read(
        &mut self,
        stream: u64,
        bytes: &[u8],
        ends: bool,
        events: &mut VecDeque<Event>,
    ) -> Result<Option<Stop>, Http3Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let result = if is_request(stream) {
            self.respond(stream, bytes, ends, events)
        } else {
            self.read_control(stream, bytes, ends, events)
        };
        self.failed = result.err();
        result
    }

    /// The server has reset a stream with this code.
    ///
    /// # Errors
    /// If it is one that must stay open.
    pub fn reset(
        &mut self,
        stream: u64,
        code: u64,
        events: &mut VecDeque<Event>,
    ) -> Result<(), Http3Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        if !is_request(stream) {
            let result = self.control.reset(stream);
            self.failed = result.err();
            return result;
        }
        if let Some(place) = self.place(stream) {
            self.streams.remove(place);
            events.push_back(match code {
                code::REQUEST_REJECTED => Event::Unprocessed { stream, others_taken: false },
                _ => Event::Reset { stream, code },
            });
        }
        Ok(())
    }

    /// A part of a response.
    fn respond(
        &mut self,
        id: u64,
        mut bytes: &[u8],
        ends: bool,
        events: &mut VecDeque<Event>,
    ) -> Result<Option<Stop>, Http3Error> {
        let Some(place) = self.place(id) else { return Ok(None) };
        while let Some(step) = self.step(place, &mut bytes, events)? {
            match step {
                Step::On => {}
                Step::EmptyFrames => self.control.empty_frames.count()?,
                Step::Data => self.control.empty_frames.reset(),
                Step::Over(status) => {
                    self.complete(place, status, events);
                    return Ok(Some(Stop { code: code::REQUEST_CANCELLED }));
                }
                Step::Malformed => return Ok(Some(self.malformed(place, events))),
            }
        }
        if !ends {
            return Ok(None);
        }
        match self.streams[place].end()? {
            Some(status) => {
                self.complete(place, status, events);
                Ok(None)
            }
            None => Ok(Some(self.malformed(place, events))),
        }
    }

    /// Takes the next part of a frame off the bytes: its effect, if a part is available.
    fn step(
        &mut self,
        place: usize,
        bytes: &mut &[u8],
        events: &mut VecDeque<Event>,
    ) -> Result<Option<Step>, Http3Error> {
        let stream = &mut self.streams[place];
        let (begun, before) = (stream.response.begun, bytes.len());
        let step = stream.take(bytes, self.capture != Capture::Nothing)?;
        stream.response.bytes += (before - bytes.len()) as u64;
        if !begun && stream.response.begun {
            events.push_back(Event::Begun { stream: stream.id });
        }
        events.extend(stream.response.news(stream.id));
        Ok(step)
    }

    fn complete(&mut self, place: usize, status: u16, events: &mut VecDeque<Event>) {
        self.control.empty_frames.reset();
        let Stream { id: stream, response, .. } = self.streams.remove(place);
        let Response { bytes, server_time, excerpt, .. } = response;
        events.push_back(Event::Complete { stream, status, bytes, server_time, excerpt });
    }

    fn malformed(&mut self, place: usize, events: &mut VecDeque<Event>) -> Stop {
        let stream = self.streams.remove(place).id;
        events.push_back(Event::Malformed { stream });
        Stop { code: code::MESSAGE_ERROR }
    }

    /// Data on a stream of the server's own.
    fn read_control(
        &mut self,
        id: u64,
        bytes: &[u8],
        ends: bool,
        events: &mut VecDeque<Event>,
    ) -> Result<Option<Stop>, Http3Error> {
        let result = self.control.read(id, bytes, ends);
        if let Some(from) = self.control.gone_from {
            let remaining = self.streams.partition_point(|stream| stream.id < from);
            for stream in self.streams.drain(remaining..) {
                let others_taken = from > 0;
                events.push_back(Event::Unprocessed { stream: stream.id, others_taken });
            }
        }
        result
    }

    /// The index of a stream in the list.
    fn place(&self, stream: u64) -> Option<usize> {
        self.streams.binary_search_by_key(&stream, |it| it.id).ok()
    }
}

/// Whether a stream is one of requests: opened by the client, bidirectional.
fn is_request(stream: u64) -> bool {
    stream.is_multiple_of(4)
}
