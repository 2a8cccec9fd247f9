//! Google Cloud's log entries of HTTP requests, with an `httpRequest`, one a line. `timestamp` is
//! the time of the request's arrival, and `latency` has a unit, as in `0.058s`.

use super::FormatEntry;
use super::dialect::Dialect;
use crate::field::Field;

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "gcp",
    summary: "Google Cloud's log entries of HTTP requests, as JSON lines",
    source: "https://cloud.google.com/logging/docs/reference/v2/rest/v2/LogEntry#HttpRequest",
    example: include_str!("examples/gcp.log"),
    argument: None,
    open: |head, wanted| DIALECT.open(head, wanted),
};

const DIALECT: Dialect = Dialect {
    marks: &[&["timestamp", "httpRequest.requestUrl"]],
    fields: &[
        ("timestamp", Field::AnyTime),
        ("httpRequest.latency", Field::AnyDuration),
        ("httpRequest.remoteIp", Field::Address),
        ("httpRequest.requestMethod", Field::Method),
        ("httpRequest.requestUrl", Field::Url),
        ("httpRequest.protocol", Field::Protocol),
        ("httpRequest.status", Field::Status),
        ("httpRequest.responseSize", Field::Bytes),
        ("httpRequest.userAgent", Field::Agent),
        ("httpRequest.referer", Field::Referrer),
    ],
    ends: false,
};
