//! Lines by one program, with its own meanings and units of keys.

use std::sync::Arc;

use thinktime_core::error::Invalid;

use super::json::{Json, LINES_LOOKED_AT, keys};
use super::keyed::Keyed;
use super::scanner::Scanner;
use super::{Format, FormatOptions, Head};
use crate::field::Field;
use crate::number::integer;

/// The form of a program's lines.
pub(super) struct Dialect {
    /// Its marks: the first lines have all the keys of one of the lists.
    pub(super) marks: &'static [&'static [&'static str]],
    /// The meanings of the keys; of two with the same meaning, the later in a line is used.
    pub(super) fields: &'static [(&'static str, Field)],
    /// Whether the time is that of the request's end.
    pub(super) ends: bool,
}

impl Dialect {
    /// The reader of lines of JSON that have the marks.
    pub(super) fn open(
        &self,
        head: &Head<'_>,
        wanted: &FormatOptions<'_>,
    ) -> Result<Option<Arc<dyn Format>>, Invalid> {
        self.open_as(head, wanted, |keyed| keyed)
    }

    /// The same, with changes to what the keys mean.
    pub(super) fn open_as(
        &self,
        head: &Head<'_>,
        wanted: &FormatOptions<'_>,
        change: impl FnOnce(Keyed) -> Keyed,
    ) -> Result<Option<Arc<dyn Format>>, Invalid> {
        let keyed = self.keyed(&keys(head), wanted).map(change);
        Ok(keyed.map(|keyed| Arc::new(Json::new(keyed)) as Arc<dyn Format>))
    }

    /// The meanings of the keys of lines, if they have the marks.
    pub(super) fn keyed(&self, keys: &[String], wanted: &FormatOptions<'_>) -> Option<Keyed> {
        let has = |mark: &&str| keys.iter().any(|key| key.eq_ignore_ascii_case(mark));
        if !self.marks.iter().any(|marks| marks.iter().all(has)) {
            return None;
        }
        let own = self.fields.iter();
        let mut fields: Vec<(String, Field, bool)> =
            own.map(|(path, field)| ((*path).to_owned(), field.clone(), false)).collect();
        if let Some(user) = wanted.user {
            fields.retain(|field| field.1 != Field::User);
            match fields.iter_mut().find(|field| field.0 == user) {
                Some(field) => field.2 = true,
                None => fields.push((user.to_owned(), Field::Skip, true)),
            }
        }
        let is_taken =
            |key: &String| fields.iter().any(|(path, ..)| path.eq_ignore_ascii_case(key));
        let unused_fields = keys.iter().filter(|key| !is_taken(key)).cloned().collect();
        let (ends, unit_open, has_method) = (self.ends, false, true);
        Some(Keyed { fields, ends, unused_fields, unit_open, has_method, doubts: vec![] })
    }
}

/// The largest value of a key of the first lines, if all its values are whole numbers.
pub(super) fn largest_whole(head: &Head<'_>, key: &str) -> Option<u64> {
    let lines = head.lines().filter(|line| line.starts_with(b"{")).take(LINES_LOOKED_AT);
    let values: Vec<&[u8]> = lines.filter_map(|line| Scanner::new(line).source_of(key)).collect();
    let numbers = values.iter().map(|value| integer(value)).collect::<Option<Vec<u64>>>()?;
    numbers.into_iter().max()
}
