//! Checking the values of a population's sessions.

use std::sync::Arc;

use thinktime_file::schema::SchemaError;
use thinktime_file::workload::PopulationTable;

use super::check::Check;
use crate::data::DataTable;
use crate::request::ValueNames;

impl Check<'_> {
    /// The tables that sessions read, and the names of their values. Programs have no such values:
    /// they read the tables themselves.
    pub(crate) fn values(
        &self,
        table: &PopulationTable,
    ) -> Result<(Arc<[DataTable]>, ValueNames), SchemaError> {
        let names = &table.session.data;
        let scripted = table.session.script.is_some();
        let log_sessions = self.is_replayed(table);
        if log_sessions && !names.is_empty() {
            return self.fail("session.data", "does not go with a log, which says what is sent");
        }
        if table.session.rows.is_some() && (scripted || names.is_empty()) {
            let why = "goes with `data`, and not with a `script`, which chooses rows itself";
            return self.fail("session.rows", why);
        }
        let tables = names.iter().map(|name| self.files.table(name));
        let tables: Arc<[DataTable]> =
            tables.collect::<Result<_, _>>().map_err(|error| self.error("session.data", &error))?;
        if !scripted && !log_sessions {
            let names = ValueNames::new(&tables, table);
            let names = names.map_err(|(key, error)| self.error(&key, &error))?;
            return Ok((tables, names));
        }
        if let Some(at) = table.request.iter().position(|one| !one.take.is_empty()) {
            let why = "does not go with a script or a log: these say themselves what is sent";
            return self.fail(&format!("request.{at}.take"), why);
        }
        Ok((tables, ValueNames::default()))
    }
}
