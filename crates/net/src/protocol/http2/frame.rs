//! Frames: RFC 9113 section 4.

use super::Http2Error;

/// The longest payload of a frame, in bytes: the protocol's default, which is never raised here.
pub(super) const PAYLOAD_MAX: usize = 16_384;
/// The length of a frame's header, in bytes.
pub(super) const HEADER_BYTES: usize = 9;

/// The size of a body in frames of the largest length, in bytes.
pub(super) fn framed(body: usize) -> u64 {
    (body + body.div_ceil(PAYLOAD_MAX) * HEADER_BYTES) as u64
}

/// Kinds of frames.
pub(super) mod kind {
    pub(crate) const DATA: u8 = 0;
    pub(crate) const HEADERS: u8 = 1;
    pub(crate) const PRIORITY: u8 = 2;
    pub(crate) const RST_STREAM: u8 = 3;
    pub(crate) const SETTINGS: u8 = 4;
    pub(crate) const PUSH_PROMISE: u8 = 5;
    pub(crate) const PING: u8 = 6;
    pub(crate) const GOAWAY: u8 = 7;
    pub(crate) const WINDOW_UPDATE: u8 = 8;
    pub(crate) const CONTINUATION: u8 = 9;
}

/// Flags of frames. `ACK` and `END_STREAM` share a bit, on different kinds.
pub(super) mod flag {
    pub(crate) const ACK: u8 = 0x1;
    pub(crate) const END_STREAM: u8 = 0x1;
    pub(crate) const END_HEADERS: u8 = 0x4;
    pub(crate) const PADDED: u8 = 0x8;
    pub(crate) const PRIORITY: u8 = 0x20;
}

/// One whole frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame<'a> {
    pub(super) kind: u8,
    pub(super) flags: u8,
    /// The stream's number; 0 for the connection.
    pub(super) stream: u32,
    pub(super) payload: &'a [u8],
}

impl<'a> Frame<'a> {
    pub(super) fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// The size of the whole frame, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        (HEADER_BYTES + self.payload.len()) as u64
    }

    /// The payload of a frame that may be padded, without its padding.
    pub(super) fn unpadded(&self) -> Result<&'a [u8], Http2Error> {
        if !self.has(flag::PADDED) {
            return Ok(self.payload);
        }
        let (&padding, rest) = self.payload.split_first().ok_or(Http2Error::FrameSize)?;
        let length = rest.len().checked_sub(padding.into()).ok_or(Http2Error::Protocol)?;
        Ok(&rest[..length])
    }

    /// The frame at the beginning of `bytes`, or nothing if it is incomplete.
    fn parse(bytes: &'a [u8]) -> Result<Option<Frame<'a>>, Http2Error> {
        let Some((header, rest)) = bytes.split_first_chunk::<HEADER_BYTES>() else {
            return Ok(None);
        };
        let [a, b, c, kind, flags, stream @ ..] = *header;
        let length = u32::from_be_bytes([0, a, b, c]) as usize;
        if length > PAYLOAD_MAX {
            return Err(Http2Error::FrameSize);
        }
        let stream = u32::from_be_bytes(stream) & 0x7fff_ffff;
        Ok(rest.get(..length).map(|payload| Frame { kind, flags, stream, payload }))
    }
}

/// Cuts a stream of bytes into frames.
#[derive(Debug, Default)]
pub(super) struct FrameReader {
    /// A frame that has not arrived whole.
    partial: Vec<u8>,
}

impl FrameReader {
    /// Feeds arrived bytes, and hands every complete frame to `take`.
    pub(super) fn read(
        &mut self,
        mut bytes: &[u8],
        mut take: impl FnMut(Frame<'_>) -> Result<(), Http2Error>,
    ) -> Result<(), Http2Error> {
        while !self.partial.is_empty() && !bytes.is_empty() {
            let wanted = self.wanted().min(bytes.len());
            self.partial.extend_from_slice(&bytes[..wanted]);
            bytes = &bytes[wanted..];
            if let Some(frame) = Frame::parse(&self.partial)? {
                take(frame)?;
                self.partial.clear();
            }
        }
        while let Some(frame) = Frame::parse(bytes)? {
            bytes = &bytes[HEADER_BYTES + frame.payload.len()..];
            take(frame)?;
        }
        self.partial.extend_from_slice(bytes);
        Ok(())
    }

    /// The missing bytes of the partial frame, or of its header.
    fn wanted(&self) -> usize {
        let held = self.partial.len();
        match self.partial[..] {
            [a, b, c, ..] if held >= HEADER_BYTES => {
                HEADER_BYTES + u32::from_be_bytes([0, a, b, c]) as usize - held
            }
            _ => HEADER_BYTES - held,
        }
    }
}

/// Appends a frame's header.
pub(super) fn push_header(out: &mut Vec<u8>, length: usize, kind: u8, flags: u8, stream: u32) {
    out.extend_from_slice(&(length as u32).to_be_bytes()[1..]);
    out.extend_from_slice(&[kind, flags]);
    out.extend_from_slice(&stream.to_be_bytes());
}

/// Appends a frame.
pub(super) fn push(out: &mut Vec<u8>, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
    push_header(out, payload.len(), kind, flags, stream);
    out.extend_from_slice(payload);
}

/// Appends a frame whose payload is one number.
pub(super) fn push_number(out: &mut Vec<u8>, kind: u8, stream: u32, number: u32) {
    push(out, kind, 0, stream, &number.to_be_bytes());
}

/// A payload that is one number.
pub(super) fn number(payload: &[u8]) -> Result<u32, Http2Error> {
    let bytes = payload.try_into().map_err(|_| Http2Error::FrameSize)?;
    Ok(u32::from_be_bytes(bytes))
}
