//! Tests of the client from its caller's view, against frames written by hand.

mod hostile;
mod responses;

use std::collections::VecDeque;

use super::frame::{self, kind};
use super::qpack::Encoder;
use super::*;
use crate::protocol::Capture;
use crate::protocol::http1::RequestHead;

const GET: RequestHead<'static> =
    RequestHead { method: "GET", host: "a", target: "/", headers: &[], body: &[] };
/// The server's control stream, and its other streams.
const CONTROL: u64 = 3;
const OTHER: u64 = 7;

/// A client with this many requests under way.
fn client(requests: u64) -> Client {
    let mut client = Client::new(Capture::All);
    for number in 0..requests {
        client.begin(4 * number, false, None);
    }
    client
}

/// The output of a server on one stream.
#[derive(Clone, Default)]
struct Script(Vec<u8>);

impl Script {
    fn frame(mut self, kind: u64, payload: &[u8]) -> Script {
        frame::push(&mut self.0, kind, payload);
        self
    }

    fn head(self, fields: &[(&str, &str)]) -> Script {
        let mut encoder = Encoder::new();
        for (name, value) in fields {
            encoder.push(name, value.as_bytes());
        }
        let block = encoder.finish().0;
        self.frame(kind::HEADERS, &block)
    }

    fn data(self, length: usize) -> Script {
        self.frame(kind::DATA, &vec![b'x'; length])
    }
}

fn script() -> Script {
    Script::default()
}

/// A script of a control stream, with empty settings.
fn control() -> Script {
    Script(vec![0]).frame(kind::SETTINGS, &[])
}

type Outcome = (Vec<Event>, Result<Option<Stop>, Http3Error>);

/// Feeds a stream in pieces of this many bytes, and its end if it has one: the events, and the
/// result.
fn feed(client: &mut Client, stream: u64, bytes: &[u8], size: usize, ends: bool) -> Outcome {
    let mut events = VecDeque::new();
    for piece in bytes.chunks(size) {
        match client.read(stream, piece, false, &mut events) {
            Ok(None) => {}
            Err(error) => {
                let again = client.read(stream, b"more", false, &mut events);
                assert_eq!((again, client.is_closing()), (Err(error), true));
                return (events.into(), Err(error));
            }
            stopped => return (events.into(), stopped),
        }
    }
    let result = if ends { client.read(stream, &[], true, &mut events) } else { Ok(None) };
    (events.into(), result)
}

/// The response to the first of two requests, which is the same however it is cut.
fn response(script: &Script) -> Outcome {
    let whole = feed(&mut client(2), 0, &script.0, usize::MAX, true);
    for size in [1, 3, 10] {
        assert_eq!(feed(&mut client(2), 0, &script.0, size, true), whole, "in pieces of {size}");
    }
    whole
}
