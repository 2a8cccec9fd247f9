//! The credentials of clients.

use thinktime_file::error::Invalid;
use thinktime_file::workload::ClientsTable;

use super::credentials::{Aws, Oauth2};
use super::secret::Secret;
use crate::files::Files;

/// The credentials of clients, in the field `Authorization`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Authorization {
    /// By a token.
    Bearer(Secret),
    /// By `user:password`.
    Basic(Secret),
    /// By a token that is requested, and renewed.
    Oauth2(Box<Oauth2>),
    /// By a signature of each request.
    Aws(Box<Aws>),
}

impl Authorization {
    /// The credentials of a table; an error comes with its key.
    pub(crate) fn from_table(
        table: &ClientsTable,
        files: &dyn Files,
    ) -> Result<Option<Authorization>, (&'static str, Invalid)> {
        let bearer = table.bearer.as_deref().map(|text| ("bearer", by_secret(text, Self::Bearer)));
        let basic = table.basic.as_deref().map(|text| ("basic", by_secret(text, Self::Basic)));
        let oauth2 = table.oauth2.as_ref().map(|table| {
            let found = Oauth2::from_table(table, files);
            ("oauth2", found.map(|it| Authorization::Oauth2(Box::new(it))))
        });
        let aws = table.aws.as_ref().map(|table| {
            ("aws", Aws::from_table(table).map(|it| Authorization::Aws(Box::new(it))))
        });
        let mut given = [bearer, basic, oauth2, aws].into_iter().flatten();
        let Some((first, found)) = given.next() else { return Ok(None) };
        if let Some((key, _)) = given.next() {
            let why = format!("does not go with `{first}`: there is one of them");
            return Err((key, Invalid::new(why)));
        }
        found.map(Some).map_err(|error| (first, error))
    }
}

fn by_secret(text: &str, how: fn(Secret) -> Authorization) -> Result<Authorization, Invalid> {
    Secret::parse(text).map(how)
}
