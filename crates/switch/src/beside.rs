//! What a switch does beside forwarding, in a thread of its own.

use std::io;
use std::net::TcpListener;
use std::sync::Arc;

use tokio::runtime::Builder;
use tokio::sync::watch;

use crate::desk::Desk;
use crate::front::told;
use crate::health::{Checks, check_health};
use crate::metrics::tell_metrics;

/// What the thread does.
#[derive(Debug, Default)]
pub(crate) struct Beside {
    /// Where metrics are told.
    pub(crate) metrics: Option<TcpListener>,
    pub(crate) checks: Option<Checks>,
}

impl Beside {
    pub(crate) fn is_nothing(&self) -> bool {
        self.metrics.is_none() && self.checks.is_none()
    }

    /// The thread's work, until it is told to stop.
    pub(crate) fn run(self, desk: Arc<Desk>, stop: watch::Receiver<bool>) -> io::Result<()> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async move {
            if let Some(listener) = self.metrics {
                let listener = tokio::net::TcpListener::from_std(listener)?;
                tokio::spawn(tell_metrics(listener, Arc::clone(&desk)));
            }
            if let Some(checks) = self.checks {
                tokio::spawn(check_health(checks, desk));
            }
            told(stop).await;
            Ok(())
        })
    }
}
