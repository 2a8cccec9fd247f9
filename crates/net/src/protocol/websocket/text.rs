//! Texts that arrive in pieces.

use super::WebSocketError;

/// Checks that a text is UTF-8, in pieces that may end within a character.
#[derive(Debug, Default)]
pub(super) struct TextCheck {
    /// The beginning of an incomplete character.
    partial: [u8; 4],
    held: usize,
}

impl TextCheck {
    /// Takes a piece.
    pub(super) fn read(&mut self, mut bytes: &[u8]) -> Result<(), WebSocketError> {
        while self.held > 0
            && let Some((byte, rest)) = bytes.split_first()
        {
            self.partial[self.held] = *byte;
            self.held += 1;
            bytes = rest;
            // A beginning of four bytes is a character or invalid, so the room always suffices.
            if incomplete(&self.partial[..self.held])? == 0 {
                self.held = 0;
            }
        }
        let rest = incomplete(bytes)?;
        if rest > 0 {
            self.partial[..rest].copy_from_slice(&bytes[bytes.len() - rest..]);
            self.held = rest;
        }
        Ok(())
    }

    /// The text has ended.
    pub(super) fn end(&mut self) -> Result<(), WebSocketError> {
        match std::mem::take(&mut self.held) {
            0 => Ok(()),
            _ => Err(WebSocketError::Text),
        }
    }
}

/// The number of bytes at the end that begin an incomplete character.
fn incomplete(bytes: &[u8]) -> Result<usize, WebSocketError> {
    match std::str::from_utf8(bytes) {
        Ok(_) => Ok(0),
        Err(error) if error.error_len().is_none() => Ok(bytes.len() - error.valid_up_to()),
        Err(_) => Err(WebSocketError::Text),
    }
}
