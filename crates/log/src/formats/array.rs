//! One array in place of lines: of objects, as `gcloud logging read --format=json` prints them, or
//! of strings, each a line. It may be the first member of an object, as in Azure's exports.

use std::borrow::Cow;
use std::sync::Arc;

use super::scanner::Scanner;
use super::{Cut, Format, Head, Take};
use crate::reason::Reason;
use crate::text::unescape;
use crate::time::Clock;

/// The elements of an array at a file's begin, a line each, for [`Head`], and the key that has the
/// array, if it stands in an object.
pub(super) fn lines(head: &Head<'_>) -> Option<(Option<String>, Vec<u8>)> {
    let text = head.bytes.trim_ascii_start();
    let wrapper = Scanner::new(text).first_key();
    let array = match &wrapper {
        Some(_) => text.get(memchr::memchr(b':', text)? + 1..)?.trim_ascii_start(),
        None => text,
    };
    let first = array.strip_prefix(b"[")?.trim_ascii_start().first()?;
    if !(*first == b'{' || (*first == b'"' && wrapper.is_none())) {
        return None;
    }
    let mut lines = Vec::new();
    // An error is no fault, and not reported: the begin of a file ends within an element.
    let _ = each_of(text, wrapper.as_deref(), &mut |element| {
        let spaced = |byte: &u8| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte };
        lines.extend(line(element).iter().map(spaced));
        lines.push(b'\n');
    });
    Some((wrapper, lines))
}

/// Passes the elements of an array, or of those that one object after another has under a key.
fn each_of<'a>(
    text: &'a [u8],
    wrapper: Option<&str>,
    each: &mut dyn FnMut(&'a [u8]),
) -> Result<(), Reason> {
    let mut scanner = Scanner::new(text);
    let Some(key) = wrapper else { return scanner.each_of(&[], each) };
    while scanner.has_more() {
        scanner.each_of(&[key], each)?;
    }
    Ok(())
}

/// The line that an element is.
fn line(element: &[u8]) -> Cow<'_, [u8]> {
    let string = element.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\""));
    string.map_or(Cow::Borrowed(element), |raw| Cow::Owned(unescape(raw)))
}

/// An array whose elements are lines of another format.
#[derive(Debug)]
pub(super) struct Array {
    /// The key of the object that the array stands in, as in Azure's `{"records": [...]}`.
    pub(super) wrapper: Option<String>,
    pub(super) lines: Arc<dyn Format>,
}

impl Format for Array {
    fn cut(&self) -> Cut {
        Cut::Whole
    }

    fn parts<'a>(&self, file: &'a [u8], each: &mut dyn FnMut(&'a [u8])) -> Result<(), Reason> {
        each_of(file.trim_ascii_start(), self.wrapper.as_deref(), each)
    }

    fn read(&self, element: &[u8], clock: &mut Clock, take: &mut Take<'_>) -> Result<(), Reason> {
        self.lines.read(&line(element), clock, take)
    }

    fn unused_fields(&self) -> Vec<String> {
        self.lines.unused_fields()
    }

    fn doubts(&self) -> Vec<String> {
        self.lines.doubts()
    }

    fn unit_open(&self) -> bool {
        self.lines.unit_open()
    }
}
