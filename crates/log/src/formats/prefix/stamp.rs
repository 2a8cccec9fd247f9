//! Times before lines.

use crate::time::{Clock, Stamp};

/// The longest time, with its zone.
const LENGTH_MAX: usize = 40;

/// The text after a time such as `2026-11-22T10:00:00.123Z`, perhaps with a space for the `T`.
pub(super) fn after(line: &[u8]) -> Option<&[u8]> {
    let shape = line.get(..19)?.iter().zip(b"dddd-dd-ddTdd:dd:dd");
    let fits = shape.into_iter().all(|(byte, wanted)| match wanted {
        b'd' => byte.is_ascii_digit(),
        b'T' => matches!(byte, b'T' | b' '),
        _ => byte == wanted,
    });
    let rest = &line[19..];
    let zone = rest.get(..memchr::memchr(b' ', rest)?)?;
    let in_zone = |byte: &u8| byte.is_ascii_digit() || b".,:+-Zz".contains(byte);
    (fits && zone.iter().all(in_zone)).then(|| &rest[zone.len() + 1..])
}

/// The time with which a text begins: date and time with `T` or a space between them, perhaps with
/// a fraction and a zone.
pub(super) fn of(text: &[u8], clock: &mut Clock) -> Option<Stamp> {
    let in_time = |byte: &u8| byte.is_ascii_digit() || b".,:+-/TtZz".contains(byte);
    let text = &text[..text.len().min(LENGTH_MAX)];
    let word = |from: usize| text[from..].iter().take_while(|byte| in_time(byte)).count() + from;
    let first = word(0);
    let date_alone = first == 10 && text.get(first) == Some(&b' ');
    let mut end = if date_alone { word(first + 1) } else { first };
    if text.get(end) == Some(&b' ') && matches!(text.get(end + 1), Some(b'+' | b'-')) {
        let zone = word(end + 1);
        // A dash alone separates the time from what follows.
        if zone > end + 3 {
            end = zone;
        }
    }
    clock.iso(&text[..end]).or_else(|_| clock.iso(&text[..first])).ok()
}
