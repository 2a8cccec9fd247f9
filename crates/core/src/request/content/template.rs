//! Texts with places that vary: draws of a distribution, words, and values of a session.

use thinktime_file::error::{Invalid, unknown};
use thinktime_file::units::Dimension;

pub use super::place::{Place, Unwritten};
use super::words::Words;
use crate::distribution::{Distribution, ENTRIES};
use crate::files::Files;
use crate::random::Stream;

/// A text with places that vary from request to request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Template {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Literal(Vec<u8>),
    /// A draw, rounded to a whole number.
    Drawn(Distribution),
    /// A session's value, by its place among the names.
    Value(usize, Place),
    /// A text of a length by law.
    Words(Words, Place),
    /// A brace, as imports write one that would begin a draw.
    Brace(Place),
    /// A text that must not contain these bytes, however its places are filled.
    Fenced(Template, Vec<u8>),
}

impl Template {
    /// A constant text.
    #[must_use]
    pub fn fixed(bytes: Vec<u8>) -> Template {
        Template { parts: vec![Part::Literal(bytes)] }
    }

    /// Text in braces, which must be a value's name or a distribution.
    ///
    /// # Errors
    /// When it is neither.
    pub(crate) fn varying(
        text: &str,
        place: Place,
        names: &[String],
        files: &dyn Files,
    ) -> Result<Template, Invalid> {
        let part = match inner(text, place, names, files)? {
            Some(part) => part,
            None => Part::Drawn(Distribution::parse(text, files)?.expect(Dimension::Number)?),
        };
        Ok(Template { parts: vec![part] })
    }

    /// Parses `Bearer {token}` or `{"id": {zipf(n=10, s=1)}}`: braces hold a name of `names`, a
    /// distribution whose name is known, `words(...)`, a text of a length by law, or `brace()`, a
    /// brace. Other braces are themselves.
    ///
    /// # Errors
    /// When a distribution is wrong; or, if sessions have values, when braces hold a name alone
    /// that is none of theirs.
    pub fn parse(
        text: &str,
        place: Place,
        names: &[String],
        files: &dyn Files,
    ) -> Result<Template, Invalid> {
        let (mut parts, mut from, mut at) = (Vec::new(), 0, 0);
        let bytes = text.as_bytes();
        while let Some(open) = text[at..].find('{').map(|found| at + found) {
            at = open + 1;
            let Some(close) = text[open..].find('}').map(|found| open + found) else { break };
            let Some(part) = inner(&text[open + 1..close], place, names, files)? else { continue };
            parts.push(Part::Literal(bytes[from..open].to_vec()));
            parts.push(part);
            (from, at) = (close + 1, close + 1);
        }
        parts.push(Part::Literal(bytes[from..].to_vec()));
        Ok(Template { parts })
    }

    /// As [`Template::parse`] of a target: values in its query are written as in forms.
    ///
    /// # Errors
    /// As [`Template::parse`].
    pub fn parse_target(
        text: &str,
        names: &[String],
        files: &dyn Files,
    ) -> Result<Template, Invalid> {
        // A value may contain the question mark itself.
        let (path, query) = text.split_at(text.find(['?', '&']).unwrap_or(text.len()));
        let mut whole = Template::parse(path, Place::Path, names, files)?;
        whole.append(Template::parse(query, Place::Form, names, files)?);
        Ok(whole)
    }

    /// As [`Template::parse`] of encoded JSON: a text that consists of one draw becomes a number.
    ///
    /// # Errors
    /// As [`Template::parse`].
    pub fn parse_json(
        text: &str,
        names: &[String],
        files: &dyn Files,
    ) -> Result<Template, Invalid> {
        let mut whole = Template::parse(text, Place::Json, names, files)?;
        for at in 1..whole.parts.len().saturating_sub(1) {
            if let [Part::Literal(before), Part::Drawn(_), Part::Literal(after)] =
                &mut whole.parts[at - 1..=at + 1]
                && opens_text(before)
                && after.first() == Some(&b'"')
            {
                before.pop();
                after.remove(0);
            }
        }
        Ok(whole)
    }

    /// The same, which is not written if it would contain these bytes.
    #[must_use]
    pub fn without(self, bytes: Vec<u8>) -> Template {
        match self.as_fixed() {
            Some(_) => self,
            None => Template { parts: vec![Part::Fenced(self, bytes)] },
        }
    }

    /// Appends another one.
    pub fn append(&mut self, other: Template) {
        self.parts.extend(other.parts);
    }

    /// The same with its fixed parts written by `write`.
    #[must_use]
    pub fn map_literals(self, write: impl Fn(&[u8]) -> Vec<u8>) -> Template {
        let one = |part| match part {
            Part::Literal(bytes) => Part::Literal(write(&bytes)),
            other => other,
        };
        Template { parts: self.parts.into_iter().map(one).collect() }
    }

    /// Its bytes, if it is constant.
    #[must_use]
    pub fn as_fixed(&self) -> Option<Vec<u8>> {
        let literal = |part: &Part| match part {
            Part::Literal(bytes) => Some(bytes.clone()),
            // A text with a brace has no constant bytes: the file's own text is not what is sent.
            Part::Drawn(_) | Part::Words(..) => None,
            Part::Value(..) | Part::Brace(_) | Part::Fenced(..) => None,
        };
        let all: Option<Vec<Vec<u8>>> = self.parts.iter().map(literal).collect();
        all.map(|parts| parts.concat())
    }

    /// Whether it contains a session's value.
    #[must_use]
    pub fn has_values(&self) -> bool {
        self.parts.iter().any(|part| match part {
            Part::Value(..) => true,
            Part::Words(words, _) => words.value().is_some(),
            Part::Fenced(inside, _) => inside.has_values(),
            Part::Literal(_) | Part::Drawn(_) | Part::Brace(_) => false,
        })
    }

    /// Writes it for one request: draws from `stream`, and values by their places; `None` is a
    /// value that the session does not have.
    ///
    /// # Errors
    /// When a value is missing, or does not fit its place.
    pub fn write<'v>(
        &self,
        out: &mut Vec<u8>,
        stream: &mut Stream,
        value: &impl Fn(usize) -> Option<&'v [u8]>,
    ) -> Result<(), Unwritten> {
        for part in &self.parts {
            match part {
                Part::Literal(bytes) => out.extend_from_slice(bytes),
                Part::Drawn(law) => write_whole(out, law.sample_whole(stream)),
                Part::Value(name, place) => {
                    let bytes = value(*name).ok_or(Unwritten::Missing(*name))?;
                    place.write(out, bytes)?;
                }
                Part::Words(words, place) => {
                    let mut text = Vec::new();
                    words.write(&mut text, stream, value).map_err(Unwritten::Missing)?;
                    place.write(out, &text)?;
                }
                Part::Brace(place) => place.write(out, b"{")?,
                Part::Fenced(inside, fence) => {
                    let from = out.len();
                    inside.write(out, stream, value)?;
                    if out[from..].windows(fence.len()).any(|held| held == fence) {
                        return Err(Unwritten::Unfit);
                    }
                }
            }
        }
        Ok(())
    }
}

/// Appends a whole number as digits, without allocation: each request draws some.
fn write_whole(out: &mut Vec<u8>, mut whole: u64) {
    let from = out.len();
    while whole > 0 || out.len() == from {
        out.push(b'0' + (whole % 10) as u8);
        whole /= 10;
    }
    out[from..].reverse();
}

/// The text in braces; `None` if the braces are themselves.
fn inner(
    text: &str,
    place: Place,
    names: &[String],
    files: &dyn Files,
) -> Result<Option<Part>, Invalid> {
    if text == "brace()" {
        return Ok(Some(Part::Brace(place)));
    }
    if let Some(name) = names.iter().position(|name| name == text) {
        return Ok(Some(Part::Value(name, place)));
    }
    if let Some(words) = Words::parse(text, names, files)? {
        return Ok(Some(Part::Words(words, place)));
    }
    if let Some((law, _)) = text.split_once('(')
        && ENTRIES.iter().any(|entry| entry.name == law)
    {
        let law = Distribution::parse(text, files)?.expect(Dimension::Number)?;
        return Ok(Some(Part::Drawn(law)));
    }
    if !names.is_empty() && is_value_name(text) {
        return Err(unknown("value", text, names.iter().map(String::as_str)));
    }
    Ok(None)
}

/// The first text in braces that can be the name of a value, whether that value exists or not.
pub(crate) fn braced_name(text: &str) -> Option<&str> {
    let inner = text.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
    inner.map(|(inner, _)| inner).find(|inner| is_value_name(inner))
}

/// Whether a text can be the name of a value: a letter, then letters, digits, `-` and `_`.
pub(crate) fn is_value_name(text: &str) -> bool {
    let rest = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(rest)
}

/// Whether JSON so far ends with the quote that begins a text.
fn opens_text(json: &[u8]) -> bool {
    let Some((b'"', before)) = json.split_last() else { return false };
    before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 0
}

#[cfg(test)]
mod tests;
