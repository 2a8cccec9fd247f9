//! Caddy's JSON lines. Their time is that of the request's end, their durations are seconds.

use super::FormatEntry;
use super::dialect::Dialect;
use crate::field::Field;

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "caddy",
    summary: "Caddy's JSON lines",
    source: "https://caddyserver.com/docs/caddyfile/directives/log",
    example: include_str!("examples/caddy.log"),
    argument: None,
    open: |head, wanted| DIALECT.open(head, wanted),
};

/// Older versions have the address and port together.
const DIALECT: Dialect = Dialect {
    marks: &[&["ts", "request.uri"]],
    fields: &[
        ("ts", Field::AnyTime),
        ("duration", Field::AnyDuration),
        ("status", Field::Status),
        ("size", Field::Bytes),
        ("user_id", Field::User),
        ("request.remote_addr", Field::AddressPort),
        ("request.remote_ip", Field::Address),
        ("request.client_ip", Field::Address),
        ("request.proto", Field::Protocol),
        ("request.method", Field::Method),
        ("request.host", Field::Host),
        ("request.uri", Field::Url),
        ("request.headers.User-Agent", Field::Agent),
        ("request.headers.Referer", Field::Referrer),
    ],
    ends: true,
};
