//! The log of the 1998 World Cup's site: binary records of 20 bytes, big-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 0 to 3 | seconds since 1970 |
//! | 4 to 7 | client |
//! | 8 to 11 | object |
//! | 12 to 15 | size in bytes; all ones for none |
//! | 16 | method |
//! | 17 | 2 bits protocol, 6 bits status |
//! | 18 | type of the object |
//! | 19 | server |
//!
//! Clients and objects are numbers only. A path is made of an object's number and an ending that
//! fits its type, as in `/4505.html`.

use std::borrow::Cow;
use std::io::Write;
use std::sync::Arc;

use super::{Cut, Format, FormatEntry, Take};
use crate::entry::Entry;
use crate::reason::Reason;
use crate::time::{Clock, SECOND};

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "worldcup",
    summary: "the log of the 1998 World Cup's site, in binary records",
    source: "https://ita.ee.lbl.gov/html/contrib/WorldCup.html",
    example: "",
    argument: None,
    open: |_, _| Ok(Some(Arc::new(WorldCup) as Arc<dyn Format>)),
};

const METHODS: [&[u8]; 9] =
    [b"GET", b"HEAD", b"POST", b"PUT", b"DELETE", b"TRACE", b"OPTIONS", b"CONNECT", b"OTHER"];
const PROTOCOLS: [&[u8]; 4] = [b"HTTP/0.9", b"HTTP/1.0", b"HTTP/1.1", b""];
/// The first status of each run of codes, with its place: 2xx begin at 2, and so on.
const STATUSES: [(u8, u16); 5] = [(31, 500), (15, 400), (9, 300), (2, 200), (0, 100)];
const STATUS_OTHER: u8 = 37;
/// HTML, image, audio, video, Java, formatted, dynamic, text, compressed, programs, directory,
/// ICL, other.
const ENDINGS: [&str; 13] = [
    ".html", ".gif", ".au", ".mpg", ".class", ".pdf", ".cgi", ".txt", ".gz", ".exe", "/", ".icl",
    "",
];

/// Records of 20 bytes.
#[derive(Debug)]
struct WorldCup;

impl Format for WorldCup {
    fn cut(&self) -> Cut {
        Cut::Records(20)
    }

    fn read(&self, record: &[u8], _clock: &mut Clock, take: &mut Take<'_>) -> Result<(), Reason> {
        let number = |place: usize| {
            let bytes = record.get(place..).and_then(|rest| rest.first_chunk::<4>());
            bytes.map(|bytes| u32::from_be_bytes(*bytes)).ok_or(Reason::NotThisFormat)
        };
        let &[method, protocol_status, kind, _server] = record.get(16..).unwrap_or_default() else {
            return Err(Reason::NotThisFormat);
        };
        let method = METHODS.get(usize::from(method)).ok_or(Reason::NotThisFormat)?;
        let ending = ENDINGS.get(usize::from(kind)).ok_or(Reason::NotThisFormat)?;
        let (time, client, object, size) = (number(0)?, number(4)?, number(8)?, number(12)?);
        if time == 0 {
            return Err(Reason::NoTime);
        }
        let (mut address, mut path) = ([0; 10], [0; 20]);
        take(&Entry {
            time_ns: i64::from(time) * SECOND,
            resolution_ns: SECOND as u64,
            address: written(&mut address, format_args!("{client}")),
            method: Cow::Borrowed(method),
            path: written(&mut path, format_args!("/{object}{ending}")),
            protocol: Cow::Borrowed(PROTOCOLS[usize::from(protocol_status >> 6)]),
            status: status(protocol_status & 63)?,
            bytes: (size != u32::MAX).then_some(u64::from(size)),
            ..Entry::default()
        });
        Ok(())
    }
}

/// A short text, written to a buffer on the stack that is large enough.
fn written<'b>(buffer: &'b mut [u8], text: std::fmt::Arguments<'_>) -> Cow<'b, [u8]> {
    let whole = buffer.len();
    let mut rest = &mut *buffer;
    // It cannot fail: the buffer holds the longest number.
    let _ = rest.write_fmt(text);
    let length = whole - rest.len();
    Cow::Borrowed(&buffer[..length])
}

fn status(place: u8) -> Result<Option<u16>, Reason> {
    if place >= STATUS_OTHER {
        return if place == STATUS_OTHER { Ok(None) } else { Err(Reason::BadStatus) };
    }
    let run = STATUSES.iter().find(|run| run.0 <= place);
    Ok(run.map(|(first, code)| code + u16::from(place - first)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_statuses() {
        // From `definitions.h` of the trace's tools.
        for (place, code) in [
            (0, 100),
            (1, 101),
            (2, 200),
            (8, 206),
            (9, 300),
            (13, 304),
            (14, 305),
            (15, 400),
            (19, 404),
            (30, 415),
            (31, 500),
            (36, 505),
        ] {
            assert_eq!(status(place), Ok(Some(code)));
        }
        assert_eq!((status(37), status(38)), (Ok(None), Err(Reason::BadStatus)));
    }
}
