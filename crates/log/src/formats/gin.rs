//! Gin's own lines. Their times are those of the requests' ends, in the machine's zone, which they
//! do not name: they are read as UTC.

use super::FormatEntry;
use super::layout_format::first_fitting;

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "gin",
    summary: "Gin, the web framework of Go: its default logger",
    source: "https://gin-gonic.com/en/docs/examples/custom-log-format/",
    example: include_str!("examples/gin.log"),
    argument: None,
    open: |head, wanted| first_fitting(&[LINE], true, head, wanted),
};

const LINE: &str = concat!(
    "[GIN] {date} - {time_of_day} | {status} | {any_duration} | {address} | {method} ",
    "\"{url}\"",
);
