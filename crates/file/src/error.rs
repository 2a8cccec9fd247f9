//! The errors of core about wrong input.

use thiserror::Error;

/// An invalid text: the message says what was found and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct Invalid {
    message: String,
}

impl Invalid {
    /// With a message that names the error and the remedy.
    pub fn new(message: impl Into<String>) -> Invalid {
        Invalid { message: message.into() }
    }
}

/// A name of the user's own, for tables, charts and terminals.
///
/// # Errors
/// When it is empty or holds control characters.
pub fn own_name(name: &str) -> Result<&str, Invalid> {
    const WHERE: &str = "it stands in tables and charts";
    if name.is_empty() {
        return Err(Invalid::new(format!("is empty: {WHERE}")));
    }
    if name.chars().any(char::is_control) {
        return Err(Invalid::new(format!("{name:?} holds control characters: {WHERE}")));
    }
    Ok(name)
}

/// An unknown name, with the nearest known one or, if none is near, all of them.
pub fn unknown<'a>(
    what: &str,
    wrong: &str,
    known: impl Iterator<Item = &'a str> + Clone,
) -> Invalid {
    let remedy = match nearest(wrong, known.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known are {}", known.collect::<Vec<_>>().join(", ")),
    };
    Invalid::new(format!("unknown {what} `{wrong}`: {remedy}"))
}

/// The candidate most like `word`, if any is near enough to be a likely typing error.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = |c: &&str| edit_distance(word, c);
    let best = candidates.into_iter().min_by_key(near)?;
    let (changes, length) = (edit_distance(word, best), word.chars().count());
    // Of words as short as `on` and `min` no letter might be left.
    (changes <= 1 + length / 3 && changes < length.min(best.chars().count())).then_some(best)
}

/// The number of single-letter changes between two words (Levenshtein).
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_finger_find_their_word() {
        assert_eq!(nearest("modle", ["model", "rate"]), Some("model"));
        assert_eq!(nearest("xyzzy", ["model", "rate"]), None);
        assert_eq!(nearest("min", ["on", "from", "to"]), None);
        assert_eq!(nearest("tto", ["on", "from", "to"]), Some("to"));
        assert_eq!(edit_distance("kitten", "sitting"), 3);
    }

    #[test]
    fn names_have_no_control_characters() {
        assert_eq!(own_name("größe 1/2"), Ok("größe 1/2"));
        for (name, why) in [("", "is empty"), ("a\u{1b}[2J", "control"), ("a\nb", "control")] {
            assert!(own_name(name).unwrap_err().to_string().contains(why), "{name:?}");
        }
    }
}
