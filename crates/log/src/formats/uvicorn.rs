//! Uvicorn's own lines. They have no time, so that one must stand before them, as containers,
//! journals and loggers write it: that of the answer.

use super::FormatEntry;
use super::layout_format::first_fitting;

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "uvicorn",
    summary: "Uvicorn, the server of Python's ASGI, with a time before each line",
    source: "https://uvicorn.dev/concepts/logging/",
    example: include_str!("examples/uvicorn.log"),
    argument: None,
    open: |head, wanted| first_fitting(&[LINE], true, head, wanted),
};

const LINE: &str = "{address_port} - \"{request}\" {status}";
