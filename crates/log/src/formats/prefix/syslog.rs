//! Lines of system logs.

use super::{NAME_MAX, after_space};

/// The text after `<190>`; the whole line without such a number.
pub(super) fn after_priority(line: &[u8]) -> &[u8] {
    let Some(inner) = line.strip_prefix(b"<") else { return line };
    let digits = inner.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match inner.get(digits) {
        Some(b'>') if (1..=3).contains(&digits) => &inner[digits + 1..],
        _ => line,
    }
}

/// The text of a line of RFC 3164.
pub(super) fn old(line: &[u8]) -> Option<&[u8]> {
    let line = after_priority(line);
    let stamp = line.get(..15)?;
    let months = [b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun"];
    let others = [b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"];
    let in_year = months.iter().chain(&others).any(|month| stamp.starts_with(*month));
    let in_stamp = |byte: &u8| byte.is_ascii_digit() || b" :".contains(byte);
    if !in_year || !stamp[3..].iter().all(in_stamp) || (stamp[9], stamp[12]) != (b':', b':') {
        return None;
    }
    // A fraction may follow.
    tagged(after_space(&line[15..])?)
}

/// The text after `host program[pid]: `, or after the program alone.
pub(super) fn tagged(rest: &[u8]) -> Option<&[u8]> {
    let end = memchr::memmem::find(rest, b": ")?;
    let tag = &rest[..end];
    let in_tag = |byte: &u8| byte.is_ascii_graphic() && *byte != b'"' || *byte == b' ';
    let spaces = tag.iter().filter(|byte| **byte == b' ').count();
    let fits = end <= NAME_MAX && spaces <= 1 && tag.iter().all(in_tag) && !tag.is_empty();
    fits.then(|| &rest[end + 2..])
}

/// The text of a line of RFC 5424. Heroku's lines have no structured data.
pub(super) fn new(line: &[u8]) -> Option<&[u8]> {
    let rest = after_priority(line);
    if rest.len() == line.len() {
        return None;
    }
    // Version, time, host, program, process, message.
    let mut rest = rest.strip_prefix(b"1 ")?;
    for _ in 0..5 {
        rest = after_space(rest)?;
    }
    let rest = match rest.first()? {
        b'-' => rest.get(2..)?,
        b'[' => rest.get(memchr::memmem::find(rest, b"] ")? + 2..)?,
        _ => rest,
    };
    Some(rest.strip_prefix(b"\xef\xbb\xbf").unwrap_or(rest))
}
