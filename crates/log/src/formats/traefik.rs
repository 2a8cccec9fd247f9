//! Traefik's access log. As text it is the Common Log Format with extra fields, of which the last
//! is the duration in milliseconds; in JSON durations are nanoseconds. Its time, `StartUTC`, is
//! that of the request's begin.

use super::FormatEntry;
use super::dialect::Dialect;
use super::layout_format::first_fitting;
use crate::field::Field;

const SOURCE: &str = "https://doc.traefik.io/traefik/observability/access-logs/";

pub(super) static TEXT: FormatEntry = FormatEntry {
    name: "traefik",
    summary: "Traefik's text, the Common Log Format with the duration at its end",
    source: SOURCE,
    example: include_str!("examples/traefik.log"),
    argument: None,
    open: |head, wanted| first_fitting(&[TEMPLATE], false, head, wanted),
};

pub(super) static JSON: FormatEntry = FormatEntry {
    name: "traefik-json",
    summary: "Traefik's JSON lines",
    source: SOURCE,
    example: include_str!("examples/traefik-json.log"),
    argument: None,
    open: |head, wanted| DIALECT.open(head, wanted),
};

/// The client's address is that in `X-Forwarded-For`, if present.
const TEMPLATE: &str = concat!(
    "{forwarded} - {user} [{clf}] \"{request}\" {status} {bytes_or_dash} \"{referrer}\" ",
    "\"{agent}\" {-count} \"{-router}\" \"{-server}\" {duration_ms}ms",
);

const DIALECT: Dialect = Dialect {
    marks: &[&["StartUTC", "RequestMethod"], &["Duration", "DownstreamStatus", "RequestMethod"]],
    fields: &[
        ("StartLocal", Field::AnyTime),
        ("StartUTC", Field::AnyTime),
        ("Duration", Field::Duration(1)),
        ("RequestMethod", Field::Method),
        ("RequestPath", Field::Url),
        ("RequestProtocol", Field::Protocol),
        ("RequestHost", Field::Host),
        ("DownstreamStatus", Field::Status),
        ("DownstreamContentSize", Field::Bytes),
        ("ClientHost", Field::Forwarded),
        ("ClientUsername", Field::User),
        ("request_User-Agent", Field::Agent),
        ("request_Referer", Field::Referrer),
    ],
    ends: false,
};
