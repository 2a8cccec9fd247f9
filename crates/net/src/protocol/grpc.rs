//! Messages of gRPC in a body: each has a prefix of five bytes, a compression flag and its length.
//! They are counted, and parsed only if the caller reads them.

mod answer;

pub use answer::{Answer, Body, NoAnswer};

/// The bytes of a prefix.
const PREFIX_BYTES: usize = 5;

/// Counts messages as their bytes arrive, in pieces of any size.
#[derive(Debug)]
pub struct MessageCount {
    /// The number of messages still expected.
    left: u64,
    prefix: [u8; PREFIX_BYTES],
    /// The received part of the prefix.
    come: usize,
    /// The missing part of the message.
    rest: usize,
}

impl MessageCount {
    /// For a body with this many expected messages; at least 1.
    #[must_use]
    pub fn new(wanted: u64) -> MessageCount {
        MessageCount { left: wanted, prefix: [0; PREFIX_BYTES], come: 0, rest: 0 }
    }

    /// Takes a part of the body: whether the last expected message is complete.
    pub fn take(&mut self, mut part: &[u8]) -> bool {
        while self.left > 0 && !part.is_empty() {
            if self.come < PREFIX_BYTES {
                let (begin, after) = part.split_at(part.len().min(PREFIX_BYTES - self.come));
                self.prefix[self.come..self.come + begin.len()].copy_from_slice(begin);
                self.come += begin.len();
                part = after;
                if self.come < PREFIX_BYTES {
                    return false;
                }
                let [_, length @ ..] = self.prefix;
                self.rest = u32::from_be_bytes(length) as usize;
            }
            let skipped = part.len().min(self.rest);
            self.rest -= skipped;
            part = &part[skipped..];
            if self.rest == 0 {
                (self.come, self.left) = (0, self.left - 1);
            }
        }
        self.left == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_counted_in_pieces_of_any_size() {
        let body = b"\0\0\0\0\x03abc\0\0\0\0\0\x01\0\0\x01\x00";
        let body = [&body[..], &[b'x'; 256], b"\0\0\0"].concat();
        for size in 1..=body.len() {
            for (wanted, end) in [(1, 8), (2, 13), (3, 274)] {
                let mut count = MessageCount::new(wanted);
                let mut come = 0;
                for piece in body.chunks(size) {
                    let enough = count.take(piece);
                    come += piece.len();
                    assert_eq!(enough, come >= end, "{wanted} in pieces of {size}, {come} come");
                }
            }
            let mut more = MessageCount::new(4);
            assert!(!body.chunks(size).any(|piece| more.take(piece)), "the prefix is not whole");
        }
    }
}
