//! The client's handling of each kind of frame.

use std::collections::VecDeque;

use super::client::{Block, Client, Event};
use super::frame::{self, Frame, flag, kind, number};
use super::stream::WINDOW_MAX;
use super::{BARREN_FRAMES_MAX, BLOCK_BYTES_MAX, Http2Error, code};
use crate::protocol::head::Head;
use crate::protocol::response::{Malformed, Response};
use crate::protocol::{Capture, Outbox};

type Done = Result<(), Http2Error>;

impl Client {
    pub(super) fn dispatch(
        &mut self,
        frame: &Frame<'_>,
        out: &mut Outbox,
        events: &mut VecDeque<Event>,
    ) -> Done {
        let settings = frame.kind == kind::SETTINGS && !frame.has(flag::ACK);
        // Settings come first, and nothing comes between the parts of a header block.
        if !(self.settings_read || settings)
            || (self.block.is_some() && frame.kind != kind::CONTINUATION)
        {
            return Err(Http2Error::Protocol);
        }
        match frame.kind {
            kind::DATA => self.data(frame, out, events),
            kind::HEADERS => self.headers(frame, out, events),
            kind::CONTINUATION => self.continuation(frame, out, events),
            kind::RST_STREAM => self.reset_by_server(frame, out, events),
            kind::SETTINGS => self.settings(frame, out),
            kind::PING => self.ping(frame, out),
            kind::GOAWAY => self.go_away(frame, out, events),
            kind::WINDOW_UPDATE => self.window_update(frame, out, events),
            kind::PUSH_PROMISE => Err(Http2Error::Protocol),
            kind::PRIORITY if frame.payload.len() != 5 => Err(Http2Error::FrameSize),
            _ => self.count_empty_frame(),
        }
    }

    /// Counts a frame without progress.
    fn count_empty_frame(&mut self) -> Done {
        self.barren += 1;
        if self.barren > BARREN_FRAMES_MAX { Err(Http2Error::Flood) } else { Ok(()) }
    }

    /// The index of a frame's stream: nothing if it is closed.
    fn place_of(&self, frame: &Frame<'_>) -> Result<Option<usize>, Http2Error> {
        if frame.stream.is_multiple_of(2) || frame.stream >= self.next_id {
            return Err(Http2Error::Protocol);
        }
        Ok(self.place(frame.stream))
    }

    fn data(&mut self, frame: &Frame<'_>, out: &mut Outbox, events: &mut VecDeque<Event>) -> Done {
        let place = self.place_of(frame)?;
        let length = frame.payload.len();
        if !self.receive_window.take(length) {
            return Err(Http2Error::FlowControl);
        }
        if let Some(increment) = self.receive_window.refill() {
            frame::push_number(out.buffer(), kind::WINDOW_UPDATE, 0, increment);
        }
        let (data, ends) = (frame.unpadded()?, frame.has(flag::END_STREAM));
        if data.is_empty() && !ends {
            self.count_empty_frame()?;
        }
        let Some(place) = place else { return Ok(()) };
        let stream = &mut self.streams[place];
        if !stream.receive_window.take(length) {
            return Err(Http2Error::FlowControl);
        }
        stream.response.bytes += frame.bytes();
        let first = stream.response.messages.is_some() && !data.is_empty();
        if first && !std::mem::replace(&mut stream.response.begun, true) {
            events.push_back(Event::Begun { stream: frame.stream });
        }
        let result = stream.response.data(data, ends);
        events.extend(stream.response.news(frame.stream));
        if !ends && let Some(increment) = stream.receive_window.refill() {
            frame::push_number(out.buffer(), kind::WINDOW_UPDATE, frame.stream, increment);
        }
        if !data.is_empty() {
            self.barren = 0;
        }
        self.take_progress(place, result, out, events);
        Ok(())
    }

    fn headers(
        &mut self,
        frame: &Frame<'_>,
        out: &mut Outbox,
        events: &mut VecDeque<Event>,
    ) -> Done {
        let place = self.place_of(frame)?;
        let mut block = frame.unpadded()?;
        if frame.has(flag::PRIORITY) {
            block = block.get(5..).ok_or(Http2Error::FrameSize)?;
        }
        if let Some(place) = place {
            let response = &mut self.streams[place].response;
            response.bytes += frame.bytes();
            // If messages are counted, a response begins with the first of them.
            if response.messages.is_none() && !std::mem::replace(&mut response.begun, true) {
                events.push_back(Event::Begun { stream: frame.stream });
            }
        }
        let ends = frame.has(flag::END_STREAM);
        if frame.has(flag::END_HEADERS) {
            return self.head(frame.stream, ends, block, out, events);
        }
        self.block = Some(Block { stream: frame.stream, ends, bytes: block.to_vec() });
        Ok(())
    }

    fn continuation(
        &mut self,
        frame: &Frame<'_>,
        out: &mut Outbox,
        events: &mut VecDeque<Event>,
    ) -> Done {
        let mut block = self.block.take().ok_or(Http2Error::Protocol)?;
        if block.stream != frame.stream {
            return Err(Http2Error::Protocol);
        }
        if frame.payload.is_empty() {
            self.count_empty_frame()?;
        }
        if let Some(place) = self.place(frame.stream) {
            self.streams[place].response.bytes += frame.bytes();
        }
        block.bytes.extend_from_slice(frame.payload);
        if block.bytes.len() > BLOCK_BYTES_MAX {
            return Err(Http2Error::HeadTooLarge);
        }
        if frame.has(flag::END_HEADERS) {
            return self.head(block.stream, block.ends, &block.bytes, out, events);
        }
        self.block = Some(block);
        Ok(())
    }

    /// Reads a header block, even if nobody waits for it: later blocks refer to it.
    fn head(
        &mut self,
        stream: u32,
        ends: bool,
        block: &[u8],
        out: &mut Outbox,
        events: &mut VecDeque<Event>,
    ) -> Done {
        let mut head = Head::new("HTTP/2", self.capture != Capture::Nothing);
        self.decoder.read(block, |name, value| head.take(name, value))?;
        if !ends {
            // The number of interim heads is limited; data after a final one makes progress.
            self.count_empty_frame()?;
        }
        let Some(place) = self.place(stream) else { return Ok(()) };
        let result = self.streams[place].response.head(&head, ends);
        self.take_progress(place, result, out, events);
        Ok(())
    }

    /// A stream took a part of its response.
    fn take_progress(
        &mut self,
        place: usize,
        result: Result<Option<u16>, Malformed>,
        out: &mut Outbox,
        events: &mut VecDeque<Event>,
    ) {
        if result == Ok(None) {
            return;
        }
        let stream = self.remove(place, out, events);
        let id = stream.id;
        if let Ok(Some(status)) = result {
            self.barren = 0;
            let Response { bytes, server_time, excerpt, enough, .. } = stream.response;
            events.push_back(Event::Complete { stream: id, status, bytes, server_time, excerpt });
            if enough || !stream.unsent.is_empty() {
                // The server answers before the request is complete and needs no rest; or it would
                // send more than anybody waits for.
                frame::push_number(out.buffer(), kind::RST_STREAM, id, code::CANCEL);
            }
        } else {
            events.push_back(Event::Malformed { stream: id });
            frame::push_number(out.buffer(), kind::RST_STREAM, id, code::PROTOCOL_ERROR);
        }
    }

    fn reset_by_server(
        &mut self,
        frame: &Frame<'_>,
        out: &Outbox,
        events: &mut VecDeque<Event>,
    ) -> Done {
        let code = number(frame.payload)?;
        let Some(place) = self.place_of(frame)? else { return self.count_empty_frame() };
        let stream = self.remove(place, out, events).id;
        events.push_back(match code {
            code::REFUSED_STREAM => Event::Unprocessed { stream, others_taken: false },
            _ => Event::Reset { stream, code },
        });
        Ok(())
    }

    fn settings(&mut self, frame: &Frame<'_>, out: &mut Outbox) -> Done {
        if frame.stream != 0 {
            return Err(Http2Error::Protocol);
        }
        if frame.has(flag::ACK) {
            return if frame.payload.is_empty() {
                self.count_empty_frame()
            } else {
                Err(Http2Error::FrameSize)
            };
        }
        let before = self.server.window;
        self.server.apply(frame.payload)?;
        self.settings_read = true;
        self.encoder.allow(self.server.table);
        for stream in &mut self.streams {
            stream.send_window += self.server.window - before;
            if stream.send_window > WINDOW_MAX {
                return Err(Http2Error::FlowControl);
            }
        }
        out.reply(|bytes| frame::push(bytes, kind::SETTINGS, flag::ACK, 0, &[]))?;
        self.send_bodies(out);
        self.count_empty_frame()
    }

    fn ping(&mut self, frame: &Frame<'_>, out: &mut Outbox) -> Done {
        if frame.stream != 0 {
            return Err(Http2Error::Protocol);
        }
        if frame.payload.len() != 8 {
            return Err(Http2Error::FrameSize);
        }
        if !frame.has(flag::ACK) {
            out.reply(|bytes| frame::push(bytes, kind::PING, flag::ACK, 0, frame.payload))?;
        }
        self.count_empty_frame()
    }

    /// The server takes no new streams, and has not processed those above a number.
    fn go_away(&mut self, frame: &Frame<'_>, out: &Outbox, events: &mut VecDeque<Event>) -> Done {
        if frame.stream != 0 {
            return Err(Http2Error::Protocol);
        }
        let last = number(frame.payload.get(..4).ok_or(Http2Error::FrameSize)?)? & 0x7fff_ffff;
        if frame.payload.len() < 8 {
            return Err(Http2Error::FrameSize);
        }
        self.closing = true;
        let remaining = self.streams.partition_point(|stream| stream.id <= last);
        while self.streams.len() > remaining {
            let stream = self.remove(remaining, out, events).id;
            events.push_back(Event::Unprocessed { stream, others_taken: last > 0 });
        }
        self.count_empty_frame()
    }

    fn window_update(
        &mut self,
        frame: &Frame<'_>,
        out: &mut Outbox,
        events: &mut VecDeque<Event>,
    ) -> Done {
        let increment = i64::from(number(frame.payload)? & 0x7fff_ffff);
        if frame.stream == 0 {
            self.send_window += increment;
            if increment == 0 {
                return Err(Http2Error::Protocol);
            }
            if self.send_window > WINDOW_MAX {
                return Err(Http2Error::FlowControl);
            }
        } else if let Some(place) = self.place_of(frame)? {
            let stream = &mut self.streams[place];
            stream.send_window += increment;
            if increment == 0 {
                self.take_progress(place, Err(Malformed), out, events);
            } else if stream.send_window > WINDOW_MAX {
                let stream = self.remove(place, out, events).id;
                events.push_back(Event::FlowControl { stream });
                let code = code::FLOW_CONTROL_ERROR;
                frame::push_number(out.buffer(), kind::RST_STREAM, stream, code);
            }
        }
        self.send_bodies(out);
        Ok(())
    }
}
