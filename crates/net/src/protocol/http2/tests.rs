//! Tests of the client from its caller's view, against frames written by hand.

mod hostile;
mod streams;

use std::collections::VecDeque;

use super::frame::{self, FrameReader, flag, kind};
use super::hpack::{Encoder, Indexing};
use super::*;
use crate::protocol::http1::RequestHead;
use crate::protocol::{Capture, Outbox, REPLY_BYTES_MAX};

const GET: RequestHead<'static> =
    RequestHead { method: "GET", host: "a", target: "/", headers: &[], body: &[] };

/// A client with this many requests sent and all output until then discarded.
fn client(requests: usize) -> (Client, Outbox) {
    let mut out = Outbox::default();
    let mut client = Client::open(STREAMS_MAX, Capture::Nothing, out.buffer());
    for _ in 0..requests {
        assert!(client.has_room());
        client.request(&GET, "http", &mut out);
    }
    out.discard();
    (client, out)
}

/// The output of a server.
struct Script {
    bytes: Vec<u8>,
    encoder: Encoder,
}

/// A script that begins with empty settings.
fn script() -> Script {
    Script { bytes: Vec::new(), encoder: Encoder::new() }.frame(kind::SETTINGS, 0, 0, &[])
}

impl Script {
    fn frame(mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Script {
        frame::push(&mut self.bytes, kind, flags, stream, payload);
        self
    }

    fn block(&mut self, fields: &[(&str, &str)]) -> Vec<u8> {
        let mut block = Vec::new();
        for (name, value) in fields {
            self.encoder.push(&mut block, name, value.as_bytes(), Indexing::Yes);
        }
        block
    }

    fn head(mut self, stream: u32, flags: u8, fields: &[(&str, &str)]) -> Script {
        let block = self.block(fields);
        self.frame(kind::HEADERS, flags | flag::END_HEADERS, stream, &block)
    }

    fn data(self, stream: u32, flags: u8, length: usize) -> Script {
        self.frame(kind::DATA, flags, stream, &vec![b'x'; length])
    }

    /// A setting of the server.
    fn setting(self, name: u16, value: u32) -> Script {
        let payload = [&name.to_be_bytes()[..], &value.to_be_bytes()].concat();
        self.frame(kind::SETTINGS, 0, 0, &payload)
    }
}

/// An output that has sent more than any client here wrote.
fn emptied() -> Outbox {
    let mut out = Outbox::default();
    out.buffer().resize(1 << 20, 0);
    out.discard();
    out
}

/// Feeds pieces of this many bytes: the events, the output, and the result.
fn feed(
    client: &mut Client,
    bytes: &[u8],
    size: usize,
) -> (Vec<Event>, Vec<u8>, Result<(), Http2Error>) {
    let (mut events, mut out) = (VecDeque::new(), emptied());
    for piece in bytes.chunks(size) {
        if let Err(error) = client.read(piece, &mut out, &mut events) {
            assert_eq!(client.read(b"more", &mut out, &mut events), Err(error));
            return (events.into(), out.unsent().to_vec(), Err(error));
        }
    }
    (events.into(), out.unsent().to_vec(), Ok(()))
}

/// The events of a script that breaks no rule.
fn events(client: &mut Client, script: &Script) -> Vec<Event> {
    let (events, _, result) = feed(client, &script.bytes, usize::MAX);
    assert_eq!(result, Ok(()));
    events
}

/// The kinds and streams of the frames that were written.
fn written(out: &[u8]) -> Vec<(u8, u32)> {
    let mut frames = Vec::new();
    let read = FrameReader::default().read(out, |frame| {
        frames.push((frame.kind, frame.stream));
        Ok(())
    });
    assert_eq!(read, Ok(()));
    frames
}
