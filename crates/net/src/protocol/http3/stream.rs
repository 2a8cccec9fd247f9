//! One exchange: the received part of the response.

use super::frame::{FrameReader, Piece, kind};
use super::{BLOCK_BYTES_MAX, Http3Error, qpack};
use crate::protocol::head::Head;
use crate::protocol::response::{Malformed, Response};

/// The effect of a part of a frame on a response.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The response continues.
    On,
    /// The response continues, without progress.
    EmptyFrames,
    /// The response continues, with a part of its body.
    Data,
    /// The response ends before the stream does: its status.
    Over(u16),
    Malformed,
}

impl From<Malformed> for Step {
    fn from(_: Malformed) -> Step {
        Step::Malformed
    }
}

/// One stream of a client.
#[derive(Debug)]
pub(super) struct Stream {
    pub(super) id: u64,
    frames: FrameReader,
    /// The received part of an incomplete header block.
    block: Vec<u8>,
    /// Whether the trailers have arrived, after which nothing may follow.
    trailed: bool,
    pub(super) response: Response,
}

impl Stream {
    pub(super) fn new(id: u64, response: Response) -> Stream {
        Stream { id, frames: FrameReader::default(), block: Vec::new(), trailed: false, response }
    }

    /// Takes the next part of a frame off the bytes: its effect, if a part is available.
    pub(super) fn take(
        &mut self,
        bytes: &mut &[u8],
        keeps: bool,
    ) -> Result<Option<Step>, Http3Error> {
        let step = match self.frames.next(bytes) {
            None => return Ok(None),
            Some(Piece::Begin { kind, length }) => self.begin(kind, length)?,
            Some(Piece::Payload { kind: kind::HEADERS, bytes, last }) => {
                self.headers(bytes, last, keeps)?
            }
            Some(Piece::Payload { kind: kind::DATA, bytes, .. }) => self.data(bytes),
            Some(Piece::Payload { .. }) => Step::On,
        };
        Ok(Some(step))
    }

    /// The server ended the stream: the status of the response, if it is complete.
    pub(super) fn end(&self) -> Result<Option<u16>, Http3Error> {
        if !self.frames.is_between() {
            return Err(Http3Error::Frame);
        }
        Ok(self.response.end().ok().flatten())
    }

    /// Whether a frame of this kind and length may begin now.
    fn begin(&self, kind: u64, length: u64) -> Result<Step, Http3Error> {
        match kind {
            kind::HEADERS | kind::DATA if self.trailed => Err(Http3Error::FrameUnexpected),
            kind::DATA if self.response.status.is_none() => Err(Http3Error::FrameUnexpected),
            kind::HEADERS if length > BLOCK_BYTES_MAX as u64 => Err(Http3Error::HeadTooLarge),
            kind::DATA if length == 0 => Ok(Step::EmptyFrames),
            kind::HEADERS | kind::DATA => Ok(Step::On),
            // The client allows no pushes.
            kind::PUSH_PROMISE => Err(Http3Error::Id),
            kind::SETTINGS | kind::GOAWAY | kind::CANCEL_PUSH | kind::MAX_PUSH_ID => {
                Err(Http3Error::FrameUnexpected)
            }
            _ if kind::OF_HTTP2.contains(&kind) => Err(Http3Error::FrameUnexpected),
            _ => Ok(Step::EmptyFrames),
        }
    }

    fn headers(&mut self, bytes: &[u8], last: bool, keeps: bool) -> Result<Step, Http3Error> {
        if !last {
            self.block.extend_from_slice(bytes);
            return Ok(Step::On);
        }
        let whole;
        let block = if self.block.is_empty() {
            bytes
        } else {
            self.block.extend_from_slice(bytes);
            whole = std::mem::take(&mut self.block);
            &whole[..]
        };
        let mut head = Head::new("HTTP/3", keeps);
        qpack::decode(block, |name, value| head.take(name, value))?;
        self.response.begun = true;
        if self.response.status.is_some() {
            self.trailed = true;
            return Ok(self.response.trailers(&head).map_or_else(Step::from, |()| Step::On));
        }
        // The number of interim heads is limited; data after a final one makes progress.
        Ok(self.response.head(&head, false).map_or_else(Step::from, |_| Step::EmptyFrames))
    }

    fn data(&mut self, bytes: &[u8]) -> Step {
        let went_on = if bytes.is_empty() { Step::On } else { Step::Data };
        match self.response.data(bytes, false) {
            Ok(status) => status.map_or(went_on, Step::Over),
            Err(malformed) => malformed.into(),
        }
    }
}
