//! The action of a request, and its keys in tables.

use thinktime_file::error::Invalid;
use thinktime_file::workload::RequestTable;

use super::content::grpc;
use super::content::header::is_token;

/// The action of a request: a method of HTTP, or sending a message without HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Reads.
    Get,
    /// Reads the head only.
    Head,
    /// Sends a body.
    Post,
    /// Replaces.
    Put,
    /// Removes.
    Delete,
    /// Asks for the possible methods.
    Options,
    /// Changes a part.
    Patch,
    /// Any other method of HTTP, with unknown properties; its word is kept with the request.
    Other,
    /// Sends bytes as they are, and waits for the expected answer.
    Send,
    /// Sends statements of SQL.
    Sql,
}

impl Method {
    /// The word on the wire, or in a script; for [`Method::Other`] a stand-in.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Method::Other => "OTHER",
            Method::Get => "GET",
            Method::Head => "HEAD",
            Method::Post => "POST",
            Method::Put => "PUT",
            Method::Delete => "DELETE",
            Method::Options => "OPTIONS",
            Method::Patch => "PATCH",
            Method::Send => "SEND",
            Method::Sql => "SQL",
        }
    }

    /// The method of HTTP that has this word on the wire, if it has a name here.
    #[must_use]
    pub fn of_http(word: &[u8]) -> Option<Method> {
        use Method::{Delete, Get, Head, Options, Patch, Post, Put};
        let all = [Get, Head, Post, Put, Delete, Options, Patch];
        all.into_iter().find(|method| method.word().as_bytes() == word)
    }

    /// Whether it is one of HTTP.
    #[must_use]
    pub fn is_http(self) -> bool {
        !matches!(self, Method::Send | Method::Sql)
    }

    /// Whether it changes nothing (RFC 9110, section 9.2.1).
    pub(crate) fn is_safe(self) -> bool {
        matches!(self, Method::Get | Method::Head | Method::Options)
    }
}

/// A method, the key of its target, and the target.
pub(crate) type MethodAndTarget = (Method, &'static str, String);

/// A method without a key of its own.
fn other_method(table: &RequestTable) -> Result<Option<MethodAndTarget>, (&'static str, Invalid)> {
    match (&table.method, &table.target) {
        (None, None) => Ok(None),
        (Some(word), Some(target)) => {
            if !is_token(word) {
                let message = format!("`{word}` is no method of HTTP, as PROPFIND is");
                return Err(("method", Invalid::new(message)));
            }
            let method = Method::of_http(word.as_bytes()).unwrap_or(Method::Other);
            Ok(Some((method, "target", target.clone())))
        }
        (Some(_), None) => {
            Err(("method", Invalid::new("needs a `target`, as in target = \"/item/7\"")))
        }
        (None, Some(_)) => Err(("target", Invalid::new("goes with `method` only"))),
    }
}

/// The method of a table; an error comes with its key.
pub(crate) fn method_and_target(
    table: &RequestTable,
) -> Result<MethodAndTarget, (&'static str, Invalid)> {
    let other = other_method(table)?;
    let root = || "/".to_owned();
    let mut given = [
        (Method::Get, "get", table.get.clone()),
        (Method::Head, "head", table.head.clone()),
        (Method::Post, "post", table.post.clone()),
        (Method::Put, "put", table.put.clone()),
        (Method::Delete, "delete", table.delete.clone()),
        (Method::Patch, "patch", table.patch.clone()),
        (Method::Options, "options", table.options.clone()),
        (Method::Post, "grpc", table.grpc.as_deref().map(grpc::target)),
        (Method::Send, "send", table.send.as_ref().map(|_| root())),
        (Method::Send, "send_hex", table.send_hex.as_ref().map(|_| root())),
        (Method::Sql, "sql", table.sql.as_ref().map(|_| root())),
        (Method::Sql, "transaction", table.transaction.as_ref().map(|_| root())),
    ]
    .into_iter()
    .filter_map(|(method, key, target)| Some((method, key, target?)))
    .chain(other);
    let Some(first) = given.next() else { return Ok((Method::Get, "get", root())) };
    match given.next() {
        None => Ok(first),
        Some((_, key, _)) => {
            let why = format!("a request has one method, and `{}` is given already", first.1);
            Err((key, Invalid::new(why)))
        }
    }
}
