//! Texts of a length by law, for prompts: `{words(400)}`, `{words(400, of=zipf(n=50, s=1))}`.
//!
//! The words of a key are one endless text, of which each use takes the beginning: equal keys begin
//! alike, as prompts behind one instruction and the turns of one conversation do, and a server may
//! keep what it computed of them.

use thinktime_file::error::Invalid;
use thinktime_file::units::Dimension;

use crate::distribution::Distribution;
use crate::files::Files;
use crate::notation::{Arguments, Call, Term, word_of};
use crate::random::{Purpose, Stream, StreamFamily};

/// The words: common ones, which the tokenizers of language models have as one token each, behind a
/// blank. Their number is a power of two.
const WORDS: [&str; 128] = [
    "the", "of", "and", "to", "in", "is", "that", "for", "it", "as", "was", "with", "be", "by",
    "on", "not", "he", "his", "but", "at", "are", "this", "have", "from", "or", "had", "an",
    "they", "which", "one", "you", "were", "all", "her", "she", "there", "would", "their", "we",
    "him", "been", "has", "when", "who", "will", "no", "more", "if", "out", "so", "up", "said",
    "what", "its", "about", "than", "into", "them", "can", "only", "other", "time", "new", "some",
    "could", "these", "two", "may", "first", "then", "do", "any", "like", "my", "now", "over",
    "such", "our", "man", "me", "even", "most", "made", "after", "also", "well", "did", "many",
    "before", "must", "years", "back", "through", "much", "where", "your", "way", "down", "should",
    "because", "long", "each", "just", "state", "those", "people", "too", "how", "good", "world",
    "very", "make", "year", "still", "see", "own", "work", "men", "day", "get", "here", "old",
    "life", "both", "between", "under", "last", "never",
];

/// A draw of more words than this is cut, so that no law fills the memory.
const WORDS_MAX: u64 = 1_000_000;

/// A text of a length by law.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Words {
    length: Distribution,
    of: Key,
}

#[derive(Clone, Debug, PartialEq)]
enum Key {
    /// Every text is its own.
    None,
    /// A draw.
    Drawn(Distribution),
    /// A session's value, by its place among the names.
    Value(usize),
}

impl Words {
    /// Parses `words(LENGTH, of=KEY)`; `None` if the text is another notation.
    ///
    /// # Errors
    /// When an argument is wrong.
    pub(super) fn parse(
        text: &str,
        names: &[String],
        files: &dyn Files,
    ) -> Result<Option<Words>, Invalid> {
        if !text.starts_with("words(") {
            return Ok(None);
        }
        let call = Call::parse(text)?;
        let usage = "words(LENGTH, of=KEY)";
        let mut arguments = Arguments::new(&call, usage, &["length", "of"])?;
        let number = |term| Distribution::from_term(&term, files)?.expect(Dimension::Number);
        let length = number(arguments.required("length")?)?;
        let of = match arguments.optional("of") {
            None => Key::None,
            Some(term) => match place_of(&term, names) {
                Some(place) => Key::Value(place),
                None => Key::Drawn(number(term)?),
            },
        };
        arguments.finish()?;
        Ok(Some(Words { length, of }))
    }

    /// The place of the value whose session the text is of, if it is of one.
    pub(super) fn value(&self) -> Option<usize> {
        if let Key::Value(place) = self.of { Some(place) } else { None }
    }

    /// Appends one text: the key's value, if it has one, comes from `value`.
    ///
    /// # Errors
    /// The place of that value among the names, if it is missing.
    pub(super) fn write<'v>(
        &self,
        out: &mut Vec<u8>,
        stream: &mut Stream,
        value: &impl Fn(usize) -> Option<&'v [u8]>,
    ) -> Result<(), usize> {
        let length = self.length.sample_whole(stream).min(WORDS_MAX);
        let mut words = match &self.of {
            Key::None => stream.clone(),
            Key::Drawn(law) => text_of(&law.sample_whole(stream).to_le_bytes()),
            Key::Value(place) => text_of(value(*place).ok_or(*place)?),
        };
        for place in 0..length {
            if place > 0 {
                out.push(b' ');
            }
            let word = (words.uniform() * WORDS.len() as f64) as usize;
            out.extend_from_slice(WORDS[word].as_bytes());
        }
        if matches!(self.of, Key::None) {
            *stream = words;
        }
        Ok(())
    }
}

/// The word at a place of the text of this number, for responses of a modelled server.
#[must_use]
pub fn word_at(text: u64, place: u32) -> &'static str {
    let family = StreamFamily::new(0, Purpose::Words);
    let drawn = family.substream(text, place.into()).uniform();
    WORDS[(drawn * WORDS.len() as f64) as usize]
}

/// The endless text of a key.
fn text_of(key: &[u8]) -> Stream {
    let family = StreamFamily::new(0, Purpose::Words);
    let whole = key.chunks(8).fold(key.len() as u64, |so_far, part| {
        let mut bytes = [0; 8];
        bytes[..part.len()].copy_from_slice(part);
        family.member(so_far).member(u64::from_le_bytes(bytes)).stream(0).bits()
    });
    family.stream(whole)
}

fn place_of(term: &Term, names: &[String]) -> Option<usize> {
    let word = word_of(term.clone())?;
    names.iter().position(|name| *name == word)
}

#[cfg(test)]
mod tests;
