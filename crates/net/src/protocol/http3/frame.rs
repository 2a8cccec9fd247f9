//! Frames, RFC 9114 section 7.

use super::varint;

/// The kinds of frames.
pub(super) mod kind {
    pub(crate) const DATA: u64 = 0x0;
    pub(crate) const HEADERS: u64 = 0x1;
    pub(crate) const CANCEL_PUSH: u64 = 0x3;
    pub(crate) const SETTINGS: u64 = 0x4;
    pub(crate) const PUSH_PROMISE: u64 = 0x5;
    pub(crate) const GOAWAY: u64 = 0x7;
    pub(crate) const MAX_PUSH_ID: u64 = 0xd;
    /// Frames of HTTP/2 that HTTP/3 does not have.
    pub(crate) const OF_HTTP2: [u64; 4] = [0x2, 0x6, 0x8, 0x9];
}

/// A part of a frame.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// A frame begins, whose payload has this length in bytes.
    Begin { kind: u64, length: u64 },
    /// A part of its payload, which may be empty if the payload is.
    Payload { kind: u64, bytes: &'a [u8], last: bool },
}

/// Cuts the bytes of one stream into frames. Holds no payload.
#[derive(Debug, Default)]
pub(super) struct FrameReader {
    /// The received part of a frame's type and length, and its size.
    head: [u8; 16],
    held: usize,
    kind: u64,
    /// The missing part of a payload.
    left: Option<u64>,
}

impl FrameReader {
    /// Takes the next part of a frame off the bytes, if they hold any.
    pub(super) fn next<'a>(&mut self, bytes: &mut &'a [u8]) -> Option<Piece<'a>> {
        match self.left {
            Some(left) => self.payload(left, bytes),
            None => self.head(bytes),
        }
    }

    /// Whether the last frame is complete and no other has begun.
    pub(super) fn is_between(&self) -> bool {
        self.held == 0 && self.left.is_none()
    }

    fn payload<'a>(&mut self, left: u64, bytes: &mut &'a [u8]) -> Option<Piece<'a>> {
        if left > 0 && bytes.is_empty() {
            return None;
        }
        let count = usize::try_from(left).map_or(bytes.len(), |left| left.min(bytes.len()));
        let (part, rest) = bytes.split_at(count);
        *bytes = rest;
        let left = left - count as u64;
        self.left = (left > 0).then_some(left);
        Some(Piece::Payload { kind: self.kind, bytes: part, last: left == 0 })
    }

    fn head<'a>(&mut self, bytes: &mut &'a [u8]) -> Option<Piece<'a>> {
        while let Some((&first, rest)) = bytes.split_first() {
            *bytes = rest;
            self.head[self.held] = first;
            self.held += 1;
            let mut head = &self.head[..self.held];
            if let Some(kind) = varint::take(&mut head)
                && let Some(length) = varint::take(&mut head)
            {
                (self.held, self.kind, self.left) = (0, kind, Some(length));
                return Some(Piece::Begin { kind, length });
            }
        }
        None
    }
}

/// Appends a frame.
pub(super) fn push(out: &mut Vec<u8>, kind: u64, payload: &[u8]) {
    varint::push(out, kind);
    varint::push(out, payload.len() as u64);
    out.extend_from_slice(payload);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The frames in bytes that arrive in pieces of this size.
    fn frames(bytes: &[u8], size: usize) -> (Vec<(u64, Vec<u8>)>, bool) {
        let (mut reader, mut frames) = (FrameReader::default(), Vec::<(u64, Vec<u8>)>::new());
        let mut whole = true;
        for mut piece in bytes.chunks(size) {
            while let Some(part) = reader.next(&mut piece) {
                match part {
                    Piece::Begin { kind, .. } => frames.push((kind, Vec::new())),
                    Piece::Payload { bytes, .. } => {
                        frames.last_mut().unwrap().1.extend_from_slice(bytes);
                    }
                }
            }
            whole = reader.is_between();
        }
        (frames, whole)
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_however_it_is_cut(
            written in prop::collection::vec(
                (0_u64..1 << 40, prop::collection::vec(any::<u8>(), 0..100)), 0..6),
            size in 1_usize..50,
        ) {
            let mut bytes = Vec::new();
            for (kind, payload) in &written {
                push(&mut bytes, *kind, payload);
            }
            prop_assert_eq!(frames(&bytes, size), (written, true));
        }

        #[test]
        fn anything_is_read_alike_however_it_is_cut(
            bytes in prop::collection::vec(any::<u8>(), 0..200),
            size in 1_usize..20,
        ) {
            prop_assert_eq!(frames(&bytes, size), frames(&bytes, usize::MAX));
        }
    }
}
