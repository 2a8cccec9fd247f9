//! Lines of JSON by one program, with its own meanings and units of keys.

use std::sync::Arc;

use thinktime_core::error::Invalid;

use super::json::{Json, keys};
use super::tree::Node;
use super::{Format, FormatOptions, Head};
use crate::field::Field;

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
    /// The reader of a file that has the marks.
    pub(super) fn open(
        &self,
        head: &Head<'_>,
        wanted: &FormatOptions<'_>,
    ) -> Result<Option<Arc<dyn Format>>, Invalid> {
        let keys = keys(head);
        let has = |mark: &&str| keys.iter().any(|key| key.eq_ignore_ascii_case(mark));
        if !self.marks.iter().any(|marks| marks.iter().all(has)) {
            return Ok(None);
        }
        let mut fields: Vec<(&str, Field, bool)> =
            self.fields.iter().map(|(path, field)| (*path, field.clone(), false)).collect();
        if let Some(user) = wanted.user {
            fields.retain(|field| field.1 != Field::User);
            match fields.iter_mut().find(|field| field.0 == user) {
                Some(field) => field.2 = true,
                None => fields.push((user, Field::Skip, true)),
            }
        }
        let is_taken =
            |key: &String| fields.iter().any(|(path, ..)| path.eq_ignore_ascii_case(key));
        let unused_fields = keys.iter().filter(|key| !is_taken(key)).cloned().collect();
        Ok(Some(Arc::new(Json {
            root: Node::tree(fields),
            ends: self.ends,
            unused_fields,
            unit_open: false,
            has_method: true,
        })))
    }
}
