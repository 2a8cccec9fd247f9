//! What a switch does beside forwarding, in a thread of its own.

use std::io;
use std::net::TcpListener;
use std::pin::pin;
use std::sync::Arc;

use tokio::runtime::Builder;
use tokio::sync::watch;

use crate::either::{Either, either};
use crate::front::told;
use crate::metrics::{Metrics, tell_metrics};

/// Whom metrics are told, and of what.
#[derive(Debug)]
pub(crate) struct Beside {
    pub(crate) listener: TcpListener,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) stop: watch::Receiver<bool>,
}

impl Beside {
    /// The thread's work, until it is told to stop.
    pub(crate) fn run(self) -> io::Result<()> {
        let Beside { listener, metrics, stop } = self;
        let runtime = Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async move {
            let telling = pin!(tell_metrics(listener, metrics));
            match either(telling, pin!(told(stop))).await {
                Either::Left(ended) => ended,
                Either::Right(()) => Ok(()),
            }
        })
    }
}
