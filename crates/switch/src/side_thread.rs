//! Metrics and health checks, in a thread of their own.

use std::io;
use std::net::TcpListener;
use std::sync::Arc;

use tokio::runtime::Builder;
use tokio::sync::watch;

use crate::dispatcher::Dispatcher;
use crate::health_checks::{Checks, check_health};
use crate::metrics::serve_metrics;
use crate::stop::stop_signal;

/// The work of the thread.
#[derive(Debug, Default)]
pub(crate) struct SideThread {
    /// The address of metrics.
    pub(crate) metrics: Option<TcpListener>,
    pub(crate) checks: Option<Checks>,
}

impl SideThread {
    pub(crate) fn is_empty(&self) -> bool {
        self.metrics.is_none() && self.checks.is_none()
    }

    /// The thread's work, until it is stopped.
    pub(crate) fn run(
        self,
        dispatcher: Arc<Dispatcher>,
        stop: watch::Receiver<bool>,
    ) -> io::Result<()> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async move {
            if let Some(listener) = self.metrics {
                let listener = tokio::net::TcpListener::from_std(listener)?;
                tokio::spawn(serve_metrics(listener, Arc::clone(&dispatcher)));
            }
            if let Some(checks) = self.checks {
                tokio::spawn(check_health(checks, dispatcher));
            }
            stop_signal(stop).await;
            Ok(())
        })
    }
}
