//! Servers are asked how they are.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use hyper::StatusCode;
use hyper::client::conn::TrySendError;
use hyper::header::{CONNECTION, HeaderValue};
use thinktime_core::error::Invalid;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::desk::Desk;
use crate::link::Link;
use crate::plan::Backend;
use crate::question::Question;

/// What servers are asked, how often, and how long they may take to answer.
#[derive(Clone, Debug)]
pub struct Checks {
    path: Question,
    every: Duration,
    within: Duration,
}

impl Checks {
    /// With a path, perhaps with a query.
    ///
    /// # Errors
    /// When it is no path, or one of the times is 0.
    pub fn new(path: &str, every: Duration, within: Duration) -> Result<Checks, Invalid> {
        let path = Question::new(path)?;
        if every.is_zero() || within.is_zero() {
            return Err(Invalid::new("the times of health checks are longer than 0"));
        }
        Ok(Checks { path, every, within })
    }
}

/// Asks all servers, again and again, until it is dropped.
pub(crate) async fn check_health(checks: Checks, desk: Arc<Desk>) {
    let checks = Arc::new(checks);
    let mut ticks = interval(checks.every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        // All at once, so that none waits for another one that takes its time.
        let mut asked = JoinSet::new();
        let term = desk.term();
        for server in 0..term.members.len() {
            let (checks, term, desk) = (Arc::clone(&checks), Arc::clone(&term), Arc::clone(&desk));
            asked.spawn(async move {
                let asking = status(&checks, &term.plan.servers[server]);
                let status = timeout(checks.within, asking).await;
                let well = matches!(status, Ok(Ok(status)) if is_well(status));
                term.counts.servers[server].asked(well);
                let answer = match status {
                    Ok(Ok(status)) => format!("status {} to a health check", status.as_u16()),
                    Ok(Err(error)) => format!("no answer to a health check ({error})"),
                    Err(_) => "no answer to a health check in time".to_owned(),
                };
                desk.asked(&term.members[server], well, &answer);
            });
        }
        asked.join_all().await;
    }
}

fn is_well(status: StatusCode) -> bool {
    status.is_success() || status.is_redirection()
}

/// What a server answers, over a connection of its own.
async fn status(checks: &Checks, server: &Backend) -> Result<StatusCode, Box<dyn Error>> {
    let mut request = checks.path.to(server)?;
    request.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    let mut link = Link::open(server.address).await?;
    let sent = link.ask(request).await.map_err(TrySendError::into_error);
    Ok(sent?.status())
}
