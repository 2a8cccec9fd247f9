//! The target of a request.

use thinktime_file::error::{Invalid, unknown};
use thinktime_file::units::Dimension;

use super::content::template::is_value_name;
use crate::distribution::Distribution;
use crate::files::Files;
use crate::random::Stream;

/// A target with places that vary from request to request.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    parts: Vec<Part>,
    /// The key of the first part, a text that is the same in all requests.
    begin: Key,
}

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Literal(String),
    /// A draw, rounded to a whole number.
    Drawn(Distribution),
    /// A value of the session. It has no part in the key: what is sent is a call.
    Value,
}

impl Target {
    /// `/`.
    pub(crate) fn root() -> Target {
        Target::of_parts(vec![Part::Literal("/".to_owned())])
    }

    /// Parses `/item/{zipf(n=10000, s=0.9)}`, which may contain values of sessions, `names`.
    ///
    /// # Errors
    /// When it does not begin with a slash, holds blanks or control characters, or a
    /// distribution in it is wrong.
    pub fn parse(text: &str, names: &[String], files: &dyn Files) -> Result<Target, Invalid> {
        let value = |inner: &str| names.iter().any(|name| name == inner);
        let value_use = text.strip_prefix('{').and_then(|rest| rest.split_once('}'));
        if let Some((inner, _)) = value_use.filter(|(inner, _)| !value(inner)) {
            drawn_law(inner, names, files)?;
        }
        if !text.starts_with('/') && !value_use.is_some_and(|(inner, _)| value(inner)) {
            return Err(Invalid::new(format!("the target `{text}` must begin with `/`")));
        }
        let (mut parts, mut rest) = (Vec::new(), text);
        while let Some(open) = rest.find('{') {
            parts.push(Part::literal(&rest[..open])?);
            let Some(length) = rest[open..].find('}') else {
                return Err(Invalid::new(format!("`{{` has no `}}` in `{text}`")));
            };
            let inner = &rest[open + 1..open + length];
            parts.push(match value(inner) {
                true => Part::Value,
                false => Part::Drawn(drawn_law(inner, names, files)?),
            });
            rest = &rest[open + length + 1..];
        }
        parts.push(Part::literal(rest)?);
        Ok(Target::of_parts(parts))
    }

    fn of_parts(parts: Vec<Part>) -> Target {
        Target { begin: Key::EMPTY.text(parts.first().map_or("", Part::text)), parts }
    }

    /// How closely a target is one of these; `None` if it is not. The query counts only if this
    /// target has one.
    pub(crate) fn fits(&self, target: &str) -> Option<Closeness> {
        let target = self.telling(target);
        let (begin, end) = (self.parts.first()?.text(), self.parts.last()?.text());
        if self.parts.len() == 1 {
            return (target == begin).then_some(Closeness::Same);
        }
        if made_of(&self.parts, target) {
            return Some(Closeness::Drawn);
        }
        let ends = target.strip_prefix(begin).is_some_and(|rest| rest.ends_with(end));
        ends.then_some(Closeness::Ends)
    }

    /// A number that identifies the target of one request, with its draws from `stream`.
    #[inline]
    pub(crate) fn key(&self, stream: &mut Stream) -> u64 {
        self.key_by(|law| drawn(law, stream))
    }

    /// The key of the target with these numbers in the places that vary.
    #[inline]
    fn key_by(&self, mut number: impl FnMut(&Distribution) -> u64) -> u64 {
        let known = usize::from(matches!(self.parts.first(), Some(Part::Literal(_))));
        let with = |key: Key, part: &Part| match part {
            Part::Literal(text) => key.text(text),
            Part::Drawn(law) => key.number(number(law)),
            Part::Value => key,
        };
        self.parts[known..].iter().fold(self.begin, with).0
    }

    /// Writes the target of one request, with its draws from `stream`.
    pub fn write(&self, out: &mut String, stream: &mut Stream) {
        for part in &self.parts {
            match part {
                Part::Literal(text) => out.push_str(text),
                Part::Drawn(law) => out.push_str(&format!("{}", drawn(law, stream))),
                Part::Value => {}
            }
        }
    }

    /// The varying part, if there is at most one; `None` if there are more.
    pub(crate) fn varying(&self) -> Option<Varying<'_>> {
        let laws = self.parts.iter().filter_map(|part| match part {
            Part::Literal(_) | Part::Value => None,
            Part::Drawn(law) => Some(law),
        });
        match laws.collect::<Vec<_>>().as_slice() {
            [] => Some(Varying::Nothing),
            [law] => Some(Varying::One(law)),
            _ => None,
        }
    }

    /// As [`Target::key`], with this number in the places that vary.
    pub(crate) fn key_with(&self, number: u64) -> u64 {
        self.key_by(|_| number)
    }

    /// The part of a target that distinguishes it within its kind: no query, if the kind has none.
    pub(crate) fn telling<'a>(&self, target: &'a str) -> &'a str {
        match self.has_query() {
            true => target,
            false => target.split('?').next().unwrap_or(target),
        }
    }

    /// A number that identifies this target of the kind, the same as for its request.
    #[must_use]
    pub fn key_of(&self, target: &str) -> u64 {
        target_key(self.telling(target))
    }

    fn has_query(&self) -> bool {
        self.parts.iter().any(|part| part.text().contains('?'))
    }
}

/// How closely a target is one of a kind, the closest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Closeness {
    /// It begins and ends as the kind's targets do.
    Ends,
    /// Numbers that can be drawn make it one of them.
    Drawn,
    /// The kind has only this target.
    Same,
}

/// Whether these parts can form a target, with some number for each draw.
fn made_of(parts: &[Part], target: &str) -> bool {
    match parts {
        [] => target.is_empty(),
        [Part::Literal(text), rest @ ..] => {
            target.strip_prefix(text.as_str()).is_some_and(|target| made_of(rest, target))
        }
        [Part::Drawn(_), rest @ ..] => {
            let digits = target.bytes().take_while(u8::is_ascii_digit).count();
            (1..=digits.min(DIGITS_MAX)).any(|length| made_of(rest, &target[length..]))
        }
        // Any value that a session may have.
        [Part::Value, ..] => false,
    }
}

/// The digits of the largest number that can be drawn.
const DIGITS_MAX: usize = 20;

/// The varying part of a target.
pub(crate) enum Varying<'a> {
    Nothing,
    /// One number, the rounded draw of this law.
    One(&'a Distribution),
}

/// The distribution in braces; an error about a value's name lists the known ones.
fn drawn_law(text: &str, names: &[String], files: &dyn Files) -> Result<Distribution, Invalid> {
    if is_value_name(text) && !names.is_empty() {
        return Err(unknown("value", text, names.iter().map(String::as_str)));
    }
    Distribution::parse(text, files)?.expect(Dimension::Number)
}

/// The number at a place that varies.
#[inline]
fn drawn(law: &Distribution, stream: &mut Stream) -> u64 {
    law.sample_whole(stream)
}

/// A number that identifies a target.
#[must_use]
pub fn target_key(target: &str) -> u64 {
    Key::EMPTY.text(target).0
}

/// The part of a target read so far, as a number: FNV-1a, 64 bits wide (Fowler, Noll and Vo).
#[derive(Clone, Copy, Debug, PartialEq)]
struct Key(u64);

impl Key {
    const EMPTY: Key = Key(0xcbf2_9ce4_8422_2325);

    #[inline]
    fn byte(self, byte: u8) -> Key {
        Key((self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
    }

    #[inline]
    fn text(self, text: &str) -> Key {
        text.bytes().fold(self, Key::byte)
    }

    /// As the text of its digits.
    #[inline]
    fn number(self, number: u64) -> Key {
        let (mut digits, mut at, mut left) = ([0; 20], 20, number);
        loop {
            at -= 1;
            digits[at] = b'0' + (left % 10) as u8;
            left /= 10;
            if left == 0 {
                return digits[at..].iter().copied().fold(self, Key::byte);
            }
        }
    }
}

impl Part {
    /// Its fixed part.
    fn text(&self) -> &str {
        match self {
            Part::Literal(text) => text,
            Part::Drawn(_) | Part::Value => "",
        }
    }

    fn literal(text: &str) -> Result<Part, Invalid> {
        if text.chars().all(|c| c.is_ascii_graphic()) {
            return Ok(Part::Literal(text.to_owned()));
        }
        Err(Invalid::new(format!(
            "the target part `{text}` holds blanks or characters that must be percent-encoded"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::NoFiles;
    use crate::random::Purpose;

    #[test]
    fn a_target_that_can_be_drawn_is_closer_than_one_with_the_same_ends() {
        let close =
            |text: &str, target: &str| Target::parse(text, &[], &NoFiles).unwrap().fits(target);
        assert_eq!(close("/api/status", "/api/status?x=1"), Some(Closeness::Same));
        assert_eq!(close("/api/status", "/api/statu"), None);
        assert_eq!(close("/{zipf(n=9, s=1)}", "/17"), Some(Closeness::Drawn));
        assert_eq!(close("/{zipf(n=9, s=1)}", "/api/status"), Some(Closeness::Ends));
        assert_eq!(close("/a/{uniform(0, 9)}", "/b/1"), None);
        assert_eq!(close("/{uniform(0, 9)}5/{uniform(0, 9)}", "/155/7"), Some(Closeness::Drawn));
        assert_eq!(close("/{uniform(0, 9)}?q=1", "/5"), None);
        assert!(Closeness::Ends < Closeness::Drawn && Closeness::Drawn < Closeness::Same);
    }

    /// The key made of parts equals that of the text.
    #[test]
    fn a_key_is_that_of_the_written_target() {
        for text in ["/", "/item/{zipf(n=20000, s=0.9)}", "/a/{uniform(0, 12)}?b={geometric(90)}"] {
            let target = Target::parse(text, &[], &NoFiles).unwrap();
            for session in 0..2000 {
                let stream = || Stream::new(1, session, Purpose::Target);
                let mut written = String::new();
                target.write(&mut written, &mut stream());
                assert_eq!(target.key(&mut stream()), target_key(&written), "{written}");
            }
        }
        let item = Target::parse("/item/{zipf(n=20000, s=0.9)}.html", &[], &NoFiles).unwrap();
        for number in [0, 7, 10, 19_999, u64::MAX] {
            assert_eq!(item.key_with(number), target_key(&format!("/item/{number}.html")));
        }
        // The published value of the empty text, and of one letter.
        assert_eq!(target_key(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(target_key("a"), 0xaf63_dc4c_8601_ec8c);
    }
}
