//! The work of a parsing thread on a chunk.

use std::sync::Arc;

use super::cutter::{Chunk, LINE_BYTES_MAX};
use crate::entry::Entry;
use crate::filter::Filter;
use crate::formats::{Cut, Format};
use crate::reason::Reason;
use crate::report::FileReport;
use crate::time::Clock;

/// A chunk that was read.
#[derive(Debug)]
pub(super) struct Parsed<Batch> {
    pub(super) chunk: Chunk,
    pub(super) batch: Batch,
    pub(super) report: FileReport,
}

/// Reads all lines of a chunk.
pub(super) fn parse<Batch>(
    chunk: &Chunk,
    clock: &mut Clock,
    filter: &Filter,
    digest: &(impl Fn(&Entry<'_>, &mut Batch) + Sync),
    batch: &mut Batch,
) -> FileReport {
    let mut report = FileReport::default();
    let Some(format) = &chunk.format else { return report };
    let bytes = &chunk.buffer[..chunk.length];
    report.bytes = chunk.length as u64;
    let (mut entries, mut dropped, mut resolution_ns) = (0, 0, u64::MAX);
    let mut take = |entry: &Entry<'_>| {
        if !filter.accepts(entry) {
            dropped += 1;
            return;
        }
        entries += 1;
        resolution_ns = resolution_ns.min(entry.resolution_ns);
        digest(entry, batch);
    };
    match format.cut() {
        Cut::Lines => lines(bytes, format, clock, &mut take, &mut report),
        Cut::Whole => {
            let mut each = |part| note(format.read(part, clock, &mut take), part, &mut report);
            if let Err(reason) = format.parts(bytes, &mut each) {
                note(Err(reason), bytes, &mut report);
            }
        }
        Cut::Records(size) => {
            for record in bytes.chunks_exact(size) {
                note(format.read(record, clock, &mut take), record, &mut report);
            }
        }
    }
    (report.entries, report.dropped) = (entries, dropped);
    report.resolution_ns = if entries > 0 { resolution_ns } else { 0 };
    report
}

fn lines(
    bytes: &[u8],
    format: &Arc<dyn Format>,
    clock: &mut Clock,
    take: &mut dyn FnMut(&Entry<'_>),
    report: &mut FileReport,
) {
    // The lines of other formats that begin with `#` are comments.
    let mut changed: Option<Arc<dyn Format>> = None;
    let mut format = &**format;
    let mut begin = 0;
    for end in memchr::memchr_iter(b'\n', bytes) {
        let line = &bytes[begin..end];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        begin = end + 1;
        match line.first() {
            Some(b'#') => {
                report.lines += 1;
                if let Some(following) = format.directive(line) {
                    format = &**changed.insert(following);
                }
            }
            None => report.lines += 1,
            Some(_) if line.len() > LINE_BYTES_MAX => note(Err(Reason::TooLong), line, report),
            Some(_) => note(format.read(line, clock, take), line, report),
        }
    }
}

/// Counts entries and errors.
#[inline]
fn note(read: Result<(), Reason>, text: &[u8], report: &mut FileReport) {
    report.lines += 1;
    if let Err(reason) = read
        && !text.trim_ascii().is_empty()
    {
        let reason = if reason == Reason::TooLong { reason } else { reason.of_line(text) };
        report.add_bad(reason, report.lines, text);
    }
}
