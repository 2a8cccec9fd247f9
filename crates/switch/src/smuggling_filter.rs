//! Checks clients' data before hyper parses it.
//!
//! hyper is lenient in cases where two programs may read the same bytes as different requests,
//! which request smuggling exploits. The filter follows the requests by the strict rules of
//! `net/protocol/http1`, and admits only pieces of them that all programs read alike. Another piece
//! becomes bytes of value 0, which hyper refuses with 400; after that nothing passes.

use thinktime_net::protocol::http1::{ProtocolError, RequestProgress, RequestReader, Rules};

/// Follows the data of one connection.
#[derive(Debug)]
pub(crate) struct SmugglingFilter {
    reader: RequestReader,
    /// Requests that are complete.
    complete: u64,
    refused: bool,
}

impl SmugglingFilter {
    pub(crate) fn new() -> SmugglingFilter {
        let reader = RequestReader::by(Rules::Strict, &[]);
        SmugglingFilter { reader, complete: 0, refused: false }
    }

    /// Whether it has refused data.
    pub(crate) fn has_refused(&self) -> bool {
        self.refused
    }

    /// The number of requests, at least their heads.
    pub(crate) fn requests(&self) -> u64 {
        self.complete + u64::from(self.reader.is_in_body())
    }

    /// Whether the next byte belongs to a head.
    pub(crate) fn awaits_head(&self) -> bool {
        !self.refused && !self.reader.is_in_body()
    }

    /// Whether nothing of the next request has arrived.
    pub(crate) fn is_between_requests(&self) -> bool {
        !self.refused && self.reader.is_between_requests()
    }

    /// Another request came between two others, checked elsewhere.
    pub(crate) fn skip_request(&mut self) {
        self.complete += 1;
    }

    /// Checks arriving bytes, in pieces of any size.
    pub(crate) fn inspect(&mut self, bytes: &mut [u8]) {
        let mut at = 0;
        while at < bytes.len() && !self.refused {
            match self.reader.read(&bytes[at..]) {
                Ok(RequestProgress::NeedMore { .. }) => return,
                Ok(RequestProgress::Complete { used, .. }) => {
                    self.complete += 1;
                    at += used;
                }
                Err(error) => {
                    self.refused = true;
                    // The head of a request with such a body was complete.
                    let body = [ProtocolError::BadChunk, ProtocolError::ChunkOverheadTooLarge];
                    self.complete += u64::from(body.contains(&error));
                    // hyper has less room, and a status of its own for this.
                    if error == ProtocolError::TooManyHeaders {
                        return;
                    }
                }
            }
        }
        bytes[at..].fill(0);
    }
}

#[cfg(test)]
mod tests;
