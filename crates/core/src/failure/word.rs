//! The short fixed words for errors, also as another process reports them.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Deserializer};

/// A short fixed word.
pub type Word = &'static str;

/// The largest number of words that are kept until the process ends. The program itself has some
/// dozens; another process may send more.
const WORDS_MAX: usize = 1000;
/// Stands for all words beyond that number.
const FURTHER: &str = "other";

static WORDS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

/// A [`Word`] that is made at run time, such as the name that a server gives an error. A thousand
/// are kept; each further one becomes `other`.
#[must_use]
pub fn made_word(word: &str) -> Word {
    kept(word)
}

/// Reads a word, or `None`.
pub(crate) fn read_word<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Word>, D::Error> {
    let word = Option::<&str>::deserialize(from)?;
    Ok(word.map(kept))
}

/// The only copy of a word, which is kept until the process ends.
pub(crate) fn kept(word: &str) -> Word {
    let mut words = WORDS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = words.get(word) {
        return known;
    }
    if words.len() >= WORDS_MAX {
        return FURTHER;
    }
    let word: &'static str = Box::leak(word.to_owned().into_boxed_str());
    words.insert(word);
    word
}
