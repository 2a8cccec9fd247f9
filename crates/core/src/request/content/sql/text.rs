//! The places of parameters in a statement of SQL, as PostgreSQL reads it.

use thinktime_file::error::Invalid;

/// A statement.
pub(crate) struct Text<'a> {
    pub(crate) whole: &'a str,
    /// The places of its parameters, in their order.
    pub(crate) marks: Vec<Mark>,
}

/// A parameter, as in `$1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) begin: usize,
    pub(crate) end: usize,
    /// From 1 on.
    pub(crate) number: usize,
}

/// The words by which a transaction begins or ends.
const CONTROL: [&str; 7] = ["begin", "start", "commit", "end", "rollback", "abort", "prepare"];

impl<'a> Text<'a> {
    /// Reads one statement. The server checks whether it is valid SQL.
    ///
    /// # Errors
    /// When it is empty, or several, or begins or ends a transaction.
    pub(crate) fn read(whole: &'a str) -> Result<Text<'a>, Invalid> {
        let mut marks = Vec::new();
        let (mut at, mut over, mut first) = (0, false, None);
        let bytes = whole.as_bytes();
        while at < bytes.len() {
            let end = token_end(bytes, at);
            let token = &bytes[at..end];
            let blank = token[0].is_ascii_whitespace() || is_comment(token);
            if token == b";" {
                over = true;
            } else if over && !blank {
                return Err(Invalid::new("holds several statements: `transaction` is for these"));
            } else if !blank {
                first.get_or_insert(at..end);
            }
            if let [b'$', digits @ ..] = token
                && !digits.is_empty()
                && digits.iter().all(u8::is_ascii_digit)
            {
                let number = number(digits)?;
                marks.push(Mark { begin: at, end, number });
            }
            at = end;
        }
        let Some(first) = first else { return Err(Invalid::new("has no statement")) };
        let word = whole[first].to_ascii_lowercase();
        if CONTROL.contains(&word.as_str()) {
            return Err(Invalid::new(format!(
                "`{word}` begins or ends a transaction: `transaction` is for the statements of \
                 one, which begins and ends by itself"
            )));
        }
        Ok(Text { whole, marks })
    }
}

fn number(digits: &[u8]) -> Result<usize, Invalid> {
    let text = String::from_utf8_lossy(digits);
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err(Invalid::new(format!("`${text}` is no parameter: the first one is `$1`"))),
    }
}

fn is_comment(token: &[u8]) -> bool {
    token.starts_with(b"--") || token.starts_with(b"/*")
}

/// The end of the token that begins here, at most the end of the text. Tokens are words and
/// numbers, quoted texts, comments, parameters, and any other byte.
fn token_end(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    let length = match rest[0] {
        b'\'' => quoted(rest, b'\'', false),
        b'"' => quoted(rest, b'"', false),
        b'e' | b'E' if rest.get(1) == Some(&b'\'') => 1 + quoted(&rest[1..], b'\'', true),
        b'-' if rest.starts_with(b"--") => {
            rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |end| end + 1)
        }
        b'/' if rest.starts_with(b"/*") => comment(rest),
        b'$' => dollar(rest),
        byte if is_word(byte) => rest.iter().take_while(|byte| in_word(**byte)).count(),
        _ => 1,
    };
    at + length.min(rest.len())
}

/// Begins a word or a number. Letters of other scripts count as words, too.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

fn in_word(byte: u8) -> bool {
    is_word(byte) || byte == b'$'
}

/// The length of a quoted text. A doubled quote begins the next such token, which makes no
/// difference here.
fn quoted(rest: &[u8], quote: u8, escapes: bool) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' if escapes => at += 1,
            byte if byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    rest.len()
}

/// The length of a comment, which may contain others.
fn comment(rest: &[u8]) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < rest.len() {
        if rest[at..].starts_with(b"/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest[at..].starts_with(b"*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

/// The length of a parameter, of a text between `$tag$` and `$tag$`, or of a dollar sign.
fn dollar(rest: &[u8]) -> usize {
    let digits = rest[1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits > 0 {
        return 1 + digits;
    }
    let tag = 1 + rest[1..].iter().take_while(|byte| is_word(**byte)).count();
    if rest.get(tag) != Some(&b'$') {
        return 1;
    }
    let mark = &rest[..=tag];
    let end = rest[mark.len()..].windows(mark.len()).position(|held| held == mark);
    end.map_or(rest.len(), |end| end + 2 * mark.len())
}
