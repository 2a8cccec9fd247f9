//! One array in place of lines: of objects, as `gcloud logging read --format=json` prints them, or
//! of strings, each a line.

use std::borrow::Cow;
use std::sync::Arc;

use super::scanner::Scanner;
use super::{Cut, Format, Head, Take};
use crate::reason::Reason;
use crate::text::unescape;
use crate::time::Clock;

/// The elements of an array at a file's begin, a line each, for [`Head`].
pub(super) fn lines(head: &Head<'_>) -> Option<Vec<u8>> {
    let array = head.bytes.trim_ascii_start();
    let first = array.strip_prefix(b"[")?.trim_ascii_start().first()?;
    if !matches!(first, b'{' | b'"') {
        return None;
    }
    let mut lines = Vec::new();
    // An error is expected: the begin of a file ends within an element.
    let _ = Scanner::new(array).each_of(&[], &mut |element| {
        let spaced = |byte: &u8| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte };
        lines.extend(line(element).iter().map(spaced));
        lines.push(b'\n');
    });
    Some(lines)
}

/// The line that an element is.
fn line(element: &[u8]) -> Cow<'_, [u8]> {
    let string = element.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\""));
    string.map_or(Cow::Borrowed(element), |raw| Cow::Owned(unescape(raw)))
}

/// An array whose elements are lines of another format.
#[derive(Debug)]
pub(super) struct Array(pub(super) Arc<dyn Format>);

impl Format for Array {
    fn cut(&self) -> Cut {
        Cut::Whole
    }

    fn parts<'a>(&self, file: &'a [u8], each: &mut dyn FnMut(&'a [u8])) -> Result<(), Reason> {
        Scanner::new(file.trim_ascii_start()).each_of(&[], each)
    }

    fn read(&self, element: &[u8], clock: &mut Clock, take: &mut Take<'_>) -> Result<(), Reason> {
        self.0.read(&line(element), clock, take)
    }

    fn unused_fields(&self) -> Vec<String> {
        self.0.unused_fields()
    }

    fn doubts(&self) -> Vec<String> {
        self.0.doubts()
    }

    fn unit_open(&self) -> bool {
        self.0.unit_open()
    }
}
