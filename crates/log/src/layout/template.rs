//! The notation in which the layouts of built-in formats are written: `{address} {-ident} ...`.

use thinktime_core::error::Invalid;

use super::{Builder, Layout};
use crate::field::Field;
use crate::time::{MICROSECOND, MILLISECOND, SECOND};

/// The fields by their names.
const FIELDS: &[(&str, Field)] = &[
    ("clf", Field::Clf),
    ("clf_millis", Field::ClfMillis),
    ("any_time", Field::AnyTime),
    ("date", Field::Date),
    ("time_of_day", Field::TimeOfDay),
    ("iso", Field::Iso),
    ("epoch", Field::Epoch(SECOND)),
    ("duration_s", Field::Duration(SECOND)),
    ("duration_ms", Field::Duration(MILLISECOND)),
    ("duration_us", Field::Duration(MICROSECOND)),
    ("duration_part", Field::DurationPart(SECOND)),
    ("timers", Field::Timers),
    ("any_duration", Field::AnyDuration),
    ("address", Field::Address),
    ("address_port", Field::AddressPort),
    ("forwarded", Field::Forwarded),
    ("ident", Field::Ident),
    ("agent", Field::Agent),
    ("user", Field::User),
    ("method", Field::Method),
    ("host", Field::Host),
    ("port", Field::Port),
    ("url", Field::Url),
    ("request", Field::Request),
    ("status", Field::Status),
    ("cache_status", Field::CacheStatus),
    ("bytes", Field::Bytes),
    ("bytes_or_dash", Field::BytesOrDash),
    ("referrer", Field::Referrer),
];

impl Layout {
    /// Compiles `{name}` for a field, `{-name}` for one that is skipped, and text. `ends` says that
    /// the time is that of the request's end. Without a time, that before the line is meant.
    pub(crate) fn template(text: &str, ends: bool) -> Result<Layout, Invalid> {
        let mut builder = Builder { timeless: true, ..Builder::default() };
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            builder.text(before);
            let (name, after) = after
                .split_once('}')
                .ok_or_else(|| Invalid::new(format!("`{text}` lacks a closing brace")))?;
            let field = FIELDS.iter().find(|field| field.0 == name).map(|field| field.1.clone());
            let field = match (name.strip_prefix('-'), field) {
                (_, Some(field)) => field,
                (Some(_), None) => Field::Skip,
                (None, None) => return Err(Invalid::new(format!("no field `{name}`"))),
            };
            builder.field(name.trim_start_matches('-'), field, ends);
            rest = after;
        }
        builder.text(rest);
        builder.finish("the format")
    }
}
