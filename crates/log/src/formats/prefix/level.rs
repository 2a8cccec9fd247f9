//! What loggers write before a message: its time, its level, and the names of program and process.

use super::NAME_MAX;

/// The names of levels, in capital letters.
const LEVELS: [&[u8]; 8] =
    [b"INFO", b"WARNING", b"WARN", b"ERROR", b"DEBUG", b"NOTICE", b"CRITICAL", b"TRACE"];

/// The text after the level and what separates it: `INFO:     TEXT`, `INFO:program:TEXT`,
/// `2026-11-22 10:00:00,123 [INFO] program: TEXT`, `... - program - INFO - TEXT`.
pub(super) fn after(line: &[u8]) -> Option<&[u8]> {
    let begin = &line[..line.len().min(NAME_MAX)];
    let end = end_of_level(begin)?;
    let separates = |byte: &u8| b" :|-]\t".contains(byte);
    let rest = &line[end..];
    let rest = &rest[rest.iter().take_while(|byte| separates(byte)).count()..];
    let direct = line[end..].starts_with(b":") && !line[end..].starts_with(b": ");
    Some(after_name(rest, direct))
}

/// The end of the first word that is a level. Before it stand a time, names and numbers, but no
/// texts in quotes and no addresses.
fn end_of_level(begin: &[u8]) -> Option<usize> {
    let mut from = 0;
    for word in begin.split(|byte| !byte.is_ascii_alphabetic()) {
        if LEVELS.iter().any(|level| word.eq_ignore_ascii_case(level)) {
            let before = &begin[..from];
            let plain =
                |byte: &u8| byte.is_ascii_alphanumeric() || b" -_.,:+/[]()|#".contains(byte);
            return before.iter().all(plain).then_some(from + word.len());
        }
        from += word.len() + 1;
    }
    None
}

/// The text after a logger's name: `program:TEXT` directly behind the level, or `program: TEXT`.
fn after_name(rest: &[u8], direct: bool) -> &[u8] {
    let in_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-".contains(byte);
    let length = rest.iter().take_while(|byte| in_name(byte)).count();
    // `[TIME LEVEL program::module] TEXT` and `LEVEL program::module: TEXT`, as in Rust.
    let in_path = |byte: &u8| in_name(byte) || *byte == b':';
    let (path, behind) = rest.split_at(rest.iter().take_while(|byte| in_path(byte)).count());
    let is_module = memchr::memmem::find(path, b"::").is_some() && path.ends_with(b":");
    match behind {
        [b']', b' ', text @ ..] if !path.is_empty() => return text,
        [b' ', text @ ..] if is_module => return text,
        _ => {}
    }
    let named =
        rest.first().is_some_and(u8::is_ascii_alphabetic) && rest.get(length) == Some(&b':');
    match rest.get(length + 1) {
        Some(b' ') if named => rest[length + 1..].trim_ascii_start(),
        Some(_) if named && direct => &rest[length + 1..],
        _ => rest,
    }
}
