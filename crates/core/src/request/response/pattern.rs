//! Patterns that are searched for in bytes as they arrive.

use std::fmt;
use std::sync::Arc;

use regex_automata::dfa::dense::{self, DFA};
use regex_automata::dfa::{Automaton, StartKind};
use regex_automata::nfa::thompson;
use regex_automata::util::primitives::StateID;
use regex_automata::util::{start, syntax};
use thinktime_file::error::Invalid;

/// The most memory that one pattern may take, in bytes.
const PATTERN_BYTES_MAX: usize = 4 << 20;

/// A regular expression over bytes: `.` is any byte but a line feed. It is a table of states, so
/// that each byte is read once, however the bytes were cut, and nothing need be kept.
#[derive(Clone)]
pub struct Pattern {
    text: String,
    states: Arc<DFA<Vec<u32>>>,
    start: StateID,
}

/// The state of the search for a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// It was not found yet.
    Goes,
    /// It was found; this many of the latest bytes belong to the shortest beginning that contains
    /// it.
    Found(usize),
    /// It will never be found, whatever follows.
    Never,
}

impl Pattern {
    /// Parses a regular expression.
    ///
    /// # Errors
    /// When it is not one, matches no bytes at all, or takes too much memory.
    pub fn parse(text: &str) -> Result<Pattern, Invalid> {
        let wrong = |why: String| Invalid::new(format!("the pattern `{text}`: {why}"));
        let states = dense::Builder::new()
            .configure(
                dense::Config::new()
                    .start_kind(StartKind::Unanchored)
                    .dfa_size_limit(Some(PATTERN_BYTES_MAX))
                    .determinize_size_limit(Some(PATTERN_BYTES_MAX)),
            )
            .syntax(syntax::Config::new().unicode(false).utf8(false))
            .thompson(thompson::Config::new().utf8(false))
            .build(text)
            .map_err(|error| wrong(reason(&error)))?;
        let start =
            states.start_state(&start::Config::new()).map_err(|error| wrong(error.to_string()))?;
        if states.is_match_state(states.next_eoi_state(start)) {
            return Err(wrong("is found in no bytes at all".to_owned()));
        }
        Ok(Pattern { text: text.to_owned(), states: Arc::new(states), start })
    }

    /// The pattern that finds these bytes.
    ///
    /// # Errors
    /// As [`Pattern::parse`].
    pub fn literal(bytes: &[u8]) -> Result<Pattern, Invalid> {
        let text: String = bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect();
        Pattern::parse(&text)
    }

    /// Whether the pattern is found in these bytes.
    #[must_use]
    pub fn is_in(&self, bytes: &[u8]) -> bool {
        matches!(self.search().read(bytes), Search::Found(_))
    }

    /// Begins the search.
    #[must_use]
    pub fn search(&self) -> Searcher {
        Searcher { states: Arc::clone(&self.states), state: self.start }
    }
}

/// Why a pattern is invalid, in one line.
fn reason(error: &(dyn std::error::Error + 'static)) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    let text = last.to_string();
    let line = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    line.trim_start_matches("error: ").to_owned()
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pattern").field(&self.text).finish()
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Pattern) -> bool {
        self.text == other.text
    }
}

impl Eq for Pattern {}

/// Searches for a pattern in bytes as they arrive.
#[derive(Clone)]
pub struct Searcher {
    states: Arc<DFA<Vec<u32>>>,
    state: StateID,
}

impl Searcher {
    /// Feeds bytes as they arrived. The answer does not depend on how they were cut.
    pub fn read(&mut self, bytes: &[u8]) -> Search {
        let states = &*self.states;
        for (at, byte) in bytes.iter().enumerate() {
            self.state = states.next_state(self.state, *byte);
            // The table is one byte late, until it knows that this byte was the last.
            if states.is_match_state(self.state)
                || states.is_match_state(states.next_eoi_state(self.state))
            {
                return Search::Found(at + 1);
            }
            if states.is_dead_state(self.state) {
                return Search::Never;
            }
        }
        Search::Goes
    }
}

impl fmt::Debug for Searcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Searcher").field(&self.state).finish()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The place of the pattern in bytes that come in pieces of this size.
    fn found(pattern: &Pattern, bytes: &[u8], size: usize) -> Option<usize> {
        let (mut searcher, mut before) = (pattern.search(), 0);
        for piece in bytes.chunks(size) {
            match searcher.read(piece) {
                Search::Found(used) => return Some(before + used),
                Search::Never => return None,
                Search::Goes => before += piece.len(),
            }
        }
        None
    }

    #[test]
    fn the_shortest_beginning_that_has_it_is_found() {
        for (pattern, bytes, end) in [
            ("OK", "..OK..", Some(4)),
            (r"\+OK.*\r\n", "+OK ready\r\nmore", Some(11)),
            ("a+", "caaa", Some(2)),
            (r"^\d+;", "12;", Some(3)),
            (r"^\d+;", "x12;", None),
            (r"a\B", "ab", Some(2)),
            ("(?i)ready|busy", "READY", Some(5)),
            ("(?s)a.b", "a\nb", Some(3)),
        ] {
            let pattern = Pattern::parse(pattern).unwrap();
            for size in [1, 2, 100] {
                assert_eq!(found(&pattern, bytes.as_bytes(), size), end, "{pattern:?} {bytes}");
            }
        }
    }

    #[test]
    fn what_can_never_come_is_said() {
        let mut searcher = Pattern::parse("^yes").unwrap().search();
        assert_eq!(searcher.read(b"y"), Search::Goes);
        assert_eq!(searcher.read(b"no"), Search::Never);
    }

    #[test]
    fn wrong_patterns_are_explained() {
        let message = |text: &str| Pattern::parse(text).unwrap_err().to_string();
        assert!(message("(a").contains("the pattern `(a`: unclosed group"), "{}", message("(a"));
        assert!(message("a*").contains("found in no bytes at all"));
        assert!(message("").contains("found in no bytes at all"));
        let large = message("(a|b)*a(a|b){20}");
        assert!(large.contains("size") || large.contains("limit"), "{large}");
    }

    proptest! {
        #[test]
        fn any_bytes_are_found_where_they_are(
            before in prop::collection::vec(0_u8..3, 0..20),
            wanted in prop::collection::vec(prop::sample::select(vec![0, 1, 2, b'.', 255]), 1..4),
            size in 1_usize..10,
        ) {
            let bytes = [&before[..], &wanted].concat();
            let first = bytes.windows(wanted.len()).position(|window| window == wanted);
            let pattern = Pattern::literal(&wanted).unwrap();
            prop_assert_eq!(found(&pattern, &bytes, size), first.map(|at| at + wanted.len()));
            prop_assert!(pattern.is_in(&bytes));
        }
    }
}
