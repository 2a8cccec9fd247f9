//! What reading brings, whatever carries the bytes.

/// What one read brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// So many bytes, at least one; or a datagram, which may be empty.
    Bytes(usize),
    /// The orderly end of the stream.
    End,
    /// Nothing for now; the poller will tell when there is more.
    Blocked,
}
