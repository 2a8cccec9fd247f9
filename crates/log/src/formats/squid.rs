//! Squid's native format. Its time is that of the request's end.

use super::FormatEntry;
use super::layout_format::first_fitting;

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "squid",
    summary: "Squid's native access.log",
    source: "https://wiki.squid-cache.org/Features/LogFormat",
    example: include_str!("examples/squid.log"),
    argument: None,
    open: |head, wanted| first_fitting(&[TEMPLATE], true, head, wanted),
};

const TEMPLATE: &str = concat!(
    "{epoch} {duration_ms} {address} {cache_status} {bytes} {method} {url} {user} ",
    "{-hierarchy} {-type}",
);
