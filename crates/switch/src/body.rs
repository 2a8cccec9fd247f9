//! A body on its way through, a piece at a time.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Frame, Incoming};
use tokio::time::{Sleep, sleep};

/// A piece of a body, if it has arrived.
pub(crate) type Polled<Error> = Poll<Option<Result<Frame<Bytes>, Error>>>;

/// Why a body ends early.
#[derive(Debug)]
pub(crate) enum BodyError {
    /// Its source reports an error.
    Source(hyper::Error),
    /// It has been idle for too long.
    Idle,
    /// It is larger than allowed.
    TooLarge,
    /// A field behind it is malformed.
    BadTrailer,
}

impl fmt::Display for BodyError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BodyError::Source(error) => error.fmt(out),
            BodyError::Idle => out.write_str("the body has paused for too long"),
            BodyError::TooLarge => out.write_str("the body is too large"),
            BodyError::BadTrailer => out.write_str("a field behind the body is malformed"),
        }
    }
}

impl std::error::Error for BodyError {}

/// A body that is idle for a while is broken off.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) body: Incoming,
    pub(crate) idle: Duration,
    /// Created when the body first becomes idle.
    pub(crate) alarm: Option<Pin<Box<Sleep>>>,
}

impl Flow {
    /// The next piece, as `poll_body` finds it.
    pub(crate) fn poll(
        &mut self,
        poll_body: impl FnOnce(&mut Incoming, &mut Context<'_>) -> Polled<hyper::Error>,
        context: &mut Context<'_>,
    ) -> Polled<BodyError> {
        let polled = poll_body(&mut self.body, context);
        if polled.is_ready() {
            self.alarm = None;
            return polled.map_err(BodyError::Source);
        }
        let idle = self.idle;
        let alarm = self.alarm.get_or_insert_with(|| Box::pin(sleep(idle)));
        ready!(alarm.as_mut().poll(context));
        Poll::Ready(Some(Err(BodyError::Idle)))
    }
}
