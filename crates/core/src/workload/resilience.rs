//! Checks that clients' breakers and copies of requests fit the rest of a file.

use thinktime_file::schema::SchemaError;
use thinktime_file::time::Nanos;
use thinktime_file::workload::PopulationTable;

use super::check::Check;
use super::{ClientLimits, Sessions};
use crate::distribution::Distribution;
use crate::request::RequestKind;

const THINKLESS: &str = "does not go with closed clients that never think: while the breaker is \
                         open each request fails at once, and the next would follow at the same \
                         time without an end; give [session] a `think`";
const ENDLESS: &str = "goes with a `retry` of unlimited `attempts` only if that has a `backoff`: \
                       while the breaker is open an attempt fails at once, and would be made again \
                       at the same time without an end";

impl Check<'_> {
    /// The limits of a population's clients, which fit its requests.
    pub(super) fn client_limits(
        &self,
        table: &PopulationTable,
        kinds: &[RequestKind],
        sessions: &Sessions,
    ) -> Result<ClientLimits, SchemaError> {
        let clients = self.keyed("clients", ClientLimits::from_table(table.clients.as_ref()))?;
        let waits = |law: &Option<Distribution>| law.as_ref().is_some_and(|law| law.mean() > 0.0);
        let endless = |kind: &RequestKind| {
            let retry = &kind.retry;
            let pauses = waits(&retry.backoff) && retry.backoff_max > Nanos::ZERO;
            retry.attempts == u32::MAX && !pauses
        };
        let never_thinks = match sessions {
            Sessions::Closed { think, .. } => {
                think.mean() <= 0.0 && !kinds.iter().any(|kind| waits(&kind.think))
            }
            _ => false,
        };
        if clients.breaker.is_some() && kinds.iter().any(endless) {
            return self.fail("clients.breaker", ENDLESS);
        }
        if clients.breaker.is_some() && never_thinks && table.session.script.is_none() {
            return self.fail("clients.breaker", THINKLESS);
        }
        match kinds.iter().position(|kind| kind.hedge.is_some()) {
            Some(at) if table.session.script.is_some() => {
                let why = "does not go with a script, which sends such copies itself";
                self.fail(&format!("request.{at}.hedge"), why)
            }
            _ => Ok(clients),
        }
    }
}
