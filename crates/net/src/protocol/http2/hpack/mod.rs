//! Header compression (HPACK), RFC 7541.

mod decode;
mod encode;
mod table;

pub(super) use decode::Decoder;
pub(super) use encode::{Encoder, Indexing};
