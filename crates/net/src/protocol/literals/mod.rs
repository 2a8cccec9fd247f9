//! Integers and strings in the encoding of header compression, for HTTP/2 (HPACK, RFC 7541 section
//! 5) and HTTP/3 (QPACK, RFC 9204 section 4.1).

mod huffman;
mod integer;

pub(crate) use integer::{
    push_integer, push_string, push_string_after, take_integer, take_string, take_string_of,
};

/// Bytes that encode no integer and no string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Undecodable;
