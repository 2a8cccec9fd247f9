//! The numbers of tokens that a line of JSON reports, as servers of language models do:
//! `"usage": {"prompt_tokens": 9, "completion_tokens": 12}`, or with `input_tokens` and
//! `output_tokens`. The line comes in pieces of any size, and is not kept.

use memchr::memmem;
use thinktime_core::attempt::TokenCounts;

/// The key before the numbers.
const KEY: &[u8] = b"\"usage\"";
/// The kept beginning of the key's value: enough for its first numbers.
const VALUE_BYTES: usize = 256;
const PROMPT: [&[u8]; 2] = [b"\"prompt_tokens\"", b"\"input_tokens\""];
const OUTPUT: [&[u8]; 2] = [b"\"completion_tokens\"", b"\"output_tokens\""];

/// Reads lines of JSON for the numbers of the last `usage`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TokenUsage {
    /// The end of what was read of the line, shorter than the key, until the key was found.
    before: Vec<u8>,
    /// The beginning of the key's value, once it was found.
    value: Option<Vec<u8>>,
    counts: TokenCounts,
}

impl TokenUsage {
    /// The numbers so far; 0 without any.
    pub(super) fn counts(&self) -> TokenCounts {
        self.counts
    }

    /// Takes a piece of the line.
    pub(super) fn read(&mut self, piece: &[u8]) {
        let mut rest = piece;
        loop {
            if let Some(value) = &mut self.value {
                let room = VALUE_BYTES - value.len();
                value.extend_from_slice(&rest[..rest.len().min(room)]);
                if begins_an_object(value) {
                    return;
                }
                // The word was a text, or has no numbers.
                self.value = None;
            }
            let Some(after) = self.find(rest) else { return self.keep_end(rest) };
            self.value = Some(Vec::new());
            self.before.clear();
            rest = after;
        }
    }

    /// What follows the key, which may have begun in an earlier piece.
    fn find<'a>(&mut self, piece: &'a [u8]) -> Option<&'a [u8]> {
        if !self.before.is_empty() {
            let (before, head) = (self.before.len(), piece.len().min(KEY.len() - 1));
            self.before.extend_from_slice(&piece[..head]);
            let found = memmem::find(&self.before, KEY);
            self.before.truncate(before);
            if let Some(at) = found {
                return Some(&piece[at + KEY.len() - before..]);
            }
        }
        memmem::find(piece, KEY).map(|at| &piece[at + KEY.len()..])
    }

    /// The line has ended.
    pub(super) fn end_line(&mut self) {
        self.before.clear();
        let Some(value) = self.value.take() else { return };
        let number = |keys: [&[u8]; 2]| keys.into_iter().find_map(|key| number_of(&value, key));
        if let Some(prompt) = number(PROMPT) {
            self.counts.prompt = prompt;
        }
        if let Some(output) = number(OUTPUT) {
            self.counts.output = output;
        }
    }

    /// Keeps what may be the beginning of the key.
    fn keep_end(&mut self, piece: &[u8]) {
        let most = KEY.len() - 1;
        if piece.len() >= most {
            self.before.clear();
        }
        self.before.extend_from_slice(&piece[piece.len().saturating_sub(most)..]);
        self.before.drain(..self.before.len().saturating_sub(most));
    }
}

/// Whether this may be a colon and an object.
fn begins_an_object(value: &[u8]) -> bool {
    match value.trim_ascii_start() {
        [] => true,
        [b':', rest @ ..] => matches!(rest.trim_ascii_start(), [] | [b'{', ..]),
        _ => false,
    }
}

/// The whole number after a key and its colon.
fn number_of(value: &[u8], key: &[u8]) -> Option<u32> {
    let after = &value[memmem::find(value, key)? + key.len()..];
    let after = after.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    let digits = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&after[..digits]).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn counts(lines: &[&[&str]]) -> (u32, u32) {
        let mut usage = TokenUsage::default();
        for pieces in lines {
            pieces.iter().for_each(|piece| usage.read(piece.as_bytes()));
            usage.end_line();
        }
        (usage.counts().prompt, usage.counts().output)
    }

    #[test]
    fn the_last_line_that_reports_numbers_counts() {
        let chat =
            r#"data: {"usage":{"prompt_tokens":9,"total_tokens":21,"completion_tokens":12}}"#;
        assert_eq!(counts(&[&[chat]]), (9, 12));
        let null = r#"data: {"choices":[{"delta":{"content":"a"}}],"usage":null}"#;
        assert_eq!(counts(&[&[null], &[chat], &[null]]), (9, 12));
        let responses = r#"{"response": {"usage": {"input_tokens": 4, "output_tokens": 300}}}"#;
        assert_eq!(counts(&[&[chat], &[responses]]), (4, 300));
        assert_eq!(counts(&[&[r#"{"prompt_tokens": 3}"#]]), (0, 0));
        let text = r#"{"delta":"usage","none":{"usage":null},"usage":{"prompt_tokens":2}}"#;
        assert_eq!(counts(&[&[text]]), (2, 0));
        assert_eq!(counts(&[&[r#"{"usage":{"prompt_tokens":99999999999}}"#]]), (0, 0));
    }

    proptest! {
        #[test]
        fn pieces_of_any_size_tell_the_same(
            cuts in prop::collection::vec(1..12_usize, 0..40),
            before in "([a-z\"{}:]|\"usage\"){0,30}",
        ) {
            let line = before + r#""usage": {"prompt_tokens": 7, "completion_tokens": 5}"#;
            let (mut pieces, mut rest) = (Vec::new(), &line[..]);
            for cut in cuts {
                let (piece, left) = rest.split_at(cut.min(rest.len()));
                pieces.push(piece);
                rest = left;
            }
            pieces.push(rest);
            prop_assert_eq!(counts(&[&pieces]), (7, 5));
        }
    }
}
