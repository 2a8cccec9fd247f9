//! Checks that clients' breakers and copies of requests fit the rest of a file.

use thinktime_file::schema::SchemaError;
use thinktime_file::workload::PopulationTable;

use super::ClientLimits;
use super::check::Check;
use crate::request::RequestKind;

const ENDLESS: &str = "goes with a `retry` of unlimited `attempts` only if that has a `backoff`: \
                       while the breaker is open an attempt fails at once, and would be made again \
                       at the same time without an end";

impl Check<'_> {
    /// The limits of a population's clients, which fit its requests.
    pub(super) fn client_limits(
        &self,
        table: &PopulationTable,
        kinds: &[RequestKind],
    ) -> Result<ClientLimits, SchemaError> {
        let clients = self.keyed("clients", ClientLimits::from_table(table.clients.as_ref()))?;
        let endless =
            |kind: &RequestKind| kind.retry.attempts == u32::MAX && kind.retry.backoff.is_none();
        if clients.breaker.is_some() && kinds.iter().any(endless) {
            return self.fail("clients.breaker", ENDLESS);
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
