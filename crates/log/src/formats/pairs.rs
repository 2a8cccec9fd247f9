//! Lines of pairs of keys and values, whatever their syntax: the keys of usual names are read.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use thinktime_core::error::Invalid;

use super::column_names::resolve;
use super::keyed::Keyed;
use super::{Format, FormatOptions, Head, Take};
use crate::entry::Text;
use crate::field::{Draft, Field};
use crate::reason::Reason;
use crate::time::Clock;

/// Takes the next pair of a key and its value from the rest of a line.
type Next = for<'a> fn(&mut &'a [u8]) -> Option<(&'a [u8], Text<'a>)>;

/// How pairs are written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Syntax {
    /// The format's name.
    pub(super) name: &'static str,
    /// The key that the format's own description has for the client's address.
    pub(super) client: Option<&'static str>,
    /// Takes the next pair from the rest of a line.
    pub(super) next: Next,
}

/// A line with fewer pairs is no request.
const PAIRS_LEAST: usize = 3;
/// Keys are collected from this many lines.
const LINES_LOOKED_AT: usize = 2000;
/// The lines whose values are tried.
const LINES_TRIED: usize = 20;
/// The most keys, as of JSON.
const KEYS_MAX: usize = 1000;

impl Syntax {
    /// The reader of a file by the keys of its first lines.
    pub(super) fn open(
        self,
        head: &Head<'_>,
        wanted: &FormatOptions<'_>,
    ) -> Result<Option<Arc<dyn Format>>, Invalid> {
        let keys = self.keys(head);
        if keys.is_empty() {
            return Ok(None);
        }
        let argument = self.with_client(&keys, wanted)?;
        let wanted = &FormatOptions { argument: argument.as_deref(), ..*wanted };
        let columns = self.columns(head);
        let missing = || vec![None; self.lines(head).take(LINES_TRIED).count()];
        let values = |key: &str| columns.get(key.as_bytes()).cloned().unwrap_or_else(missing);
        let keyed = Keyed::by_names(self.name, &keys, wanted, head.timed, values)?;
        Ok(Some(self.reader(keyed)))
    }

    /// The user's mapping, with the format's own key for the address if no other is known as that.
    fn with_client(
        self,
        keys: &[String],
        wanted: &FormatOptions<'_>,
    ) -> Result<Option<String>, Invalid> {
        let given = wanted.argument.map(str::to_owned);
        let known = resolve(keys, wanted.argument, wanted.user, true)?;
        let is_known = known.columns.iter().any(|(field, _)| *field == Field::Address);
        let is_mapped = |key: &&str| {
            let place = keys.iter().position(|own| own == key);
            place.is_none_or(|place| known.columns[place].1)
        };
        let Some(client) = self.client.filter(|key| !is_known && !is_mapped(key)) else {
            return Ok(given);
        };
        let own = format!("address={client}");
        Ok(Some(given.into_iter().chain([own]).collect::<Vec<_>>().join(",")))
    }

    /// The reader of lines whose keys have these meanings.
    pub(super) fn reader(self, keyed: Keyed) -> Arc<dyn Format> {
        Arc::new(Pairs { syntax: self, keyed })
    }

    /// The keys of the first lines.
    pub(super) fn keys(self, head: &Head<'_>) -> Vec<String> {
        let (mut keys, mut known) = (Vec::new(), HashSet::new());
        for (key, _) in self.lines(head).flat_map(|line| self.pairs(line)) {
            let key = String::from_utf8_lossy(key);
            if known.insert(key.clone()) {
                keys.push(key.into_owned());
            }
            if keys.len() == KEYS_MAX {
                break;
            }
        }
        keys
    }

    /// The values of each key in the first lines. They are found together: a line may have as many
    /// keys as it has words.
    fn columns<'a>(self, head: &Head<'a>) -> HashMap<&'a [u8], Vec<Option<Text<'a>>>> {
        let lines: Vec<&[u8]> = self.lines(head).take(LINES_TRIED).collect();
        let mut columns: HashMap<&[u8], Vec<Option<Text<'a>>>> = HashMap::new();
        for (place, line) in lines.iter().enumerate() {
            for (key, value) in self.pairs(line) {
                if columns.len() == KEYS_MAX && !columns.contains_key(key) {
                    continue;
                }
                let column = columns.entry(key).or_insert_with(|| vec![None; lines.len()]);
                // Of a key that a line has twice, the first value is taken.
                column[place].get_or_insert(value);
            }
        }
        columns
    }

    /// The first lines that have pairs.
    fn lines<'a>(self, head: &Head<'a>) -> impl Iterator<Item = &'a [u8]> {
        let has_pairs =
            move |line: &&[u8]| self.pairs(line).take(PAIRS_LEAST).count() == PAIRS_LEAST;
        head.lines().take(LINES_LOOKED_AT).filter(has_pairs)
    }

    /// The pairs of a line.
    pub(super) fn pairs(self, line: &[u8]) -> impl Iterator<Item = (&[u8], Text<'_>)> {
        let mut rest = line;
        std::iter::from_fn(move || (self.next)(&mut rest))
    }
}

/// Lines of pairs.
#[derive(Debug)]
struct Pairs {
    syntax: Syntax,
    keyed: Keyed,
}

impl Format for Pairs {
    fn read(&self, line: &[u8], clock: &mut Clock, take: &mut Take<'_>) -> Result<(), Reason> {
        let mut draft = Draft::default();
        if !self.keyed.has_method {
            draft.entry.method = Cow::Borrowed(b"GET");
        }
        let mut used = 0;
        for (key, value) in self.syntax.pairs(line) {
            let is_key = |field: &&(String, Field, bool)| field.0.as_bytes() == key;
            let Some((_, field, user)) = self.keyed.fields.iter().find(is_key) else { continue };
            used += 1;
            if *user && !value.is_empty() {
                draft.set_user(&value);
            }
            // Programs write an empty value for a field without one.
            if !value.is_empty() || *field == Field::AnyTime {
                draft.set(field, value, clock)?;
            }
        }
        if used == 0 {
            return Err(Reason::NotThisFormat);
        }
        take(draft.finish(self.keyed.ends, clock)?);
        Ok(())
    }

    fn unused_fields(&self) -> Vec<String> {
        self.keyed.unused_fields.clone()
    }

    fn doubts(&self) -> Vec<String> {
        self.keyed.doubts.clone()
    }

    fn unit_open(&self) -> bool {
        self.keyed.unit_open
    }
}
