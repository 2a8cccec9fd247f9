//! One array of objects, as `gcloud logging read --format=json` prints them, in place of lines.

use std::sync::Arc;

use super::scanner::Scanner;
use super::{Cut, Format, Head, Take};
use crate::reason::Reason;
use crate::time::Clock;

/// The objects of an array at a file's begin, a line each, for [`Head`].
pub(super) fn lines(head: &Head<'_>) -> Option<Vec<u8>> {
    let array = head.bytes.trim_ascii_start();
    if !array.strip_prefix(b"[")?.trim_ascii_start().starts_with(b"{") {
        return None;
    }
    let mut lines = Vec::new();
    // The begin of a file ends within an object.
    let _ = Scanner::new(array).each_of(&[], &mut |object| {
        let spaced = |byte: &u8| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte };
        lines.extend(object.iter().map(spaced));
        lines.push(b'\n');
    });
    Some(lines)
}

/// An array whose objects are lines of another format.
#[derive(Debug)]
pub(super) struct Array(pub(super) Arc<dyn Format>);

impl Format for Array {
    fn cut(&self) -> Cut {
        Cut::Whole
    }

    fn read(&self, file: &[u8], clock: &mut Clock, take: &mut Take<'_>) -> Result<(), Reason> {
        let mut bad = Ok(());
        Scanner::new(file.trim_ascii_start()).each_of(&[], &mut |object| {
            if let Err(reason) = self.0.read(object, clock, take) {
                bad = Err(reason);
            }
        })?;
        bad
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
