//! Regular expressions over bodies, and their matches.

use std::collections::BTreeMap;

use mlua::{Lua, LuaString as Text, Result};
use regex::bytes::{Captures, Regex, RegexBuilder};

use crate::answer::Answer;

/// The number of expressions that are kept ready; scripts have few, unless they build them from
/// data.
const PATTERNS_MAX: usize = 1000;
/// The largest size of a compiled one, in bytes.
const PATTERN_BYTES_MAX: usize = 4 << 20;

/// Regular expressions, compiled when they are first used.
#[derive(Debug, Default)]
pub(crate) struct Patterns(BTreeMap<String, Regex>);

impl Patterns {
    fn get(&mut self, pattern: &str) -> Answer<&Regex> {
        if !self.0.contains_key(pattern) {
            let built = RegexBuilder::new(pattern).size_limit(PATTERN_BYTES_MAX).build();
            let regex = built.map_err(|error| {
                // The first lines show the expression with a mark below.
                let text = error.to_string();
                let why = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
                format!("`{pattern}` is no regular expression: {why}")
            })?;
            if self.0.len() == PATTERNS_MAX {
                self.0.clear();
            }
            self.0.insert(pattern.to_owned(), regex);
        }
        Ok(&self.0[pattern])
    }

    /// The first match of the expression: its first group, or all of it.
    pub(crate) fn first(
        &mut self,
        lua: &Lua,
        pattern: &str,
        text: &[u8],
    ) -> Result<Answer<Option<Text>>> {
        let regex = match self.get(pattern) {
            Ok(regex) => regex,
            Err(complaint) => return Ok(Err(complaint)),
        };
        let found = regex.captures(text);
        found.map(|found| lua.create_string(chosen(&found))).transpose().map(Ok)
    }

    /// All of them, in a list.
    pub(crate) fn all(
        &mut self,
        lua: &Lua,
        pattern: &str,
        text: &[u8],
    ) -> Result<Answer<Vec<Text>>> {
        let regex = match self.get(pattern) {
            Ok(regex) => regex,
            Err(complaint) => return Ok(Err(complaint)),
        };
        let found = regex.captures_iter(text);
        found.map(|found| lua.create_string(chosen(&found))).collect::<Result<_>>().map(Ok)
    }
}

/// The first group, or the whole match if there are no groups.
fn chosen<'a>(found: &Captures<'a>) -> &'a [u8] {
    let place = usize::from(found.len() > 1);
    found.get(place).map_or(&[], |part| part.as_bytes())
}
