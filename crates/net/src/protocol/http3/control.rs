//! The server's own streams, RFC 9114 section 6.2.

use super::frame::{FrameReader, Piece, kind};
use super::{BARREN_FRAMES_MAX, Http3Error, SETTINGS_BYTES_MAX, code, varint};

/// A stream must be stopped: its further input is ignored, and its unsent output is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stop {
    /// The reason for the server.
    pub code: u64,
}

/// The types of unidirectional streams, by their first bytes.
pub(super) mod of {
    pub(crate) const CONTROL: u64 = 0x0;
    pub(crate) const PUSH: u64 = 0x1;
    pub(crate) const ENCODER: u64 = 0x2;
    pub(crate) const DECODER: u64 = 0x3;
}

const MAX_FIELD_SECTION_SIZE: u64 = 0x6;

/// The streams that the server has opened, and their content.
#[derive(Debug, Default)]
pub(super) struct Control {
    streams: Vec<(u64, Kind)>,
    /// The unique streams that have arrived.
    seen: [bool; 4],
    /// Whether the settings have arrived.
    settings_read: bool,
    /// The largest list of fields that the server accepts, in bytes; nothing if not given.
    pub(super) list_bytes_max: Option<u64>,
    /// The first request that the server will never process, if it goes away.
    pub(super) gone_from: Option<u64>,
    /// The connection's count of steps without progress.
    pub(super) empty_frames: EmptyFrames,
}

/// Consecutive frames, instructions and streams without progress for a response.
#[derive(Debug, Default)]
pub(super) struct EmptyFrames(u32);

impl EmptyFrames {
    /// One more.
    pub(super) fn count(&mut self) -> Result<(), Http3Error> {
        self.0 += 1;
        if self.0 > BARREN_FRAMES_MAX { Err(Http3Error::Flood) } else { Ok(()) }
    }

    /// Progress was made.
    pub(super) fn reset(&mut self) {
        self.0 = 0;
    }
}

/// The type of a stream.
#[derive(Debug)]
enum Kind {
    /// Not known yet: this many bytes of its type arrived.
    Untold([u8; 8], usize),
    /// The control stream, and the received part of an incomplete frame.
    Control(FrameReader, Vec<u8>),
    /// The encoder's, which can only repeat that there is no table.
    Encoder,
    /// The decoder's, and the received bytes of an incomplete number.
    Decoder(u8),
}

impl Control {
    /// Takes the arrived bytes of a stream; says whether it must be stopped.
    pub(super) fn read(
        &mut self,
        id: u64,
        mut bytes: &[u8],
        ends: bool,
    ) -> Result<Option<Stop>, Http3Error> {
        let place = self.streams.iter().position(|(own, _)| *own == id);
        let (_, mut kind) = match place {
            Some(place) => self.streams.swap_remove(place),
            None => (id, Kind::Untold([0; 8], 0)),
        };
        if let Kind::Untold(held, count) = &mut kind {
            match stream_kind(held, count, &mut bytes) {
                Some(told) => match self.begin(told)? {
                    Some(begun) => kind = begun,
                    None => return Ok(Some(Stop { code: code::STREAM_CREATION_ERROR })),
                },
                None if ends => return Ok(None),
                None => {}
            }
        }
        match &mut kind {
            Kind::Untold(..) => {}
            Kind::Control(frames, held) => {
                while let Some(piece) = frames.next(&mut bytes) {
                    self.frame(&piece, held)?;
                }
            }
            Kind::Encoder => self.encoder(bytes)?,
            Kind::Decoder(more) => self.decoder(more, bytes)?,
        }
        if ends && !matches!(kind, Kind::Untold(..)) {
            return Err(Http3Error::ClosedCriticalStream);
        }
        self.streams.push((id, kind));
        Ok(None)
    }

    /// The server has reset a stream.
    pub(super) fn reset(&mut self, id: u64) -> Result<(), Http3Error> {
        let place = self.streams.iter().position(|(own, _)| *own == id);
        match place.map(|place| self.streams.swap_remove(place).1) {
            None | Some(Kind::Untold(..)) => Ok(()),
            Some(_) => Err(Http3Error::ClosedCriticalStream),
        }
    }

    /// A stream of this type begins: nothing for an unknown type.
    fn begin(&mut self, told: u64) -> Result<Option<Kind>, Http3Error> {
        let kind = match told {
            of::CONTROL => Kind::Control(FrameReader::default(), Vec::new()),
            of::ENCODER => Kind::Encoder,
            of::DECODER => Kind::Decoder(0),
            // The client allows no pushes.
            of::PUSH => return Err(Http3Error::Id),
            _ => return self.empty_frames.count().map(|()| None),
        };
        let second = std::mem::replace(&mut self.seen[told as usize], true);
        if second { Err(Http3Error::StreamCreation) } else { Ok(Some(kind)) }
    }

    /// A part of a frame of the control stream.
    fn frame(&mut self, piece: &Piece<'_>, held: &mut Vec<u8>) -> Result<(), Http3Error> {
        match *piece {
            Piece::Begin { kind, length } => self.may_begin(kind, length),
            Piece::Payload { kind: kind @ (kind::SETTINGS | kind::GOAWAY), bytes, last } => {
                held.extend_from_slice(bytes);
                if !last {
                    return Ok(());
                }
                let payload = std::mem::take(held);
                if kind == kind::SETTINGS { self.settings(&payload) } else { self.goaway(&payload) }
            }
            Piece::Payload { .. } => Ok(()),
        }
    }

    fn may_begin(&mut self, kind: u64, length: u64) -> Result<(), Http3Error> {
        let settings = kind == kind::SETTINGS;
        if !self.settings_read && !settings {
            return Err(Http3Error::MissingSettings);
        }
        match kind {
            kind::SETTINGS if self.settings_read => Err(Http3Error::FrameUnexpected),
            kind::SETTINGS | kind::GOAWAY if length > SETTINGS_BYTES_MAX as u64 => {
                Err(Http3Error::Flood)
            }
            kind::SETTINGS => Ok(()),
            kind::DATA | kind::HEADERS | kind::PUSH_PROMISE | kind::MAX_PUSH_ID => {
                Err(Http3Error::FrameUnexpected)
            }
            // No pushes exist that could be cancelled.
            kind::CANCEL_PUSH => Err(Http3Error::Id),
            _ if kind::OF_HTTP2.contains(&kind) => Err(Http3Error::FrameUnexpected),
            _ => self.empty_frames.count(),
        }
    }

    fn settings(&mut self, mut payload: &[u8]) -> Result<(), Http3Error> {
        self.settings_read = true;
        while !payload.is_empty() {
            let name = varint::take(&mut payload).ok_or(Http3Error::Frame)?;
            let value = varint::take(&mut payload).ok_or(Http3Error::Frame)?;
            match name {
                // Settings of HTTP/2 that HTTP/3 does not have.
                0x2..=0x5 => return Err(Http3Error::Settings),
                MAX_FIELD_SECTION_SIZE => self.list_bytes_max = Some(value),
                _ => {}
            }
        }
        Ok(())
    }

    fn goaway(&mut self, mut payload: &[u8]) -> Result<(), Http3Error> {
        let id = varint::take(&mut payload).ok_or(Http3Error::Frame)?;
        if !payload.is_empty() {
            return Err(Http3Error::Frame);
        }
        // The number is a request's, and never higher than before.
        if !id.is_multiple_of(4) || self.gone_from.is_some_and(|before| id > before) {
            return Err(Http3Error::Id);
        }
        self.gone_from = Some(id);
        self.empty_frames.count()
    }

    /// Without a table the encoder can only set its size to zero.
    fn encoder(&mut self, bytes: &[u8]) -> Result<(), Http3Error> {
        for &byte in bytes {
            if byte != 0x20 {
                return Err(Http3Error::EncoderStream);
            }
            self.empty_frames.count()?;
        }
        Ok(())
    }

    /// If no field refers to a table, the decoder can only report that it gave a stream up.
    fn decoder(&mut self, more: &mut u8, bytes: &[u8]) -> Result<(), Http3Error> {
        /// No number of a stream takes more bytes.
        const NUMBER_BYTES_MAX: u8 = 10;
        for &byte in bytes {
            *more = match *more {
                0 if byte & 0xc0 != 0x40 => return Err(Http3Error::DecoderStream),
                0 => u8::from(byte & 0x3f == 0x3f),
                NUMBER_BYTES_MAX => return Err(Http3Error::DecoderStream),
                count if byte & 0x80 != 0 => count + 1,
                _ => 0,
            };
            if *more == 0 {
                self.empty_frames.count()?;
            }
        }
        Ok(())
    }
}

/// The type of a stream, once complete.
fn stream_kind(held: &mut [u8; 8], count: &mut usize, bytes: &mut &[u8]) -> Option<u64> {
    while let Some((&first, rest)) = bytes.split_first() {
        *bytes = rest;
        held[*count] = first;
        *count += 1;
        if let Some(told) = varint::take(&mut &held[..*count]) {
            return Some(told);
        }
    }
    None
}
