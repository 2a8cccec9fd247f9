//! Microsoft's IIS: the W3C's format with spaces. Its time is that of the request's end, in UTC.

use super::{FormatEntry, w3c};

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "iis",
    summary: "Microsoft's IIS, and others that write the W3C's extended format",
    source: "https://learn.microsoft.com/en-us/windows/win32/http/w3c-logging",
    example: include_str!("examples/iis.log"),
    argument: Some("iis:duration_s=time-taken"),
    open: |head, wanted| w3c::open(w3c::IIS, head, wanted),
};
