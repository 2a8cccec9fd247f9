//! The body of a request on its way to a server.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};

use crate::body::{BodyError, Flow};
use crate::fields::are_well_formed;

/// The progress of a request's body, visible to others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Progress(Arc<Reached>);

#[derive(Debug, Default)]
struct Reached {
    state: AtomicU8,
    bytes: AtomicU64,
}

const GOES_ON: u8 = 0;
const COMPLETE: u8 = 1;
const BROKEN: u8 = 2;
const IDLE: u8 = 3;
const TOO_LARGE: u8 = 4;

impl Progress {
    pub(crate) fn is_complete(&self) -> bool {
        self.0.state.load(Ordering::Relaxed) == COMPLETE
    }

    /// The number of forwarded bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.0.bytes.load(Ordering::Relaxed)
    }

    /// The status that reports an error of the body to the client, if any.
    pub(crate) fn refusal(&self) -> Option<(u16, &'static str)> {
        match self.0.state.load(Ordering::Relaxed) {
            BROKEN => Some((400, "the request's body is malformed, or ends too early")),
            IDLE => Some((408, "the request's body has paused for too long")),
            TOO_LARGE => Some((413, "the request's body is too large")),
            _ => None,
        }
    }
}

/// The body of a request on its way to a server; empty if the request may be sent again.
#[derive(Debug)]
pub(crate) struct Upload(Option<UploadState>);

#[derive(Debug)]
struct UploadState {
    flow: Flow,
    /// The number of bytes that may still come.
    left: u64,
    progress: Progress,
}

impl Upload {
    pub(crate) fn nothing() -> Upload {
        Upload(None)
    }

    pub(crate) fn new(
        body: Incoming,
        bytes_max: u64,
        idle: Duration,
        progress: Progress,
    ) -> Upload {
        if body.is_end_stream() {
            progress.0.state.store(COMPLETE, Ordering::Relaxed);
        }
        let flow = Flow { body, idle, alarm: None };
        Upload(Some(UploadState { flow, left: bytes_max, progress }))
    }
}

impl UploadState {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let mut polled =
            ready!(self.flow.poll(|body, context| Pin::new(body).poll_frame(context), context));
        if let Some(Ok(frame)) = &polled {
            let length = frame.data_ref().map_or(0, |data| data.len() as u64);
            self.progress.0.bytes.fetch_add(length, Ordering::Relaxed);
            match self.left.checked_sub(length) {
                Some(left) => self.left = left,
                None => polled = Some(Err(BodyError::TooLarge)),
            }
            if frame_is_malformed(&polled) {
                polled = Some(Err(BodyError::BadTrailer));
            }
        }
        let now = match &polled {
            None => COMPLETE,
            Some(Ok(_)) if self.flow.body.is_end_stream() => COMPLETE,
            Some(Ok(_)) => GOES_ON,
            Some(Err(BodyError::Source(_) | BodyError::BadTrailer)) => BROKEN,
            Some(Err(BodyError::Idle)) => IDLE,
            Some(Err(BodyError::TooLarge)) => TOO_LARGE,
        };
        self.progress.0.state.store(now, Ordering::Relaxed);
        Poll::Ready(polled)
    }
}

/// Whether these are trailers, and malformed.
fn frame_is_malformed(polled: &Option<Result<Frame<Bytes>, BodyError>>) -> bool {
    let frame = polled.as_ref().and_then(|polled| polled.as_ref().ok());
    frame.and_then(Frame::trailers_ref).is_some_and(|fields| !are_well_formed(fields))
}

impl Body for Upload {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        self.0.as_mut().map_or(Poll::Ready(None), |one| one.poll(context))
    }

    fn is_end_stream(&self) -> bool {
        self.0.as_ref().is_none_or(|one| one.flow.body.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        self.0.as_ref().map_or(SizeHint::with_exact(0), |one| one.flow.body.size_hint())
    }
}
