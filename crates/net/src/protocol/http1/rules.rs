//! How strictly messages are read.

/// The treatment of bytes that two programs may read differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// They are read in the customary way, unless that would hide a fault of the peer.
    Lenient,
    /// They are refused, as one must who passes messages on (RFC 9112, sections 2.2, 6 and 7.1):
    /// bare line feeds, a length given twice or as a list, transfer codings other than `chunked`,
    /// extensions of chunks, trailers without a name.
    Strict,
}

impl Rules {
    /// Whether every line ends with CR LF, if the rules ask for it. The parser has refused every
    /// carriage return without a line feed.
    pub(super) fn admit_lines(self, head: &[u8]) -> bool {
        let whole = |end: usize| end > 0 && head[end - 1] == b'\r';
        self == Rules::Lenient || memchr::memchr_iter(b'\n', head).all(whole)
    }
}
