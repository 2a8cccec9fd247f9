//! Whole lines within quotes: strings of JSON, and cells of tables.

use std::borrow::Cow;

use crate::entry::Text;
use crate::text::{part, unescape};
use crate::time::{Clock, Stamp};

/// The line within the quotes. A cell among others is the line if it has quotes of its own, which
/// are doubled.
pub(super) fn inner(line: &[u8]) -> Option<Text<'_>> {
    whole(line).or_else(|| cell(line).map(|(_, cell)| cell))
}

/// The text of a line that is one string: `"..."`, perhaps with a comma behind it. Its own quotes
/// are doubled, escaped, or as they were.
fn whole(line: &[u8]) -> Option<Text<'_>> {
    let line = line.trim_ascii();
    let line = line.strip_suffix(b",").unwrap_or(line);
    let raw = line.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    if !raw.contains(&b'"') {
        return Some(Cow::Owned(unescape(raw)));
    }
    let quotes = || memchr::memchr_iter(b'"', raw);
    if quotes().all(|at| at > 0 && raw[at - 1] == b'\\') {
        return Some(Cow::Owned(unescape(raw)));
    }
    if let Some(text) = undoubled(raw) {
        return Some(Cow::Owned(text));
    }
    // Several cells, each in quotes.
    let among = [&b"\",\""[..], b"\";\"", b"\"\t\"", b"\"|\""];
    let several = among.iter().any(|between| memchr::memmem::find(raw, between).is_some());
    (!several).then_some(Cow::Borrowed(raw))
}

/// A text whose quotes are all doubled, with single ones.
fn undoubled(raw: &[u8]) -> Option<Vec<u8>> {
    let mut text = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = memchr::memchr(b'"', rest) {
        text.extend_from_slice(&rest[..=at]);
        rest = rest[at + 1..].strip_prefix(b"\"")?;
    }
    text.extend_from_slice(rest);
    Some(text)
}

/// The longest cell with doubled quotes of a table's row, and its begin.
fn cell(line: &[u8]) -> Option<(usize, Text<'_>)> {
    let mut best: Option<(usize, &[u8])> = None;
    let mut from = 0;
    while let Some(at) = memchr::memchr(b'"', line.get(from..)?) {
        let begin = from + at + 1;
        let end = begin + end_of_cell(&line[begin..])?;
        let raw = &line[begin..end];
        if raw.contains(&b'"') && best.is_none_or(|best| raw.len() > best.1.len()) {
            best = Some((begin, raw));
        }
        from = end + 1;
    }
    let (begin, raw) = best?;
    let behind = line.get(begin + raw.len() + 1);
    let before = begin.checked_sub(2).map(|at| line[at]);
    let separates = |byte: Option<u8>| byte.is_none_or(|byte| b",;\t|".contains(&byte));
    if !separates(before) || !separates(behind.copied()) {
        return None;
    }
    Some((begin, Cow::Owned(undoubled(raw)?)))
}

/// The place of the quote that ends a cell.
fn end_of_cell(text: &[u8]) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + memchr::memchr(b'"', text.get(from..)?)?;
        if text.get(at + 1) != Some(&b'"') {
            return Some(at);
        }
        from = at + 2;
    }
}

/// The first cell of a row, if it is a time and the line is another.
pub(super) fn time(line: &[u8], clock: &mut Clock) -> Option<Stamp> {
    let (begin, _) = if whole(line).is_some() { return None } else { cell(line)? };
    let first = line[..begin].split(|byte| b",;\t|".contains(byte)).next()?;
    let text = Cow::Borrowed(first.trim_ascii());
    let inner = text.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\""));
    let range = inner.map_or(0..text.len(), |inner| 1..1 + inner.len());
    clock.any(&part(&text, range)).ok()
}
