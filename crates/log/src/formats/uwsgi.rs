//! uWSGI's own lines. Their times are those of the requests' begins, in the machine's zone, which
//! they do not name: they are read as UTC.

use super::FormatEntry;
use super::layout_format::first_fitting;

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "uwsgi",
    summary: "uWSGI: its default lines",
    source: "https://uwsgi-docs.readthedocs.io/en/latest/Logging.html",
    example: include_str!("examples/uwsgi.log"),
    argument: None,
    open: |head, wanted| first_fitting(&[MILLIS, MICROS], false, head, wanted),
};

const MILLIS: &str = concat!(
    "[pid: {-pid}|app: {-app}|req: {-req}] {address} ({user}) {-sizes} [{any_time}] {method} ",
    "{url} => generated {bytes} bytes in {duration_ms} msecs ({-protocol} {status})",
);
/// By `log-micros`.
const MICROS: &str = concat!(
    "[pid: {-pid}|app: {-app}|req: {-req}] {address} ({user}) {-sizes} [{any_time}] {method} ",
    "{url} => generated {bytes} bytes in {duration_us} micros ({-protocol} {status})",
);
