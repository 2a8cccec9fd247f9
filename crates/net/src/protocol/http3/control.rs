//! What the server says over streams of its own, RFC 9114 section 6.2.

use super::frame::{FrameReader, Piece, kind};
use super::{BARREN_FRAMES_MAX, Http3Error, SETTINGS_BYTES_MAX, code, varint};

/// A stream is to be stopped: what else comes over it is of no interest, and what is not yet sent
/// over it is not to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stop {
    /// Why, for the server.
    pub code: u64,
}

/// What streams of one direction are, by their first bytes.
pub(super) mod of {
    pub(crate) const CONTROL: u64 = 0x0;
    pub(crate) const PUSH: u64 = 0x1;
    pub(crate) const ENCODER: u64 = 0x2;
    pub(crate) const DECODER: u64 = 0x3;
}

const MAX_FIELD_SECTION_SIZE: u64 = 0x6;

/// The streams that the server has opened, and what it said over them.
#[derive(Debug, Default)]
pub(super) struct Control {
    streams: Vec<(u64, Kind)>,
    /// Which of the streams of which there is one came.
    seen: [bool; 4],
    /// Whether the settings came.
    settings_read: bool,
    /// The largest list of fields that the server takes, in bytes; nothing where it does not say.
    pub(super) list_bytes_max: Option<u64>,
    /// The first request that the server has not looked at and never will, if it goes away.
    pub(super) gone_from: Option<u64>,
    /// The connection's count of what brought nothing.
    pub(super) empty_frames: EmptyFrames,
}

/// Frames, instructions and streams in succession that brought nothing of a response.
#[derive(Debug, Default)]
pub(super) struct EmptyFrames(u32);

impl EmptyFrames {
    /// One more.
    pub(super) fn count(&mut self) -> Result<(), Http3Error> {
        self.0 += 1;
        if self.0 > BARREN_FRAMES_MAX { Err(Http3Error::Flood) } else { Ok(()) }
    }

    /// Something came of it.
    pub(super) fn reset(&mut self) {
        self.0 = 0;
    }
}

/// What a stream is.
#[derive(Debug)]
enum Kind {
    /// Not known yet: so many bytes of its type came.
    Untold([u8; 8], usize),
    /// The control stream, and what came of a frame that is not whole.
    Control(FrameReader, Vec<u8>),
    /// The encoder's, which can only say again that there is no table.
    Encoder,
    /// The decoder's, and how many bytes of a number came of which there are more.
    Decoder(u8),
}

impl Control {
    /// Takes in what came over a stream; says if it is to be stopped.
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

    /// A stream of this type begins: nothing if nobody knows what it is.
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
            // There are no pushes that could be cancelled.
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
        // It is a request's, and never more than was said before.
        if !id.is_multiple_of(4) || self.gone_from.is_some_and(|before| id > before) {
            return Err(Http3Error::Id);
        }
        self.gone_from = Some(id);
        self.empty_frames.count()
    }

    /// Without a table the encoder can only set its size to nought.
    fn encoder(&mut self, bytes: &[u8]) -> Result<(), Http3Error> {
        for &byte in bytes {
            if byte != 0x20 {
                return Err(Http3Error::EncoderStream);
            }
            self.empty_frames.count()?;
        }
        Ok(())
    }

    /// Where no field refers to a table, the decoder can only say that it gave a stream up.
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

/// The type of a stream, once it came whole.
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
