//! Common Log Format.

use super::FormatEntry;
use super::layout_format::common_begin;

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "common",
    summary: "Common Log Format: Apache, nginx and most others",
    source: "https://httpd.apache.org/docs/2.4/logs.html#common",
    example: include_str!("examples/common.log"),
    argument: None,
    open: |head, wanted| common_begin("", head, wanted),
};
