//! Messages as they arrive: a letter, a length, and that many bytes.

use super::{HELD_BYTES_MAX, MESSAGE_BYTES_MAX, PostgresError};

/// The letter and the length.
const HEADER: usize = 5;

/// Cuts arriving bytes into messages.
#[derive(Debug, Default)]
pub(super) struct Frames {
    /// The received part of an incomplete message that is read, with its header; or of a header.
    held: Vec<u8>,
    /// How many bytes of a message are still to be skipped.
    skipped: u32,
}

/// How to treat a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Usage {
    /// It is read once it is complete.
    Held,
    /// Its bytes are skipped; it is reported when it begins.
    Skipped,
    /// No such message exists.
    Unknown,
}

/// A message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame<'a> {
    pub(super) letter: u8,
    /// The whole message with its header; empty if it is skipped.
    pub(super) bytes: &'a [u8],
    /// The size of the whole message.
    pub(super) size: u64,
}

impl Frames {
    /// Feeds arrived bytes. `of` says how to treat a message of this letter and length, and `take`
    /// receives one after another.
    pub(super) fn read<C>(
        &mut self,
        mut bytes: &[u8],
        context: &mut C,
        of: impl Fn(&C, u8, u32) -> Usage,
        mut take: impl FnMut(&mut C, Frame<'_>) -> Result<(), PostgresError>,
    ) -> Result<(), PostgresError> {
        while !bytes.is_empty() {
            if self.skipped > 0 {
                let count = bytes.len().min(self.skipped as usize);
                (self.skipped, bytes) = (self.skipped - count as u32, &bytes[count..]);
                continue;
            }
            let Some((letter, length)) = self.header(&mut bytes)? else { return Ok(()) };
            let size = u64::from(length) + 1;
            match of(context, letter, length) {
                Usage::Unknown => return Err(PostgresError::Malformed),
                Usage::Skipped => {
                    if self.held.is_empty() {
                        bytes = &bytes[HEADER..];
                    }
                    self.held.clear();
                    self.skipped = length - 4;
                    take(context, Frame { letter, bytes: &[], size })?;
                }
                Usage::Held if size > HELD_BYTES_MAX as u64 => return Err(PostgresError::TooLarge),
                Usage::Held if self.held.is_empty() && bytes.len() as u64 >= size => {
                    let (first, rest) = bytes.split_at(size as usize);
                    bytes = rest;
                    take(context, Frame { letter, bytes: first, size })?;
                }
                Usage::Held if !self.fill(&mut bytes, size as usize) => return Ok(()),
                Usage::Held => {
                    let held = std::mem::take(&mut self.held);
                    take(context, Frame { letter, bytes: &held, size })?;
                }
            }
        }
        Ok(())
    }

    /// The letter and the length of the next message, once they have arrived. They stay in front of
    /// `bytes`, or are buffered if they arrived in pieces.
    fn header(&mut self, bytes: &mut &[u8]) -> Result<Option<(u8, u32)>, PostgresError> {
        if self.held.is_empty() && bytes.len() >= HEADER {
            return header(bytes).map(Some);
        }
        if !self.fill(bytes, HEADER) {
            return Ok(None);
        }
        header(&self.held).map(Some)
    }

    /// Fills the buffer up to this many bytes; says whether it is full.
    fn fill(&mut self, bytes: &mut &[u8], wanted: usize) -> bool {
        let count = wanted.saturating_sub(self.held.len()).min(bytes.len());
        self.held.extend_from_slice(&bytes[..count]);
        *bytes = &bytes[count..];
        self.held.len() >= wanted
    }
}

/// The letter of a message, and its length without the letter.
fn header(bytes: &[u8]) -> Result<(u8, u32), PostgresError> {
    let [letter, length @ ..] = *bytes.first_chunk::<HEADER>().ok_or(PostgresError::Malformed)?;
    match u32::from_be_bytes(length) {
        0..4 => Err(PostgresError::Malformed),
        length if length > MESSAGE_BYTES_MAX => Err(PostgresError::TooLarge),
        length => Ok((letter, length)),
    }
}
