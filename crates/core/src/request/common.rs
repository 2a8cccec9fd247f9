//! The common properties of a population's requests, and the header fields read with them.

use std::collections::BTreeMap;

use thinktime_file::error::Invalid;

use super::content::template::{Place, Template};
use super::value_names::ValueNames;
use crate::files::Files;

/// The common properties of a population's sessions, for their requests.
#[derive(Clone, Copy)]
pub(crate) struct Common<'a> {
    /// Header fields of all requests that have no field of that name.
    pub(crate) headers: &'a BTreeMap<String, String>,
    /// The names of their values.
    pub(crate) values: &'a ValueNames,
    pub(crate) files: &'a dyn Files,
}

impl Common<'_> {
    /// Whether the text of a header field contains draws or values.
    ///
    /// # Errors
    /// When there is a mistake in one.
    pub(crate) fn varies(&self, text: &str) -> Result<bool, Invalid> {
        Ok(self.field("", text)?.value.as_fixed().is_none())
    }

    pub(super) fn field(&self, name: &str, text: &str) -> Result<Field, Invalid> {
        let value = Template::parse(text, Place::Header, &self.values.names, self.files)?;
        Ok(Field { name: name.to_owned(), value, optional: false })
    }
}

/// A header field of requests.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) value: Template,
    /// Whether it is left out as long as a value of it is missing.
    pub(super) optional: bool,
}

impl Field {
    pub(super) fn fixed(name: &str, value: String) -> Field {
        let value = Template::fixed(value.into_bytes());
        Field { name: name.to_owned(), value, optional: false }
    }
}
