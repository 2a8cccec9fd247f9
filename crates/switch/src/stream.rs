//! Bodies on their way through, a piece at a time.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::time::{Sleep, sleep};

use crate::forward::Passage;
use crate::link::Link;
use crate::ticket::Ticket;

/// Why a body does not go on.
#[derive(Debug)]
pub(crate) enum Broken {
    /// Where it comes from says so.
    Source(hyper::Error),
    /// It has stood still for too long.
    Idle,
    /// It is larger than bodies may be.
    TooLarge,
}

impl fmt::Display for Broken {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Broken::Source(error) => error.fmt(out),
            Broken::Idle => out.write_str("the body has stood still for too long"),
            Broken::TooLarge => out.write_str("the body is too large"),
        }
    }
}

impl std::error::Error for Broken {}

/// How far a request's body has come, as others may ask.
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

    /// How many bytes have been passed on.
    pub(crate) fn bytes(&self) -> u64 {
        self.0.bytes.load(Ordering::Relaxed)
    }

    /// The status that tells a client what is wrong with its body, if it is.
    pub(crate) fn refusal(&self) -> Option<(u16, &'static str)> {
        match self.0.state.load(Ordering::Relaxed) {
            BROKEN => Some((400, "the request's body is malformed, or ends too early")),
            IDLE => Some((408, "the request's body has stood still for too long")),
            TOO_LARGE => Some((413, "the request's body is too large")),
            _ => None,
        }
    }
}

/// A body that stands still for a while is broken.
#[derive(Debug)]
struct Flow {
    body: Incoming,
    idle: Duration,
    /// Made when the body first stands still.
    alarm: Option<Pin<Box<Sleep>>>,
}

impl Flow {
    /// The next piece; of a body that comes over a link, which this drives.
    fn poll(
        &mut self,
        over: Option<&mut Link>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        let polled = match over {
            Some(link) => link.poll_body(&mut self.body, context),
            None => Pin::new(&mut self.body).poll_frame(context),
        };
        if polled.is_ready() {
            self.alarm = None;
            return polled.map_err(Broken::Source);
        }
        let idle = self.idle;
        let alarm = self.alarm.get_or_insert_with(|| Box::pin(sleep(idle)));
        ready!(alarm.as_mut().poll(context));
        Poll::Ready(Some(Err(Broken::Idle)))
    }
}

/// The body of a request on its way to a server; nothing, of a request that may be sent again.
#[derive(Debug)]
pub(crate) struct Upload(Option<Uploading>);

#[derive(Debug)]
struct Uploading {
    flow: Flow,
    /// How many bytes may come.
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
        Upload(Some(Uploading { flow, left: bytes_max, progress }))
    }
}

impl Uploading {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        let mut polled = ready!(self.flow.poll(None, context));
        if let Some(Ok(frame)) = &polled {
            let length = frame.data_ref().map_or(0, |data| data.len() as u64);
            self.progress.0.bytes.fetch_add(length, Ordering::Relaxed);
            match self.left.checked_sub(length) {
                Some(left) => self.left = left,
                None => polled = Some(Err(Broken::TooLarge)),
            }
        }
        let now = match &polled {
            None => COMPLETE,
            Some(Ok(_)) if self.flow.body.is_end_stream() => COMPLETE,
            Some(Ok(_)) => GOES_ON,
            Some(Err(Broken::Source(_))) => BROKEN,
            Some(Err(Broken::Idle)) => IDLE,
            Some(Err(Broken::TooLarge)) => TOO_LARGE,
        };
        self.progress.0.state.store(now, Ordering::Relaxed);
        Poll::Ready(polled)
    }
}

impl Body for Upload {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        self.0.as_mut().map_or(Poll::Ready(None), |one| one.poll(context))
    }

    fn is_end_stream(&self) -> bool {
        self.0.as_ref().is_none_or(|one| one.flow.body.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        self.0.as_ref().map_or(SizeHint::with_exact(0), |one| one.flow.body.size_hint())
    }
}

/// The body of a response on its way to a client.
#[derive(Debug)]
pub(crate) enum Download {
    /// What the switch says itself.
    Said(Option<Bytes>),
    /// What a server says.
    Passed(Box<Passing>),
}

/// What a server says, with what is kept until its end.
#[derive(Debug)]
pub(crate) struct Passing {
    flow: Flow,
    /// The place at the server, and the connection, until the end.
    held: Option<(Ticket, Link)>,
    passage: Passage,
}

impl Passing {
    pub(crate) fn new(
        body: Incoming,
        idle: Duration,
        held: (Ticket, Link),
        passage: Passage,
    ) -> Passing {
        let flow = Flow { body, idle, alarm: None };
        Passing { flow, held: Some(held), passage }
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        let over = self.held.as_mut().map(|(_, link)| link);
        let polled = ready!(self.flow.poll(over, context));
        match &polled {
            Some(Ok(frame)) => {
                self.passage.bytes += frame.data_ref().map_or(0, |data| data.len() as u64);
                if self.flow.body.is_end_stream() {
                    self.end();
                }
            }
            None => self.end(),
            Some(Err(_)) => {
                if let Some((ticket, _)) = self.held.take() {
                    ticket.failed();
                }
            }
        }
        Poll::Ready(polled)
    }

    /// The response has ended as it should: the switch hears of it before the client has its end.
    fn end(&mut self) {
        if let Some((ticket, link)) = self.held.take() {
            self.passage.complete(&ticket, link);
        }
    }
}

impl Drop for Passing {
    fn drop(&mut self) {
        if self.flow.body.is_end_stream() {
            self.end();
        }
        self.passage.note();
    }
}

impl Body for Download {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        match &mut *self {
            Download::Said(text) => Poll::Ready(text.take().map(|text| Ok(Frame::data(text)))),
            Download::Passed(passing) => passing.poll(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Download::Said(text) => text.is_none(),
            Download::Passed(passing) => passing.flow.body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Download::Said(text) => {
                SizeHint::with_exact(text.as_ref().map_or(0, |text| text.len() as u64))
            }
            Download::Passed(passing) => passing.flow.body.size_hint(),
        }
    }
}
