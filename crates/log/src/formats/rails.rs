//! The lines of Ruby on Rails: `Started GET "/a" for 192.0.2.1 at ...`, then `Completed 200 OK in
//! 12ms`, with lines of its own between, and perhaps of other requests. Both have the tags before
//! them that the application gives a request.

use std::borrow::Cow;
use std::sync::Arc;

use thinktime_core::error::unknown;

use super::{Format, FormatEntry, Half, Head, Take};
use crate::field::{Draft, Field};
use crate::reason::Reason;
use crate::time::{Clock, MILLISECOND};

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "rails",
    summary: "Ruby on Rails: the lines of a request's begin and of its end",
    source: "https://guides.rubyonrails.org/debugging_rails_applications.html",
    example: include_str!("examples/rails.log"),
    argument: None,
    open: |head, wanted| match wanted.user {
        _ if !has_both(head) => Ok(None),
        Some(user) => Err(unknown("field for the user", user, ["address"].into_iter())),
        None => Ok(Some(Arc::new(Rails))),
    },
};

/// Whether the first lines have begins and answers.
fn has_both(head: &Head<'_>) -> bool {
    head.lines().any(|line| begun(line).is_some())
        && head.lines().any(|line| answered(line).is_some())
}

#[derive(Debug)]
struct Rails;

impl Format for Rails {
    fn read(&self, line: &[u8], clock: &mut Clock, take: &mut Take<'_>) -> Result<(), Reason> {
        // All other lines are the application's own.
        if begun(line).is_some() { self.join(line, None, clock, take) } else { Ok(()) }
    }

    fn has_halves(&self) -> bool {
        true
    }

    fn half(&self, line: &[u8]) -> Option<Half> {
        let (begins, tags) = match begun(line) {
            Some(begun) => (true, begun.tags),
            None => (false, answered(line)?.0),
        };
        Some(Half { begins, key: tags.to_vec(), unique: !tags.is_empty() })
    }

    fn join(
        &self,
        begin: &[u8],
        answer: Option<&[u8]>,
        clock: &mut Clock,
        take: &mut Take<'_>,
    ) -> Result<(), Reason> {
        let begun = begun(begin).ok_or(Reason::NotThisFormat)?;
        let mut draft = Draft::default();
        for (field, value) in [
            (Field::Method, begun.method),
            (Field::Url, begun.url),
            (Field::Address, begun.address),
            (Field::AnyTime, begun.time),
        ] {
            draft.set(&field, Cow::Borrowed(value), clock)?;
        }
        if let Some((_, status, duration)) = answer.and_then(answered) {
            draft.set(&Field::Status, Cow::Borrowed(status), clock)?;
            draft.set(&Field::Duration(MILLISECOND), Cow::Borrowed(duration), clock)?;
        }
        take(draft.finish(false, clock)?);
        Ok(())
    }
}

/// What the line of a begin says.
struct Begun<'a> {
    tags: &'a [u8],
    method: &'a [u8],
    url: &'a [u8],
    address: &'a [u8],
    time: &'a [u8],
}

fn begun(line: &[u8]) -> Option<Begun<'_>> {
    let (tags, rest) = behind(line, b"Started ")?;
    let (method, rest) = cut(rest, b" \"", memchr::memmem::find)?;
    let (url, rest) = cut(rest, b"\" for ", memchr::memmem::rfind)?;
    let (address, time) = cut(rest, b" at ", memchr::memmem::rfind)?;
    let is_method = !method.is_empty() && method.iter().all(u8::is_ascii_uppercase);
    is_method.then_some(Begun { tags, method, url, address, time })
}

/// The tags, the status and the milliseconds of the line of an answer.
fn answered(line: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let (tags, rest) = behind(line, b"Completed ")?;
    let (status, rest) = cut(rest, b" ", memchr::memmem::find)?;
    let (_, rest) = cut(rest, b"in ", memchr::memmem::find)?;
    let (duration, _) = cut(rest, b"ms", memchr::memmem::find)?;
    let digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    (digits(duration) && digits(status)).then_some((tags, status, duration))
}

/// The tags before a word, as in `[a] [b] Started `, and the text behind it.
fn behind<'a>(line: &'a [u8], word: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = memchr::memmem::find(line, word)?;
    let mut begin = at;
    while let Some(inner) = line[..begin].strip_suffix(b"] ") {
        begin = memchr::memrchr(b'[', inner)?;
    }
    let is_word = at == 0 || line[at - 1] == b' ';
    is_word.then_some((&line[begin..at], &line[at + word.len()..]))
}

/// The texts before and after a mark.
fn cut<'a>(
    text: &'a [u8],
    mark: &[u8],
    place: fn(&[u8], &[u8]) -> Option<usize>,
) -> Option<(&'a [u8], &'a [u8])> {
    let at = place(text, mark)?;
    Some((&text[..at], &text[at + mark.len()..]))
}
