//! The meanings of a line's fields.

use crate::time::Pattern;

/// The meaning of a field.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Field {
    /// Ignored.
    Skip,
    /// A port, which distinguishes a line with a host before it from others.
    Port,
    /// A time such as `17/May/2015:10:05:03 +0000`.
    Clf,
    /// A time such as `17/May/2015:10:05:03.123`, of an unknown zone.
    ClfMillis,
    /// A time such as `2015-05-17T10:05:03.123Z`.
    Iso,
    /// A number since 1970, in units of this many nanoseconds.
    Epoch(i64),
    /// A time in any of these forms.
    AnyTime,
    /// A day or a time of day, which completes a time. Anything else is ignored.
    DayOrTime,
    /// The time of the request's end, beside that of its begin.
    End,
    /// A part of a time.
    Pattern(Pattern),
    /// A date such as `2015-05-17`.
    Date,
    /// A time of day such as `10:05:03`.
    TimeOfDay,
    /// The duration of the request, in units of this many nanoseconds.
    Duration(i64),
    /// A part of the request's duration, with a unit or in units of this many nanoseconds; -1 if
    /// the request did not reach it.
    DurationPart(i64),
    /// Times of phases in milliseconds, as in `10/0/30/69/109`: the last one is the whole, unless a
    /// plus sign says that the request was still in progress.
    Timers,
    /// The duration of the request, in seconds or with a unit, as in `1.5ms` or `1m2.5s`.
    AnyDuration,
    /// The same, but numbers without a unit are in units of this many nanoseconds.
    DurationOr(i64),
    /// The client's address.
    Address,
    /// The client's address and port.
    AddressPort,
    /// The word after the first one: the client's name for itself, which nobody uses today. If it
    /// is an address and the first word is a name, it is the client's, and the first is the host.
    Ident,
    /// `X-Forwarded-For`: addresses, the client's first.
    Forwarded,
    /// `User-Agent`.
    Agent,
    /// The authenticated user.
    User,
    /// The method.
    Method,
    /// The host.
    Host,
    /// The path, perhaps with the query, perhaps after scheme and host.
    Url,
    /// The host, and behind it the path, without a scheme.
    HostAndUrl,
    /// The query.
    Query,
    /// The protocol.
    Protocol,
    /// Method, target and protocol.
    Request,
    /// The status.
    Status,
    /// The proxy's result word and the status, as in `TCP_HIT/200`.
    CacheStatus,
    /// The response's size in bytes.
    Bytes,
    /// The same, but `-` means zero.
    BytesOrDash,
    /// `Referer`.
    Referrer,
}
