//! Finds values in JSON (RFC 8259) without building anything, and skips the rest.
//!
//! Skipped text is not fully checked: a reader of logs should not be strict.

mod arrays;
mod paths;

use std::borrow::Cow;
use std::collections::HashMap;

pub(super) use paths::Paths;

use super::tree::Node;
use crate::entry::Text;
use crate::field::{Draft, Field};
use crate::reason::Reason;
use crate::text::unescape;
use crate::time::Clock;

/// A place in a JSON text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
}

const BAD: Reason = Reason::NotThisFormat;

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a [u8]) -> Scanner<'a> {
        Scanner { text, at: 0 }
    }

    /// Reads a text that is one object.
    pub(super) fn line(
        mut self,
        root: &Node,
        draft: &mut Draft<'a>,
        clock: &mut Clock,
    ) -> Result<(), Reason> {
        if self.peek() != Some(b'{') {
            return Err(BAD);
        }
        self.value(root, draft, clock)?;
        if self.peek().is_some() { Err(BAD) } else { Ok(()) }
    }

    /// The next byte that is no space.
    fn peek(&mut self) -> Option<u8> {
        while let Some(byte) = self.text.get(self.at) {
            if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Some(*byte);
            }
            self.at += 1;
        }
        None
    }

    fn expect(&mut self, byte: u8) -> Result<(), Reason> {
        if self.peek() != Some(byte) {
            return Err(BAD);
        }
        self.at += 1;
        Ok(())
    }

    /// After a value: whether another one follows.
    fn more(&mut self, end: u8) -> Result<bool, Reason> {
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                Ok(true)
            }
            Some(byte) if byte == end => {
                self.at += 1;
                Ok(false)
            }
            _ => Err(BAD),
        }
    }

    /// Iterates over an object: `each` gets every key, and must skip its value.
    fn object(
        &mut self,
        mut each: impl FnMut(&mut Self, &'a [u8]) -> Result<(), Reason>,
    ) -> Result<(), Reason> {
        self.expect(b'{')?;
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(());
        }
        loop {
            let (key, _) = self.string()?;
            self.expect(b':')?;
            each(self, key)?;
            if !self.more(b'}')? {
                return Ok(());
            }
        }
    }

    /// Iterates over an array: `each` gets the number of every value, and must skip it.
    fn array(
        &mut self,
        mut each: impl FnMut(&mut Self, usize) -> Result<(), Reason>,
    ) -> Result<(), Reason> {
        self.expect(b'[')?;
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(());
        }
        for place in 0.. {
            each(self, place)?;
            if !self.more(b']')? {
                break;
            }
        }
        Ok(())
    }

    /// A string in its source form, and whether it has escapes.
    fn string(&mut self) -> Result<(&'a [u8], bool), Reason> {
        self.expect(b'"')?;
        let begin = self.at;
        let mut escaped = false;
        loop {
            let rest = self.text.get(self.at..).ok_or(BAD)?;
            self.at += memchr::memchr2(b'"', b'\\', rest).ok_or(BAD)?;
            if self.text[self.at] == b'"' {
                self.at += 1;
                return Ok((&self.text[begin..self.at - 1], escaped));
            }
            escaped = true;
            self.at += 2;
        }
    }

    /// A number or a word in its source form.
    fn word(&mut self) -> Result<&'a [u8], Reason> {
        self.peek();
        let rest = &self.text[self.at..];
        let in_word =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.');
        let length = rest.iter().take_while(|byte| in_word(byte)).count();
        self.at += length;
        if length > 0 { Ok(&rest[..length]) } else { Err(BAD) }
    }

    /// Reads a value as the node requests. Of an array, it reads the first value.
    fn value(
        &mut self,
        node: &Node,
        draft: &mut Draft<'a>,
        clock: &mut Clock,
    ) -> Result<(), Reason> {
        let value: Text<'a> = match self.peek() {
            Some(b'{') if !node.beneath.is_empty() => {
                return self.object(|scanner, key| match node.child(key) {
                    Some(child) => scanner.value(child, draft, clock),
                    None => scanner.skip(),
                });
            }
            Some(b'[') => {
                return self.array(|scanner, place| match (place, scanner.peek()) {
                    (_, Some(b'{')) if !node.beneath.is_empty() => scanner.pair(node, draft, clock),
                    (0, Some(b'"')) => scanner.value(node, draft, clock),
                    _ => scanner.skip(),
                });
            }
            Some(b'{') => return self.skip(),
            Some(b'"') => match self.string()? {
                (raw, false) => Cow::Borrowed(raw),
                (raw, true) => Cow::Owned(unescape(raw)),
            },
            _ => match self.word()? {
                b"null" => return Ok(()),
                word => Cow::Borrowed(word),
            },
        };
        let Some(field) = &node.field else { return Ok(()) };
        if node.user && !value.is_empty() {
            draft.set_user(&value);
        }
        // Empty variables are written as empty strings.
        if value.is_empty() && *field != Field::AnyTime {
            return Ok(());
        }
        draft.set(field, value, clock)
    }

    /// An object such as `{"name": "Referer", "value": "..."}`, the form of headers in HAR.
    fn pair(
        &mut self,
        node: &Node,
        draft: &mut Draft<'a>,
        clock: &mut Clock,
    ) -> Result<(), Reason> {
        let (mut name, mut value) = (&b""[..], None);
        self.object(|scanner, key| {
            match (key, scanner.peek()) {
                (b"name", Some(b'"')) => name = scanner.string()?.0,
                (b"value", Some(b'"')) => {
                    value = Some(*scanner);
                    scanner.skip()?;
                }
                _ => scanner.skip()?,
            }
            Ok(())
        })?;
        match (node.child(name), value) {
            (Some(child), Some(mut value)) => value.value(child, draft, clock),
            _ => Ok(()),
        }
    }

    /// The text of the value of a key of the object, if it is a string.
    pub(super) fn text_of(self, wanted: &str) -> Option<Text<'a>> {
        Scanner::new(self.source_of(wanted)?).text()
    }

    /// The text of a string.
    pub(super) fn text(mut self) -> Option<Text<'a>> {
        Some(match self.string().ok()? {
            (raw, false) => Cow::Borrowed(raw),
            (raw, true) => Cow::Owned(unescape(raw)),
        })
    }

    /// The source form of the values of an object, by the source form of their keys; of a key that
    /// it has twice, the first value. Nothing if it is no whole object.
    pub(super) fn members(mut self) -> HashMap<&'a [u8], &'a [u8]> {
        let mut members = HashMap::new();
        let read = self.object(|scanner, key| {
            scanner.peek();
            let begin = scanner.at;
            scanner.skip()?;
            members.entry(key).or_insert(&scanner.text[begin..scanner.at]);
            Ok(())
        });
        if read.is_ok() { members } else { HashMap::new() }
    }

    /// The source form of the value of a key of the object.
    pub(super) fn source_of(mut self, wanted: &str) -> Option<&'a [u8]> {
        let mut found = None;
        let read = self.object(|scanner, key| {
            scanner.peek();
            let begin = scanner.at;
            scanner.skip()?;
            if found.is_none() && key == wanted.as_bytes() {
                found = Some(&scanner.text[begin..scanner.at]);
            }
            Ok(())
        });
        read.ok().and(found)
    }

    /// Skips a value.
    pub(super) fn skip(&mut self) -> Result<(), Reason> {
        let mut depth = 0_usize;
        loop {
            match self.peek().ok_or(BAD)? {
                b'"' => {
                    self.string()?;
                }
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1).ok_or(BAD)?;
                    self.at += 1;
                }
                b',' | b':' if depth > 0 => self.at += 1,
                _ => {
                    self.word()?;
                }
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }
}
