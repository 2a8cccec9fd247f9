//! The action of a request.

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
