//! Common Log Format.

use super::FormatEntry;
use super::layout_format::first_fitting_with_extras;

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "common",
    summary: "Common Log Format: Apache, nginx and most others",
    source: "https://httpd.apache.org/docs/2.4/logs.html#common",
    example: include_str!("examples/common.log"),
    argument: None,
    open: |head, wanted| first_fitting_with_extras(&[WITH_HOST, PLAIN], head, wanted),
};

const WITH_HOST: &str =
    "{host}:{port} {address} {-ident} {user} [{clf}] \"{request}\" {status} {bytes_or_dash}";
const PLAIN: &str = "{address} {-ident} {user} [{clf}] \"{request}\" {status} {bytes_or_dash}";
