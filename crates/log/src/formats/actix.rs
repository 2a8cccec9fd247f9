//! The lines of Actix Web's logger. They have no time, so that one must stand before them, as
//! loggers write it: that of the answer.

use super::FormatEntry;
use super::layout_format::first_fitting;

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "actix",
    summary: "Actix Web, the framework of Rust: its default logger, with a time before each line",
    source: "https://docs.rs/actix-web/latest/actix_web/middleware/struct.Logger.html",
    example: include_str!("examples/actix.log"),
    argument: None,
    open: |head, wanted| first_fitting(&[LINE], true, head, wanted),
};

const LINE: &str =
    "{address} \"{request}\" {status} {bytes} \"{referrer}\" \"{agent}\" {duration_s}";
