//! How long a client may take for the head of its next request.

use std::pin::Pin;
use std::task::Context;
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep};

use crate::exchange::Exchange;

/// From the end of a response, or the beginning, to the end of the next head.
#[derive(Debug)]
pub(crate) struct Patience {
    client: Duration,
    /// Since when what is waited for: how many requests there were before.
    since: Instant,
    after: Option<u64>,
    /// Not set anew at each request: it is looked at how long it really was when it goes off.
    alarm: Pin<Box<Sleep>>,
}

impl Patience {
    pub(crate) fn new(client: Duration) -> Patience {
        Patience { client, since: Instant::now(), after: Some(0), alarm: Box::pin(sleep(client)) }
    }

    /// Whether the client has taken too long; looks again when it may have.
    pub(crate) fn is_over(&mut self, exchange: &Exchange, context: &mut Context<'_>) -> bool {
        let after = exchange.waits_after();
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
}
