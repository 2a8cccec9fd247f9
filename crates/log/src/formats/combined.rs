//! Combined Log Format.
//!
//! nginx's looks the same, but its time is that of the request's end. Without a duration nothing
//! can be taken back, so both are read alike: where nginx's durations matter, add `$request_time`
//! to its `log_format`, and name that.

use super::Known;
use super::laid::first_fitting;

pub(super) static KNOWN: Known = Known {
    name: "combined",
    summary: "Combined Log Format: Apache and nginx, with referrer and agent",
    source: "https://httpd.apache.org/docs/2.4/logs.html#combined",
    example: include_str!("examples/combined.log"),
    argument: None,
    open: |head, wanted| first_fitting(&[WITH_HOST, PLAIN], false, head, wanted),
};

const WITH_HOST: &str = concat!(
    "{host}:{port} {address} {-ident} {user} [{clf}] \"{request}\" {status} {bytes_or_dash} ",
    "\"{referrer}\" \"{agent}\"",
);
const PLAIN: &str = concat!(
    "{address} {-ident} {user} [{clf}] \"{request}\" {status} {bytes_or_dash} ",
    "\"{referrer}\" \"{agent}\"",
);
