//! HPACK: an input is header blocks, each behind its length in two bytes, as a server would send
//! them for one stream after another.

use super::PIECES;
use super::http2::heard;
use crate::Target;

pub(super) const TARGET: Target = Target {
    name: "hpack",
    examples: None,
    words: &["\u{1}\0\u{1}a\u{1}b", "@\u{1}a\u{1}b", "?\u{61}\u{1f}", " ", "?", "\u{7f}"],
    bytes_max: 100_000,
    tried: 20_000,
    read,
};

/// The longest payload of a frame.
const PAYLOAD_MAX: usize = 16_384;

fn read(bytes: &[u8]) {
    let frames = frames(bytes);
    let whole = heard(&frames, frames.len());
    for size in PIECES {
        assert_eq!(heard(&frames, size), whole, "in pieces of {size}");
    }
}

/// The blocks as frames, behind empty settings.
fn frames(mut bytes: &[u8]) -> Vec<u8> {
    let mut frames = vec![0, 0, 0, 4, 0, 0, 0, 0, 0];
    let mut turn = 0_u8;
    while let Some((length, rest)) = bytes.split_first_chunk::<2>() {
        let length = usize::from(u16::from_be_bytes(*length)).min(rest.len());
        let (block, rest) = rest.split_at(length);
        bytes = rest;
        let stream = [0, 0, 0, 1 + 2 * (turn % 3)];
        let count = block.len().div_ceil(PAYLOAD_MAX).max(1);
        for place in 0..count {
            let part = &block[place * PAYLOAD_MAX..block.len().min((place + 1) * PAYLOAD_MAX)];
            let (kind, ends) =
                (if place == 0 { 1 } else { 9 }, if place + 1 == count { 4 } else { 0 });
            frames.extend_from_slice(&(part.len() as u32).to_be_bytes()[1..]);
            frames.extend_from_slice(&[kind, ends]);
            frames.extend_from_slice(&stream);
            frames.extend_from_slice(part);
        }
        turn = turn.wrapping_add(1);
    }
    frames
}
