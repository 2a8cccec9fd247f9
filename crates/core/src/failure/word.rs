//! The short fixed words of errors, read back from another process.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Deserializer};

/// A short fixed word.
pub type Word = &'static str;

/// Words are kept for good, as those of the program itself are; there are some dozens of them. This
/// is the largest number, in case another process sends more.
const WORDS_MAX: usize = 1000;
/// Stands for further ones.
const FURTHER: &str = "other";

static WORDS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

/// A word that is made at run time, as for an error that a server names; see [`Word`]. There may be
/// a thousand of them, and further ones are `other`.
#[must_use]
pub fn made_word(word: &str) -> Word {
    kept(word)
}

/// Reads a word, or `None`.
pub(crate) fn read_word<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Word>, D::Error> {
    let word = Option::<&str>::deserialize(from)?;
    Ok(word.map(kept))
}

/// The word itself, which is the same for good.
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
