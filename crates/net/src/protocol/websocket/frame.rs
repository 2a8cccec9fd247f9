//! Frames: RFC 6455 section 5.

use super::WebSocketError;

/// The longest payload of a control frame, in bytes.
const CONTROL_BYTES_MAX: usize = 125;
/// The longest header of a frame from a server, in bytes: it has no mask.
const HEADER_BYTES_MAX: usize = 10;

/// The type of a frame, as the number on the wire.
pub(super) mod opcode {
    pub(crate) const CONTINUATION: u8 = 0;
    pub(crate) const TEXT: u8 = 1;
    pub(crate) const BINARY: u8 = 2;
    pub(crate) const CLOSE: u8 = 8;
    pub(crate) const PING: u8 = 9;
    pub(crate) const PONG: u8 = 10;
}

const FINAL: u8 = 0x80;
const RESERVED: u8 = 0x70;
const OPCODE: u8 = 0x0f;
const MASKED: u8 = 0x80;
const LENGTH: u8 = 0x7f;
/// This mark puts the length into the next two bytes, the next mark into eight.
const IN_TWO_BYTES: u8 = 126;
const IN_EIGHT_BYTES: u8 = 127;

/// The header of a frame from a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// Whether it is the last of its message.
    pub(super) last: bool,
    pub(super) opcode: u8,
    /// The length of the payload, in bytes.
    pub(super) length: u64,
}

impl Header {
    pub(super) fn is_control(&self) -> bool {
        self.opcode >= opcode::CLOSE
    }

    /// The header at the beginning of `bytes` with its own length, or nothing if it is incomplete.
    /// Errors of the header alone are refused here.
    fn parse(bytes: &[u8]) -> Result<Option<(Header, usize)>, WebSocketError> {
        let [first, second, rest @ ..] = bytes else { return Ok(None) };
        // Extensions would give the reserved bits a meaning, but none was requested.
        if first & RESERVED != 0 || second & MASKED != 0 {
            return Err(WebSocketError::Protocol);
        }
        let (length, own) = match second & LENGTH {
            IN_TWO_BYTES => match rest.first_chunk() {
                Some(two) => (u64::from(u16::from_be_bytes(*two)), 4),
                None => return Ok(None),
            },
            IN_EIGHT_BYTES => match rest.first_chunk() {
                Some(eight) => (u64::from_be_bytes(*eight), HEADER_BYTES_MAX),
                None => return Ok(None),
            },
            short => (u64::from(short), 2),
        };
        let header = Header { last: first & FINAL != 0, opcode: first & OPCODE, length };
        header.check(own)?;
        Ok(Some((header, own)))
    }

    fn check(&self, own: usize) -> Result<(), WebSocketError> {
        // The shortest way to write a length is the only one.
        let shortest = match self.length {
            0..=125 => 2,
            126..=0xffff => 4,
            _ => HEADER_BYTES_MAX,
        };
        let known = matches!(self.opcode, opcode::CONTINUATION..=opcode::BINARY)
            || matches!(self.opcode, opcode::CLOSE..=opcode::PONG);
        let fits = !self.is_control() || (self.last && self.length <= CONTROL_BYTES_MAX as u64);
        if own != shortest || !known || !fits || self.length >> 63 != 0 {
            return Err(WebSocketError::Protocol);
        }
        Ok(())
    }
}

/// Reads headers that may arrive in pieces.
#[derive(Debug, Default)]
pub(super) struct HeaderReader {
    partial: [u8; HEADER_BYTES_MAX],
    held: usize,
}

impl HeaderReader {
    /// The header that ends among `bytes`, with its own length, and the number of its bytes here;
    /// or else buffers them all.
    pub(super) fn read(
        &mut self,
        bytes: &[u8],
    ) -> Result<Option<(Header, usize, usize)>, WebSocketError> {
        if self.held == 0
            && let Some((header, own)) = Header::parse(bytes)?
        {
            return Ok(Some((header, own, own)));
        }
        for (at, byte) in bytes.iter().enumerate() {
            self.partial[self.held] = *byte;
            self.held += 1;
            if let Some((header, own)) = Header::parse(&self.partial[..self.held])? {
                self.held = 0;
                return Ok(Some((header, own, at + 1)));
            }
        }
        Ok(None)
    }
}

/// Appends a whole message, or a control frame, masked as required of a client.
pub(super) fn push(out: &mut Vec<u8>, opcode: u8, payload: &[u8], mask: [u8; 4]) {
    out.push(FINAL | opcode);
    match payload.len() {
        short @ 0..=125 => out.push(MASKED | short as u8),
        middle @ 126..=0xffff => {
            out.push(MASKED | IN_TWO_BYTES);
            out.extend_from_slice(&(middle as u16).to_be_bytes());
        }
        long => {
            out.push(MASKED | IN_EIGHT_BYTES);
            out.extend_from_slice(&(long as u64).to_be_bytes());
        }
    }
    out.extend_from_slice(&mask);
    out.extend(payload.iter().zip(mask.iter().cycle()).map(|(byte, key)| byte ^ key));
}
