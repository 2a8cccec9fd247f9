//! One request of a log.

use std::borrow::Cow;

use thinktime_core::time::Nanos;

use crate::reason::Reason;

/// A value of a log line as bytes, because logs hold clients' own text, valid UTF-8 or not.
///
/// It is borrowed from the line, unless escapes had to be decoded. Empty if the log has none.
pub type Text<'a> = Cow<'a, [u8]>;

/// One request of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry<'a> {
    /// When the request arrived, in nanoseconds since 1970-01-01 00:00 UTC, leap seconds not
    /// counted. If the format stamps the end and logs a duration, this is end minus duration. Only
    /// whole seconds of the duration count if the stamp has no finer steps.
    pub time_ns: i64,
    /// The steps in which the log's clock counts, in nanoseconds: 1 s, 1 ms or 1 us.
    ///
    /// If the format leaves the number of digits open, each stamp decides. A stamp that happens to
    /// end in zeros then looks coarser: take the smallest of several entries.
    pub resolution_ns: u64,
    /// From the request's arrival to the response's end, if it is logged.
    pub duration: Option<Nanos>,
    /// The client's address or name; the first of `X-Forwarded-For` if the format has that.
    pub address: Text<'a>,
    /// The client's name for itself (`User-Agent`).
    pub agent: Text<'a>,
    /// The field that [`Options::user`](crate::Options::user) names; else the authenticated user.
    pub user: Text<'a>,
    /// The method, as in `GET`.
    pub method: Text<'a>,
    /// The host that was asked, perhaps with a port.
    pub host: Text<'a>,
    /// The path, as in `/shop/cart`, without the query. Empty for CONNECT, which names a host.
    pub path: Text<'a>,
    /// The part after the question mark.
    pub query: Text<'a>,
    /// The protocol, as in `HTTP/1.1`.
    pub protocol: Text<'a>,
    /// The referring page (`Referer`).
    pub referrer: Text<'a>,
    /// The status, 100 to 999; none if no response was sent.
    pub status: Option<u16>,
    /// The response's size in bytes; of the body alone if the format has that.
    pub bytes: Option<u64>,
    /// A number that the address's requests of one page share, the page first and then its embedded
    /// objects, if the format names pages.
    pub page: Option<u32>,
}

impl Entry<'_> {
    /// The path with the query, as the client asked for it.
    #[must_use]
    pub fn target(&self) -> Text<'_> {
        if self.query.is_empty() {
            return Cow::Borrowed(&self.path);
        }
        Cow::Owned([&self.path[..], b"?", &self.query[..]].concat())
    }

    /// Whether it has a client and a request, without which it is no entry.
    ///
    /// # Errors
    /// With the missing part.
    #[inline]
    pub(crate) fn check(&self) -> Result<(), Reason> {
        if self.address.is_empty() && self.user.is_empty() {
            return Err(Reason::NoAddress);
        }
        // A method is letters alone, with hyphens in some of WebDAV's.
        let in_method = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_');
        if self.method.is_empty() || !self.method.iter().all(in_method) {
            return Err(Reason::NoMethod);
        }
        let names_host = &self.method[..] == b"CONNECT" && !self.host.is_empty();
        if self.path.is_empty() && !names_host { Err(Reason::NoPath) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_path_and_query() {
        let mut entry = Entry { path: Cow::Borrowed(b"/a"), ..Entry::default() };
        assert_eq!(&entry.target()[..], b"/a");
        entry.query = Cow::Borrowed(b"x=1");
        assert_eq!(&entry.target()[..], b"/a?x=1");
    }
}
