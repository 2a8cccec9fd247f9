//! The longest time for a client's next request head, and for an unused codec.

use std::pin::Pin;
use std::task::Context;
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep};

use crate::exchange::Exchange;

/// How long the codec's buffers are kept for an idle client: active clients need not allocate them
/// anew each time.
const HELD: Duration = Duration::from_millis(100);

/// From the end of a response, or the beginning, to the end of the next head.
#[derive(Debug)]
pub(crate) struct ClientTimeouts {
    client: Duration,
    /// The start of the wait, with the number of earlier requests.
    since: Instant,
    after: Option<u64>,
    /// Not reset at each request: when it fires, the elapsed time is compared.
    alarm: Pin<Box<Sleep>>,
    /// Likewise.
    held: Pin<Box<Sleep>>,
}

impl ClientTimeouts {
    pub(crate) fn new(client: Duration) -> ClientTimeouts {
        let (alarm, held) = (Box::pin(sleep(client)), Box::pin(sleep(HELD)));
        ClientTimeouts { client, since: Instant::now(), after: Some(0), alarm, held }
    }

    /// Whether the client is late; checks again when it may be.
    pub(crate) fn is_late(&mut self, exchange: &Exchange, context: &mut Context<'_>) -> bool {
        let after = exchange.requests_before();
        if after != self.after {
            self.after = after;
            self.since = Instant::now();
        }
        while after.is_some() && self.alarm.as_mut().poll(context).is_ready() {
            if self.since.elapsed() >= self.client {
                return true;
            }
            self.alarm.as_mut().reset(self.since + self.client);
        }
        false
    }

    /// Whether the client has been idle for a while, with no work left for it; checks again when
    /// that may be so. Call it after `is_late`.
    pub(crate) fn is_idle(&mut self, exchange: &Exchange, context: &mut Context<'_>) -> bool {
        while exchange.is_idle() && self.held.as_mut().poll(context).is_ready() {
            if self.since.elapsed() >= HELD {
                return true;
            }
            self.held.as_mut().reset(self.since + HELD);
        }
        false
    }
}
