//! Writes requests.

use thinktime_core::file::StreamFormat;

use super::client::Client;
use super::frame::{self, flag, kind};
use super::hpack::Indexing;
use super::stream::Stream;
use crate::protocol::Outbox;
use crate::protocol::fields::request_fields;
use crate::protocol::grpc::MessageCount;
use crate::protocol::http1::RequestHead;
use crate::protocol::response::Response;

/// A request that has begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SentRequest {
    /// The number of its stream.
    pub stream: u32,
    /// Its size in bytes: its frames with their headers, whether or not they were written yet.
    pub bytes: u64,
}

impl Client {
    /// Opens a stream with a request, and appends as much of it as the server allows; the rest
    /// follows as windows open. Ask [`Client::has_room`] first. `scheme` is `http` or `https`.
    ///
    /// Content-Length is added if there is a body or the method suggests one. Fields about a
    /// connection of HTTP/1.1 are left out.
    pub fn request(
        &mut self,
        request: &RequestHead<'_>,
        scheme: &str,
        out: &mut Outbox,
    ) -> SentRequest {
        let stream = self.next_id;
        self.next_id += 2;
        self.barren = 0;
        let before = out.written();
        let block = self.block(request, scheme);
        self.push_block(stream, &block, request.body.is_empty(), out.buffer());
        let head = out.written() - before;
        let response = Response::new(request.method == "HEAD", self.capture.place());
        let mut own = Stream::new(stream, self.server.window, response);
        own.unsent = request.body.to_vec();
        own.note_frame(head as usize, out);
        self.streams.push(own);
        let bytes = head + frame::framed(request.body.len());
        self.send_bodies(out);
        SentRequest { stream, bytes }
    }

    /// Ends the response to a request that has just begun after this many messages of gRPC, if the
    /// server does not end it before. [`Event::Begun`](super::Event::Begun) then marks the first of
    /// them.
    pub fn await_messages(&mut self, stream: u32, wanted: u64) {
        if let Some(place) = self.place(stream) {
            self.streams[place].response.messages = Some(MessageCount::new(wanted));
        }
    }

    /// Counts the events of the response to a request that has just begun.
    pub fn await_events(&mut self, stream: u32, format: StreamFormat) {
        if let Some(place) = self.place(stream) {
            self.streams[place].response.await_events(format);
        }
    }

    /// The header block of a request.
    fn block(&mut self, request: &RequestHead<'_>, scheme: &str) -> Vec<u8> {
        let (encoder, mut block) = (&mut self.encoder, Vec::with_capacity(256));
        encoder.begin(&mut block);
        request_fields(request, scheme, |name, value, again| {
            let keep = if again { Indexing::Yes } else { Indexing::No };
            encoder.push(&mut block, name, value, keep);
        });
        block
    }

    /// Appends a header block in as many frames as needed.
    fn push_block(&self, stream: u32, block: &[u8], ends: bool, out: &mut Vec<u8>) {
        let mut rest = block;
        let mut first = true;
        while first || !rest.is_empty() {
            let (part, after) = rest.split_at(rest.len().min(frame::PAYLOAD_MAX));
            rest = after;
            let last = if rest.is_empty() { flag::END_HEADERS } else { 0 };
            if first {
                let ends = if ends { flag::END_STREAM } else { 0 };
                frame::push(out, kind::HEADERS, ends | last, stream, part);
            } else {
                frame::push(out, kind::CONTINUATION, last, stream, part);
            }
            first = false;
        }
    }

    /// Appends the part of waiting bodies that the windows allow.
    pub(super) fn send_bodies(&mut self, out: &mut Outbox) {
        for stream in &mut self.streams {
            let mut sent = 0;
            while sent < stream.unsent.len() {
                let window = self.send_window.min(stream.send_window).max(0);
                let room = usize::try_from(window).unwrap_or(0).min(frame::PAYLOAD_MAX);
                let part = &stream.unsent[sent..];
                let part = &part[..part.len().min(room)];
                if part.is_empty() {
                    break;
                }
                sent += part.len();
                let ends = if sent == stream.unsent.len() { flag::END_STREAM } else { 0 };
                let length = part.len();
                frame::push(out.buffer(), kind::DATA, ends, stream.id, part);
                stream.note_frame(frame::HEADER_BYTES + length, out);
                self.send_window -= length as i64;
                stream.send_window -= length as i64;
            }
            stream.unsent.drain(..sent);
        }
    }
}
