//! The results of reading, for every carrier.

/// The result of one read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// This many bytes, at least one; or a datagram, which may be empty.
    Bytes(usize),
    /// The orderly end of the stream.
    End,
    /// Nothing for now; the poller will report more.
    Blocked,
}
