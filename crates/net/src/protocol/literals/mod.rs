//! Integers and strings as header compression writes them, that of HTTP/2 (HPACK, RFC 7541 section
//! 5) and that of HTTP/3 (QPACK, RFC 9204 section 4.1).

mod huffman;
mod integer;

pub(crate) use integer::{
    push_integer, push_string, push_string_after, take_integer, take_string, take_string_of,
};

/// Bytes that stand for no integer and no string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Undecodable;
