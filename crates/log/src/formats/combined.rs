//! Combined Log Format.
//!
//! nginx's looks the same, but its time is that of the request's end. Without a duration the begin
//! is unknown, so both are read alike. If `$request_time` follows, the log is nginx's, and the
//! duration is subtracted; `X-Forwarded-For`, as in nginx's usual `main` format, gives the client.

use super::FormatEntry;
use super::layout_format::first_fitting_with_extras;

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "combined",
    summary: "Combined Log Format: Apache and nginx, with referrer and agent",
    source: "https://httpd.apache.org/docs/2.4/logs.html#combined",
    example: include_str!("examples/combined.log"),
    argument: None,
    open: |head, wanted| first_fitting_with_extras(&[WITH_HOST, PLAIN], head, wanted),
};

const WITH_HOST: &str = concat!(
    "{host}:{port} {address} {-ident} {user} [{clf}] \"{request}\" {status} {bytes_or_dash} ",
    "\"{referrer}\" \"{agent}\"",
);
const PLAIN: &str = concat!(
    "{address} {-ident} {user} [{clf}] \"{request}\" {status} {bytes_or_dash} ",
    "\"{referrer}\" \"{agent}\"",
);
