//! PostgreSQL: an input is a server's answer to a statement, and again to a login. The result does
//! not depend on how it is cut, and the buffers for a server that reads nothing are bounded.

use thinktime_net::protocol::postgresql::{Client, Event, HELD_BYTES_MAX, Login, StatementId};
use thinktime_net::protocol::{Outbox, REPLY_BYTES_MAX};

use super::PIECES;
use crate::Target;

pub(super) const TARGET: Target = Target {
    name: "postgresql",
    examples: None,
    words: &[
        "R\0\0\0\u{8}\0\0\0\0",
        "R\0\0\0\u{8}\0\0\0\u{3}",
        "Z\0\0\0\u{5}I",
        "1\0\0\0\u{4}",
        "D\0\0\0\u{6}\0\0",
        "T\0\0\0\u{6}\0\0",
        "E\0\0\0",
        "C40001\0",
        "SCRAM-SHA-256\0\0",
    ],
    bytes_max: 100_000,
    tried: 20_000,
    read,
};

/// The messages of a server that admits everybody.
const ADMITTED: &[u8] = b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I";

fn read(bytes: &[u8]) {
    for admitted in [true, false] {
        for keeping in [true, false] {
            let whole = heard(bytes, bytes.len(), admitted, keeping);
            for size in PIECES {
                let heard = heard(bytes, size, admitted, keeping);
                assert_eq!(heard, whole, "in pieces of {size}, {admitted}, {keeping}");
            }
        }
    }
}

/// The events, the size of the output, the kept data, and the error of the connection.
type Heard = (Vec<Event>, usize, Vec<u8>, Option<&'static str>);

fn heard(bytes: &[u8], size: usize, admitted: bool, keeping: bool) -> Heard {
    let (mut out, mut events, mut broken) = (Outbox::default(), Vec::new(), None);
    let (user, password) = ("a".to_owned(), Some("b".to_owned()));
    let login = Login { user, database: "c".to_owned(), password };
    let mut client = Client::open(login.into(), keeping, out.buffer());
    if admitted {
        assert!(client.read(ADMITTED, &mut out, |_| {}).is_ok() && client.is_ready());
        let id = Some(StatementId { kind: 0, place: 0 });
        client.execute(id, "select $1", [Some(&b"1"[..])].into_iter(), out.buffer());
    }
    for piece in bytes.chunks(size.max(1)) {
        if let Err(error) = client.read(piece, &mut out, |event| events.push(event)) {
            broken = Some(error.kind());
            break;
        }
    }
    assert!(out.unsent().len() <= REPLY_BYTES_MAX + 1000, "{}", out.unsent().len());
    let (kept, _) = client.take_excerpt();
    assert!(kept.len() <= HELD_BYTES_MAX, "{}", kept.len());
    (events, out.unsent().len(), kept, broken)
}
