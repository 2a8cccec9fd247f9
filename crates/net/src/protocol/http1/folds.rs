//! Folded header fields: old servers spread a field over several lines.

use super::HEADERS_MAX;

/// The head with its folded lines joined to those before by blanks, of the same length: RFC 9112,
/// section 5.2. Nothing if none is folded.
///
/// Of more than [`HEADERS_MAX`] the others stay as they are, and are refused in their turn: the
/// answer does not depend on how much of the head is there. The first line has no field that could
/// continue.
pub(super) fn unfolded(head: &[u8]) -> Option<Vec<u8>> {
    let first = memchr::memchr(b'\n', head)?;
    let (mut whole, mut folds) = (head.to_vec(), 0);
    for end in memchr::memchr_iter(b'\n', head).skip(1) {
        match head.get(end + 1) {
            Some(b' ' | b'\t') if folds < HEADERS_MAX => {
                folds += 1;
                whole[end] = b' ';
                if end > first + 1 && head[end - 1] == b'\r' {
                    whole[end - 1] = b' ';
                }
            }
            // The body follows, or there are too many.
            Some(b' ' | b'\t' | b'\r' | b'\n') => break,
            _ => {}
        }
    }
    (folds > 0).then_some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_joined_up_to_the_end_of_the_head() {
        let cases = [
            ("S\r\nA: b\r\n c\r\n\r\n d", Some("S\r\nA: b   c\r\n\r\n d")),
            ("S\nA: b\n\tc\n\td\nE: f\n\n", Some("S\nA: b \tc \td\nE: f\n\n")),
            ("S\r\nA: b\r\nC: d\r\n\r\n e\r\n f", None),
            ("S\r\n A: b\r\n\r\n", None),
            ("S\r\nA: b\r\n", None),
        ];
        for (head, joined) in cases {
            let found = unfolded(head.as_bytes());
            assert_eq!(found.as_deref(), joined.map(str::as_bytes), "{head:?}");
        }
        let joined = format!("S\r\nA: b{}", "   c".repeat(HEADERS_MAX));
        let many = format!("S\r\nA: b{}\r\n\r\n", "\r\n c".repeat(HEADERS_MAX + 1));
        let whole = format!("{joined}\r\n c\r\n\r\n");
        assert_eq!(unfolded(many.as_bytes()).as_deref(), Some(whole.as_bytes()));
    }
}
