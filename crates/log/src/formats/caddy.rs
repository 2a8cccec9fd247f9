//! Caddy's JSON lines. Their time is that of the request's end. Their durations are seconds with a
//! fraction, unless the option `duration_format` says otherwise: whole numbers are then
//! milliseconds or nanoseconds, which differ by their size, and texts have a unit.

use super::FormatEntry;
use super::dialect::{Dialect, largest_whole};
use super::keyed::Keyed;
use crate::field::Field;
use crate::time::MILLISECOND;

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "caddy",
    summary: "Caddy's JSON lines",
    source: "https://caddyserver.com/docs/caddyfile/directives/log",
    example: include_str!("examples/caddy.log"),
    argument: None,
    open: |head, wanted| {
        let whole = largest_whole(head, DURATION).filter(|largest| *largest > 0);
        let unit = whole.map(|largest| if largest < LONGEST_MS { MILLISECOND } else { 1 });
        DIALECT.open_as(head, wanted, |keyed| match unit {
            Some(unit) => of_unit(keyed, unit),
            None => keyed,
        })
    },
};

const DURATION: &str = "duration";
/// No request of the first lines takes as many milliseconds, a minute, and some take as many
/// nanoseconds.
const LONGEST_MS: u64 = 60_000;

fn of_unit(mut keyed: Keyed, unit: i64) -> Keyed {
    for (_, field, _) in keyed.fields.iter_mut().filter(|field| field.0 == DURATION) {
        *field = Field::DurationOr(unit);
    }
    keyed
}

/// Older versions have the address and port together.
const DIALECT: Dialect = Dialect {
    marks: &[&["ts", "request.uri"]],
    fields: &[
        ("ts", Field::AnyTime),
        (DURATION, Field::AnyDuration),
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
