//! Header fields that requests bring: their names and values, and who is let in.

use std::collections::BTreeMap;

use super::clients::ClientsTable;
use super::credentials::{Aws, Oauth2};
use crate::error::Invalid;
use crate::files::Files;

/// Fields that say how a message is framed or carried, which is not the workload's to say.
const CARRIED: [&str; 7] =
    ["content-length", "transfer-encoding", "connection", "keep-alive", "te", "trailer", "upgrade"];

/// A checked header field: a name that is a token, and a value without control characters but
/// tabs (RFC 9110, section 5), so that nothing can be smuggled into a message with it.
///
/// # Errors
/// When it is not; the message says what is wrong.
pub fn header_field(name: &str, value: &str) -> Result<(String, String), Invalid> {
    if !is_token(name) {
        return Err(Invalid::new(format!("`{name}` is no name of a header field")));
    }
    if value.chars().any(|c| c.is_control() && c != '\t') {
        return Err(Invalid::new(format!(
            "the header field value {value:?} holds control characters"
        )));
    }
    Ok((name.to_owned(), value.to_owned()))
}

/// Whether a text is a token, as names of header fields and methods are.
pub(super) fn is_token(text: &str) -> bool {
    let token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    !text.is_empty() && text.chars().all(token)
}

/// The header fields of a table, in the order of their names.
pub(super) fn fields_of(
    table: &BTreeMap<String, String>,
) -> Result<Vec<(String, String)>, Invalid> {
    let mut found: Vec<(String, String)> = Vec::new();
    for (name, value) in table {
        let field = header_field(name, value)?;
        if CARRIED.iter().any(|carried| name.eq_ignore_ascii_case(carried)) {
            return Err(Invalid::new(format!(
                "`{name}` cannot be given: how a message is carried follows from its body, and \
                 from `connections` of `[clients]`"
            )));
        }
        if found.iter().any(|(other, _)| other.eq_ignore_ascii_case(name)) {
            return Err(Invalid::new(format!("`{name}` stands twice, in other letters")));
        }
        found.push(field);
    }
    Ok(found)
}

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

/// Where a secret is kept, which stands in no file of a workload or result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Secret {
    /// In this environment variable.
    Environment(String),
    /// In this file, but for a line end after it.
    File(String),
}

impl Secret {
    /// Parses `env:NAME` or `file:PATH`.
    pub(super) fn parse(text: &str) -> Result<Secret, Invalid> {
        match text.split_once(':') {
            Some(("env", name)) if !name.is_empty() => Ok(Secret::Environment(name.to_owned())),
            Some(("file", path)) if !path.is_empty() => Ok(Secret::File(path.to_owned())),
            // What was given may be the secret itself: it is not repeated.
            _ => Err(Invalid::new(
                "is where the secret is kept, `env:NAME` or `file:PATH`, and not the secret, \
                 which would stand in results",
            )),
        }
    }
}

/// What all requests of a population bring.
#[derive(Debug, Default)]
pub(super) struct CommonFields {
    pub(super) headers: Vec<(String, String)>,
    pub(super) subprotocols: Vec<String>,
    pub(super) authorization: Option<Authorization>,
    pub(super) password: Option<Secret>,
    pub(super) secrets_at: BTreeMap<&'static str, String>,
}

impl CommonFields {
    /// What a table says of it, but for header fields whose value `varies`; an error comes with its
    /// key.
    pub(super) fn from_table(
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

/// How clients say who they are, in the field `Authorization`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Authorization {
    /// By a token.
    Bearer(Secret),
    /// By `user:password`.
    Basic(Secret),
    /// By a token that is asked for, and renewed.
    Oauth2(Box<Oauth2>),
    /// By a signature of each request.
    Aws(Box<Aws>),
}

impl Authorization {
    /// What a table says of it; an error comes with its key.
    pub(super) fn from_table(
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_smuggled_into_a_message() {
        assert!(header_field("X-Trace", "a b\tc").is_ok());
        for name in ["", "A B", "A:", "A\r\nB", "\u{e4}"] {
            let message = header_field(name, "x").unwrap_err().to_string();
            assert!(message.contains("no name of a header field"), "{message}");
        }
        for value in ["a\r\nHost: evil", "a\nb", "a\0b", "\u{85}"] {
            let message = header_field("X", value).unwrap_err().to_string();
            assert!(message.contains("control characters"), "{message}");
        }
    }

    #[test]
    fn how_a_message_is_carried_is_not_the_workloads_to_say() {
        for name in ["Content-Length", "transfer-ENCODING", "Connection"] {
            let table = BTreeMap::from([(name.to_owned(), "1".to_owned())]);
            assert!(fields_of(&table).unwrap_err().to_string().contains("cannot be given"));
        }
        let twice = BTreeMap::from([("A".to_owned(), "1".to_owned()), ("a".into(), "2".into())]);
        assert!(fields_of(&twice).unwrap_err().to_string().contains("stands twice"));
    }

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

    #[test]
    fn a_secret_is_named_and_never_told() {
        assert_eq!(Secret::parse("env:TOKEN"), Ok(Secret::Environment("TOKEN".to_owned())));
        assert_eq!(Secret::parse("file:a/b:c"), Ok(Secret::File("a/b:c".to_owned())));
        for text in ["hunter2", "env:", "file:", "ENV:x"] {
            let message = Secret::parse(text).unwrap_err().to_string();
            assert!(!message.contains("hunter2") && message.contains("env:NAME"), "{message}");
        }
    }
}
