//! Header compression (HPACK), RFC 7541.

mod decode;
mod encode;
mod huffman;
mod integer;
mod table;

pub(super) use decode::Decoder;
pub(super) use encode::{Encoder, Keep};
