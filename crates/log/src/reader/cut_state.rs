//! The part of a file that the reading thread has read and not yet handed over.

use std::io::{self, Read};

use crate::formats::Cut;

/// The format is detected from this many bytes.
pub(super) const HEAD_BYTES: usize = 64 << 10;

/// A file in the reading thread.
pub(super) struct CutState {
    pub(super) name: String,
    pub(super) input: Box<dyn Read + Send>,
    pub(super) live: bool,
    /// The first `filled` bytes were read and not yet handed over.
    pub(super) buffer: Vec<u8>,
    pub(super) filled: usize,
    pub(super) at_end: bool,
    /// Why the input could not be read further.
    pub(super) error: Option<io::Error>,
}

impl CutState {
    /// Reads until this many bytes are there; if the file is live, takes what is available.
    pub(super) fn fill(&mut self, wanted: usize) {
        make_room(&mut self.buffer, wanted);
        while self.filled < wanted && !self.at_end {
            match self.input.read(&mut self.buffer[self.filled..]) {
                Ok(0) => self.at_end = true,
                Ok(more) => self.filled += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    self.at_end = true;
                    self.error = Some(error);
                }
            }
            if self.live {
                return;
            }
        }
    }

    /// The number of bytes in whole lines (or other units of the file): at most `most`, if
    /// possible.
    pub(super) fn whole_units(&self, cut: Cut, most: usize) -> usize {
        let bytes = &self.buffer[..self.filled];
        let most = most.min(bytes.len());
        match cut {
            Cut::Lines => match memchr::memrchr(b'\n', &bytes[..most]) {
                Some(place) => place + 1,
                None => memchr::memchr(b'\n', &bytes[most..]).map_or(0, |place| most + place + 1),
            },
            Cut::Records(size) => (most / size * size).max(size.min(bytes.len() / size * size)),
            Cut::Whole if self.at_end => bytes.len(),
            Cut::Whole => 0,
        }
    }

    /// Hands over the buffer with its first bytes, and continues with the rest in the next one.
    pub(super) fn split_off(&mut self, bytes: usize, mut next: Vec<u8>) -> Vec<u8> {
        let rest = &self.buffer[bytes..self.filled];
        make_room(&mut next, rest.len());
        next[..rest.len()].copy_from_slice(rest);
        self.filled = rest.len();
        std::mem::replace(&mut self.buffer, next)
    }

    /// Skips the rest of a line that is too long.
    pub(super) fn skip_line(&mut self) {
        loop {
            if let Some(end) = memchr::memchr(b'\n', &self.buffer[..self.filled]) {
                return self.forget(end + 1);
            }
            self.filled = 0;
            if self.at_end {
                return;
            }
            self.fill(HEAD_BYTES);
        }
    }

    /// Forgets the first bytes.
    pub(super) fn forget(&mut self, bytes: usize) {
        self.buffer.copy_within(bytes..self.filled, 0);
        self.filled -= bytes;
    }
}

pub(super) fn make_room(buffer: &mut Vec<u8>, bytes: usize) {
    if buffer.len() < bytes {
        buffer.resize(bytes, 0);
    }
}
