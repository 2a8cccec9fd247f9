//! Settings: RFC 9113 section 6.5.

use super::frame::{self, kind};
use super::stream::{STREAM_WINDOW, WINDOW_MAX};
use super::{Http2Error, LIST_BYTES_MAX};

const HEADER_TABLE_SIZE: u16 = 1;
const ENABLE_PUSH: u16 = 2;
const MAX_CONCURRENT_STREAMS: u16 = 3;
const INITIAL_WINDOW_SIZE: u16 = 4;
const MAX_FRAME_SIZE: u16 = 5;
const MAX_HEADER_LIST_SIZE: u16 = 6;

/// The server's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Settings {
    /// The size that the table of header compression may have, in bytes.
    pub(super) table: usize,
    /// The limit of concurrent streams.
    pub(super) streams: usize,
    /// The bytes that each stream may send before the server opens its window further.
    pub(super) window: i64,
}

impl Settings {
    /// The protocol's defaults.
    pub(super) const INITIAL: Settings =
        Settings { table: 4096, streams: usize::MAX, window: 65_535 };

    /// Takes the payload of a SETTINGS frame.
    pub(super) fn apply(&mut self, payload: &[u8]) -> Result<(), Http2Error> {
        let (settings, rest) = payload.as_chunks::<6>();
        if !rest.is_empty() {
            return Err(Http2Error::FrameSize);
        }
        for [a, b, value @ ..] in settings {
            let value = u32::from_be_bytes(*value);
            match u16::from_be_bytes([*a, *b]) {
                HEADER_TABLE_SIZE => self.table = value as usize,
                // A server may not even allow itself to push.
                ENABLE_PUSH if value != 0 => return Err(Http2Error::Protocol),
                MAX_CONCURRENT_STREAMS => self.streams = value as usize,
                INITIAL_WINDOW_SIZE if i64::from(value) > WINDOW_MAX => {
                    return Err(Http2Error::FlowControl);
                }
                INITIAL_WINDOW_SIZE => self.window = value.into(),
                MAX_FRAME_SIZE if !(16_384..1 << 24).contains(&value) => {
                    return Err(Http2Error::Protocol);
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Appends the settings of the client: no pushes, wide windows, bounded heads.
pub(super) fn push(out: &mut Vec<u8>) {
    let settings = [
        (ENABLE_PUSH, 0),
        (INITIAL_WINDOW_SIZE, STREAM_WINDOW as u32),
        (MAX_HEADER_LIST_SIZE, LIST_BYTES_MAX as u32),
    ];
    frame::push_header(out, settings.len() * 6, kind::SETTINGS, 0, 0);
    for (name, value) in settings {
        out.extend_from_slice(&name.to_be_bytes());
        out.extend_from_slice(&value.to_be_bytes());
    }
}
