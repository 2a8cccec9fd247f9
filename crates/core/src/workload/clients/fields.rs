//! The header fields of all requests of a population.

use std::collections::BTreeMap;

use thinktime_file::error::Invalid;
use thinktime_file::schema::SchemaError;
use thinktime_file::workload::{ClientsTable, PopulationTable};

use super::authorization::Authorization;
use super::secret::Secret;
use crate::files::Files;
use crate::request::{Common, ValueNames, fields_of, is_token};
use crate::workload::check::Check;

/// The subprotocols of WebSocket that a list offers: tokens, each once (RFC 6455, section 4.1).
fn subprotocols_of(list: &[String]) -> Result<Vec<String>, Invalid> {
    for (place, name) in list.iter().enumerate() {
        if !is_token(name) {
            return Err(Invalid::new(format!("`{name}` is no name of a subprotocol")));
        }
        if list[..place].contains(name) {
            return Err(Invalid::new(format!("`{name}` stands twice")));
        }
    }
    Ok(list.to_vec())
}

/// The common content of all requests of a population.
#[derive(Debug, Default)]
pub(crate) struct CommonFields {
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) subprotocols: Vec<String>,
    pub(crate) authorization: Option<Authorization>,
    pub(crate) password: Option<Secret>,
    pub(crate) secrets_at: BTreeMap<&'static str, String>,
}

impl CommonFields {
    /// The content of a table, except header fields whose value `varies`; an error comes with its
    /// key.
    pub(crate) fn from_table(
        table: &ClientsTable,
        files: &dyn Files,
        varies: impl Fn(&str) -> Result<bool, Invalid>,
    ) -> Result<CommonFields, (&'static str, Invalid)> {
        let fixed = |(name, text): (String, String)| match varies(&text) {
            Ok(false) => Some(Ok((name, text))),
            Ok(true) => None,
            Err(error) => Some(Err(error)),
        };
        let headers = fields_of(&table.headers)
            .and_then(|all| all.into_iter().filter_map(fixed).collect::<Result<_, _>>());
        let subprotocols = subprotocols_of(&table.subprotocols);
        let password = table.password.as_deref().map(Secret::parse).transpose();
        Ok(CommonFields {
            headers: headers.map_err(|error| ("headers", error))?,
            subprotocols: subprotocols.map_err(|error| ("subprotocols", error))?,
            authorization: Authorization::from_table(table, files)?,
            password: password.map_err(|error| ("password", error))?,
            secrets_at: BTreeMap::new(),
        })
    }
}

impl Check<'_> {
    /// The header fields of all requests, and the clients' credentials. Those with values in them
    /// are the requests' own.
    pub(crate) fn common_fields(
        &self,
        table: &PopulationTable,
        values: &ValueNames,
    ) -> Result<CommonFields, SchemaError> {
        let Some(clients) = &table.clients else { return Ok(CommonFields::default()) };
        let common = Common { headers: &clients.headers, values, files: self.files };
        let found = CommonFields::from_table(clients, self.files, |text| common.varies(text))
            .map_err(|(key, error)| self.error(&format!("clients.{key}"), &error))?;
        let place = |key| (key, self.source.place(&format!("{}clients.{key}", self.path)));
        Ok(CommonFields { secrets_at: clients.secrets().map(place).collect(), ..found })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subprotocols_are_tokens() {
        let read = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            subprotocols_of(&names).map_err(|error| error.to_string())
        };
        assert_eq!(read(&["chat.v2", "chat"]).unwrap(), ["chat.v2", "chat"]);
        assert!(read(&["a b"]).unwrap_err().contains("no name of a subprotocol"));
        assert!(read(&["a\r\nX: y"]).unwrap_err().contains("no name of a subprotocol"));
        assert!(read(&["a", "a"]).unwrap_err().contains("stands twice"));
    }
}
