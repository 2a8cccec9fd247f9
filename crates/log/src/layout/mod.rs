//! Lines whose fields lie between fixed texts: a compiled list of fields.

mod apache;
mod nginx;
mod piece;
mod template;

pub(crate) use apache::log_format as apache_log_format;
pub(crate) use nginx::log_format as nginx_log_format;

use piece::Piece;
use thinktime_core::error::{Invalid, unknown};

use crate::field::{Draft, Field};
use crate::reason::Reason;
use crate::time::Clock;

/// The layout of a line.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// The text before the first field.
    begin: Vec<u8>,
    pieces: Vec<Piece>,
    /// Whether the line's time is that of the request's end.
    ends: bool,
}

impl Layout {
    /// Reads a line, and gives the rest after the last field.
    #[inline]
    pub(crate) fn read<'a>(
        &self,
        line: &'a [u8],
        clock: &mut Clock,
        draft: &mut Draft<'a>,
    ) -> Result<&'a [u8], Reason> {
        let mut rest = line;
        if !self.begin.is_empty() {
            rest = rest.strip_prefix(&self.begin[..]).ok_or(Reason::NotThisFormat)?;
        }
        for piece in &self.pieces {
            let (value, after) = piece.take(rest).ok_or(Reason::NotThisFormat)?;
            if piece.user {
                draft.set_user(&value);
            }
            draft.set(&piece.field, value, clock)?;
            rest = after;
        }
        match rest.first() {
            None | Some(b' ') => Ok(rest),
            Some(_) => Err(Reason::NotThisFormat),
        }
    }

    /// Whether the line's time is that of the request's end.
    pub(crate) fn ends(&self) -> bool {
        self.ends
    }

    /// As `self`, but with times of the end.
    pub(crate) fn of_ends(self) -> Layout {
        Layout { ends: true, ..self }
    }

    /// The names of unused fields.
    pub(crate) fn unused_fields(&self) -> Vec<String> {
        let unused = |piece: &&Piece| piece.field == Field::Skip && !piece.user;
        self.pieces.iter().filter(unused).map(|piece| piece.name.clone()).collect()
    }

    /// Uses the field of this name for the user.
    ///
    /// # Errors
    /// If no such field exists.
    pub(crate) fn with_user(mut self, name: Option<&str>) -> Result<Layout, Invalid> {
        let Some(name) = name else { return Ok(self) };
        let wanted = name.trim_start_matches(['$', '%']);
        let is_wanted = |piece: &Piece| piece.name.eq_ignore_ascii_case(wanted);
        if !self.pieces.iter().any(is_wanted) {
            let names = self.pieces.iter().map(|piece| &piece.name[..]);
            return Err(unknown("field for the user", name, names));
        }
        for piece in &mut self.pieces {
            piece.user = is_wanted(piece);
            if piece.field == Field::User {
                piece.field = Field::Skip;
            }
        }
        Ok(self)
    }
}

/// Builds a layout from the texts and fields of a format's notation.
#[derive(Debug, Default)]
struct Builder {
    begin: Vec<u8>,
    /// Whether lines may lack a time, because it stands before them.
    timeless: bool,
    /// Name, meaning, whether it is a time of the end, and the text after it.
    fields: Vec<(String, Field, bool, Vec<u8>)>,
}

impl Builder {
    /// Adds text that every line has.
    fn text(&mut self, text: &str) {
        let after = self.fields.last_mut().map_or(&mut self.begin, |field| &mut field.3);
        after.extend_from_slice(text.as_bytes());
    }

    /// Adds a field. Adjacent path and query are one field.
    fn field(&mut self, name: &str, field: Field, ends: bool) {
        if field == Field::Query
            && let Some((_, Field::Url, _, after)) = self.fields.last()
            && after.is_empty()
        {
            return;
        }
        self.fields.push((name.to_owned(), field, ends, Vec::new()));
    }

    /// The layout; for `what` in messages.
    fn finish(mut self, what: &str) -> Result<Layout, Invalid> {
        let ends = self.choose_time();
        if ends.is_none() && !self.timeless {
            return Err(Invalid::new(format!(
                "{what} has no time, without which nothing can be learned"
            )));
        }
        self.choose_duration();
        self.choose_request();
        self.choose_size();
        let last = self.fields.len() - 1;
        if let Some(pair) = self.fields[..last].iter().position(|field| field.3.is_empty()) {
            return Err(Invalid::new(format!(
                "{what}: `{}` and `{}` need something between them, such as a space",
                self.fields[pair].0,
                self.fields[pair + 1].0
            )));
        }
        let fields = self.fields.into_iter().enumerate();
        let pieces = fields
            .map(|(place, (name, field, _, after))| Piece::new(name, field, after, place == last));
        Ok(Layout { begin: self.begin, pieces: pieces.collect(), ends: ends == Some(true) })
    }

    /// Leaves one kind of time, that of the begin if present; says whether it is the end's.
    fn choose_time(&mut self) -> Option<bool> {
        let of_times = |field: &Field| {
            use Field::{AnyTime, Clf, ClfMillis, Date, Epoch, Iso, Pattern};
            matches!(field, Clf | ClfMillis | Iso | Epoch(_) | AnyTime | Pattern(_) | Date)
        };
        let times = || self.fields.iter().filter(|field| of_times(&field.1));
        let ends = times().all(|field| field.2);
        times().next()?;
        for (_, field, of_end, _) in &mut self.fields {
            if of_times(field) && *of_end != ends {
                *field = Field::Skip;
            }
        }
        Some(ends)
    }

    /// Leaves the duration of the finest unit.
    fn choose_duration(&mut self) {
        let unit = |field: &Field| match field {
            Field::Duration(unit) => Some(*unit),
            _ => None,
        };
        let finest = self.fields.iter().filter_map(|field| unit(&field.1)).min();
        for (_, field, _, _) in &mut self.fields {
            if unit(field) > finest {
                *field = Field::Skip;
            }
        }
    }

    /// The size of the body alone, if a field has that.
    fn choose_size(&mut self) {
        let of_body = |name: &str| matches!(name, "body_bytes_sent" | "b" | "B");
        if self.fields.iter().any(|field| of_body(&field.0)) {
            for (name, field, ..) in &mut self.fields {
                if matches!(field, Field::Bytes | Field::BytesOrDash) && !of_body(name) {
                    *field = Field::Skip;
                }
            }
        }
    }

    /// A request line, or an unchanged target, has the client's own path; other paths may have been
    /// rewritten.
    fn choose_request(&mut self) {
        let asked = |field: &(String, Field, bool, Vec<u8>)| {
            field.1 == Field::Request || field.0 == "request_uri"
        };
        if self.fields.iter().any(asked) {
            for field in self.fields.iter_mut().filter(|field| !asked(field)) {
                if matches!(field.1, Field::Url | Field::Query) {
                    field.1 = Field::Skip;
                }
            }
        }
    }
}
