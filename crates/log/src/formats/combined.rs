//! Combined Log Format.
//!
//! nginx's looks the same, but its time is that of the request's end. Without a duration the begin
//! is unknown, so both are read alike. If `$request_time` follows, the log is nginx's, and the
//! duration is subtracted; `X-Forwarded-For`, as in nginx's usual `main` format, gives the client.

use super::FormatEntry;
use super::layout_format::common_begin;

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "combined",
    summary: "Combined Log Format: Apache and nginx, with referrer and agent",
    source: "https://httpd.apache.org/docs/2.4/logs.html#combined",
    example: include_str!("examples/combined.log"),
    argument: None,
    open: |head, wanted| common_begin(" \"{referrer}\" \"{agent}\"", head, wanted),
};
