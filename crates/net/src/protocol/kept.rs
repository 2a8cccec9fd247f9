//! What is kept of a response, for clients that look into it.

/// The longest part of a body that is kept, in bytes; the rest is counted and skipped.
pub const KEPT_BODY_BYTES_MAX: usize = 16 << 20;

/// The head and the body of one response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// The final head: a status line and a line for each field.
    pub head: Vec<u8>,
    /// The body without its framing, up to [`KEPT_BODY_BYTES_MAX`].
    pub body: Vec<u8>,
}

impl Kept {
    /// Takes a part of the body in.
    pub(super) fn add_body(&mut self, part: &[u8]) {
        let room = KEPT_BODY_BYTES_MAX - self.body.len();
        self.body.extend_from_slice(&part[..part.len().min(room)]);
    }
}
