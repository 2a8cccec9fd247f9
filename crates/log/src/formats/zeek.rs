//! Zeek's `http.log` with tabs: the requests that a monitor has seen, with the times at which they
//! began.

use super::{FormatEntry, w3c};

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "zeek",
    summary: "Zeek's http.log, as columns between tabs",
    source: "https://docs.zeek.org/en/master/logs/http.html",
    example: include_str!("examples/zeek.log"),
    argument: None,
    open: |head, wanted| w3c::open(w3c::ZEEK, head, wanted),
};
