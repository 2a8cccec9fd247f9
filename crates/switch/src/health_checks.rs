//! Health checks of servers.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use hyper::StatusCode;
use hyper::client::conn::TrySendError;
use hyper::header::{CONNECTION, HeaderValue};
use thinktime_core::error::Invalid;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::backend::Backend;
use crate::check_path::CheckPath;
use crate::check_request::check_request;
use crate::dispatcher::Dispatcher;
use crate::server_connection::ServerConnection;

/// The path, the interval and the timeout of health checks.
#[derive(Clone, Debug)]
pub struct Checks {
    path: CheckPath,
    every: Duration,
    within: Duration,
}

impl Checks {
    /// With a path, perhaps with a query.
    ///
    /// # Errors
    /// If it is no path, or one of the times is 0.
    pub fn new(path: &str, every: Duration, within: Duration) -> Result<Checks, Invalid> {
        let path = CheckPath::new(path)?;
        if every.is_zero() || within.is_zero() {
            return Err(Invalid::new("the times of health checks are longer than 0"));
        }
        Ok(Checks { path, every, within })
    }
}

/// Checks all servers, again and again, until it is dropped.
pub(crate) async fn check_health(checks: Checks, dispatcher: Arc<Dispatcher>) {
    let checks = Arc::new(checks);
    let mut ticks = interval(checks.every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        // All at once, so that none waits for a slow one.
        let mut requests = JoinSet::new();
        let generation = dispatcher.generation();
        for server in 0..generation.members.len() {
            let (checks, generation, dispatcher) =
                (Arc::clone(&checks), Arc::clone(&generation), Arc::clone(&dispatcher));
            requests.spawn(async move {
                let asking = status(&checks, &generation.plan.servers[server]);
                let status = timeout(checks.within, asking).await;
                let well = matches!(status, Ok(Ok(status)) if is_well(status));
                generation.counts.servers[server].count_check(well);
                let answer = match status {
                    Ok(Ok(status)) => format!("status {} to a health check", status.as_u16()),
                    Ok(Err(error)) => format!("no answer to a health check ({error})"),
                    Err(_) => "no answer to a health check in time".to_owned(),
                };
                dispatcher.note_check(&generation.members[server], well, &answer);
            });
        }
        requests.join_all().await;
    }
}

fn is_well(status: StatusCode) -> bool {
    status.is_success() || status.is_redirection()
}

/// A server's answer, over a connection of its own.
async fn status(checks: &Checks, server: &Backend) -> Result<StatusCode, Box<dyn Error>> {
    let mut request = check_request(&checks.path, server)?;
    request.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    let mut connection = ServerConnection::open(server.address).await?;
    let sent = connection.send_request(request).await.map_err(TrySendError::into_error);
    Ok(sent?.status())
}
