//! The format of a file: named by the user, or detected from its first lines.

mod refusal;

use std::sync::Arc;

use thinktime_core::error::{Invalid, unknown};

use super::array::{self, Array};
use super::joined::Joined;
use super::prefix::{Prefix, PrefixChain};
use super::{Cut, FORMATS, Format, FormatEntry, FormatOptions, Head};
use refusal::no_format;

/// The user's options for formats.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choice {
    named: Option<(&'static FormatEntry, Option<String>)>,
    user: Option<String>,
}

impl Choice {
    /// From a name, a name with an argument after a colon, or a bare log format (it has `%` or
    /// `$`); and from the name of the user's field.
    ///
    /// # Errors
    /// If the name is unknown, or the argument is missing or wrong.
    pub(crate) fn new(format: Option<&str>, user: Option<&str>) -> Result<Choice, Invalid> {
        let user = user.map(str::to_owned);
        let Some(text) = format else { return Ok(Choice { named: None, user }) };
        let is_name = |name: &str| FORMATS.iter().any(|known| known.name == name);
        let (name, argument) = match text.split_once(':') {
            Some((name, argument)) if is_name(name) => (name, Some(argument.to_owned())),
            _ if is_name(text) => (text, None),
            _ if text.contains('$') => ("nginx", Some(text.to_owned())),
            _ if text.contains('%') => ("apache", Some(text.to_owned())),
            _ => return Err(unknown("format", text, FORMATS.iter().map(|known| known.name))),
        };
        let Some(known) = FORMATS.iter().find(|known| known.name == name) else {
            return Err(unknown("format", name, FORMATS.iter().map(|known| known.name)));
        };
        let choice = Choice { named: Some((known, argument)), user };
        choice.check(known)?;
        Ok(choice)
    }

    /// Refuses wrong arguments before any file is read.
    fn check(&self, known: &'static FormatEntry) -> Result<(), Invalid> {
        let wanted = self.options();
        if wanted.argument.is_some() && known.argument.is_none() {
            return Err(Invalid::new(format!("the format `{}` takes no argument", known.name)));
        }
        let head = Head::new(known.example.as_bytes());
        match ((known.open)(&head, &wanted), known.argument) {
            (Ok(None), Some(example)) if wanted.argument.is_none() && known.example.is_empty() => {
                Err(Invalid::new(format!("give the format after a colon, as in `{example}`")))
            }
            (Err(reason), Some(_)) if known.example.is_empty() => Err(reason),
            _ => Ok(()),
        }
    }

    fn options(&self) -> FormatOptions<'_> {
        FormatOptions {
            argument: self.named.as_ref().and_then(|named| named.1.as_deref()),
            user: self.user.as_deref(),
        }
    }

    /// The only permitted format; all formats if none is named.
    fn candidates(&self) -> Vec<&'static FormatEntry> {
        match &self.named {
            Some((known, _)) => vec![known],
            None => FORMATS.to_vec(),
        }
    }
}

/// A format with its name.
type FormatMatch = (&'static str, Arc<dyn Format>);

/// The format of a file with this begin, with its name.
///
/// # Errors
/// If no format fits, or a fitting one has no field for the user.
pub(crate) fn find(head: &Head<'_>, choice: &Choice) -> Result<FormatMatch, Invalid> {
    if let Some((wrapper, lines)) = array::lines(head) {
        let found = of_lines(&Head::new(&lines), choice);
        // An object may also be one of several lines.
        if found.is_ok() || wrapper.is_none() {
            return found.map(|(name, lines)| (name, Arc::new(Array { wrapper, lines }) as Arc<_>));
        }
    }
    let (name, format) = of_lines(head, choice)?;
    Ok((name, if format.has_halves() { Arc::new(Joined::new(format, head)) } else { format }))
}

/// The format of the lines of a file with this begin, with its name.
fn of_lines(head: &Head<'_>, choice: &Choice) -> Result<FormatMatch, Invalid> {
    if let Some(found) = find_behind_prefix(head, choice, PREFIXES_MAX) {
        return Ok(found);
    }
    let found = bare(head, choice);
    // With a named format, most lines may be a program's own.
    if found.is_ok() && choice.named.is_none() {
        return found;
    }
    let least = if choice.named.is_some() { Share::Any } else { Share::Least };
    among_others(head, choice, least, PREFIXES_MAX).map_or(found, |(_, found)| Ok(found))
}

/// The share of a program's lines that must be requests.
#[derive(Clone, Copy, PartialEq)]
enum Share {
    Least,
    Any,
}

/// The format of requests among a program's other lines, perhaps after a prefix, and the number of
/// requests: the format that reads most.
fn among_others(
    head: &Head<'_>,
    choice: &Choice,
    least: Share,
    most: usize,
) -> Option<(usize, FormatMatch)> {
    let opened = choice.candidates().into_iter().filter_map(|known| {
        let format = (known.open)(head, &choice.options()).ok().flatten()?;
        let judged = head.judge(&format);
        let reads = judged.good > 0 && (least == Share::Any || judged.has_share());
        (reads && format.cut() == Cut::Lines).then_some((judged.good, (known.name, format)))
    });
    let deeper = Prefix::of_most(head).filter(|_| most > 0).filter_map(|prefix| {
        let (bytes, timed) = prefix.peeled(head);
        let inner = Head { bytes: &bytes, timed };
        let (good, (name, inner)) = among_others(&inner, choice, least, most - 1)?;
        Some((good, (name, Arc::new(PrefixChain { prefix, inner }) as Arc<dyn Format>)))
    });
    // Of equals the first is taken: a prefix would be taken for a part of the line, as for its
    // first word, and stricter formats come first.
    deeper.chain(opened).reduce(|best, other| if other.0 > best.0 { other } else { best })
}

/// The most nested prefixes, as in a container's syslog.
const PREFIXES_MAX: usize = 4;

/// The format after a prefix, if most lines have one.
fn find_behind_prefix(head: &Head<'_>, choice: &Choice, most: usize) -> Option<FormatMatch> {
    let inner = |prefix: Prefix| {
        let (bytes, timed) = prefix.peeled(head);
        let inner = Head { bytes: &bytes, timed };
        let deeper = if most > 1 { find_behind_prefix(&inner, choice, most - 1) } else { None };
        let (name, format) = deeper.or_else(|| fitting(&inner, choice).ok())?;
        let fits = format.cut() == Cut::Lines && inner.fits(&format);
        fits.then(|| (name, Arc::new(PrefixChain { prefix, inner: format }) as Arc<dyn Format>))
    };
    Prefix::of_most(head).find_map(inner)
}

/// The format of lines without a prefix.
fn bare(head: &Head<'_>, choice: &Choice) -> Result<FormatMatch, Invalid> {
    fitting(head, choice).map_err(|wrong| wrong.unwrap_or_else(|| no_format(head, choice)))
}

/// The format of lines without a prefix; if none fits, what is wrong with one that would.
fn fitting(head: &Head<'_>, choice: &Choice) -> Result<FormatMatch, Option<Invalid>> {
    let mut wrong = None;
    for known in choice.candidates() {
        match (known.open)(head, &choice.options()) {
            Ok(Some(format)) if choice.named.is_some() || head.fits(&format) => {
                return Ok((known.name, format));
            }
            Ok(_) => {}
            Err(reason) if wrong.is_none() && (choice.named.is_some() || is_of(head, known)) => {
                wrong = Some(reason);
            }
            Err(_) => {}
        }
    }
    Err(wrong)
}

/// Whether a file has this format, without any options.
fn is_of(head: &Head<'_>, known: &FormatEntry) -> bool {
    let format = (known.open)(head, &FormatOptions::default());
    format.is_ok_and(|format| format.is_some_and(|format| head.fits(&format)))
}
