//! HAR, a browser's recording: one JSON text for the whole file. Its times are those of begins.

use std::sync::Arc;

use super::scanner::Scanner;
use super::tree::Node;
use super::{Cut, Format, FormatEntry, Take};
use crate::field::{Draft, Field};
use crate::reason::Reason;
use crate::time::{Clock, MILLISECOND};

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "har",
    summary: "HAR 1.2, a recording by a browser",
    source: "http://www.softwareishard.com/blog/har-12-spec/",
    example: include_str!("examples/browser.har"),
    argument: None,
    open: |head, _| {
        let begin = &head.bytes[..head.bytes.len().min(BEGIN_BYTES)];
        let is_har = begin.trim_ascii_start().starts_with(b"{")
            && memchr::memmem::find(begin, b"\"log\"").is_some()
            && [&b"\"creator\""[..], b"\"entries\"", b"\"pages\""]
                .iter()
                .any(|key| memchr::memmem::find(begin, key).is_some());
        let fields = FIELDS.iter().map(|(path, field)| (*path, field.clone(), false)).collect();
        let format = || Arc::new(Har { entry: Node::tree(fields) }) as Arc<dyn Format>;
        Ok(is_har.then(format))
    },
};

const BROWSER: &[u8] = b"browser";
/// A HAR is recognized within this many bytes.
const BEGIN_BYTES: usize = 4096;

/// The body's size, if known, comes after that of the unpacked content.
const FIELDS: &[(&str, Field)] = &[
    ("startedDateTime", Field::AnyTime),
    ("time", Field::Duration(MILLISECOND)),
    ("request.method", Field::Method),
    ("request.url", Field::Url),
    ("request.httpVersion", Field::Protocol),
    ("request.headers.User-Agent", Field::Agent),
    ("request.headers.Referer", Field::Referrer),
    ("response.status", Field::Status),
    ("response.content.size", Field::Bytes),
    ("response.bodySize", Field::Bytes),
];

/// One file. Entries from the browser's cache, or from the page itself, were no requests.
#[derive(Debug)]
struct Har {
    entry: Node,
}

impl Format for Har {
    fn cut(&self) -> Cut {
        Cut::Whole
    }

    fn parts<'a>(&self, file: &'a [u8], each: &mut dyn FnMut(&'a [u8])) -> Result<(), Reason> {
        Scanner::new(file).each_of(&["log", "entries"], each)
    }

    fn read(&self, text: &[u8], clock: &mut Clock, take: &mut Take<'_>) -> Result<(), Reason> {
        if memchr::memmem::find(text, b"\"_fromCache\":").is_some() {
            return Ok(());
        }
        let mut draft = Draft::default();
        // A recording belongs to one browser, which it does not name.
        draft.entry.address = BROWSER.into();
        Scanner::new(text).line(&self.entry, &mut draft, clock)?;
        let entry = draft.finish(false, clock)?;
        if !entry.path.starts_with(b"data:") {
            take(entry);
        }
        Ok(())
    }
}
