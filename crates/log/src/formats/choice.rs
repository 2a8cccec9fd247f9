//! The format of a file: named by the user, or detected from its first lines.

use std::sync::Arc;

use thinktime_core::error::{Invalid, unknown};

use super::prefix::{Prefix, PrefixChain};
use super::{Cut, FORMATS, Format, FormatEntry, FormatOptions, Head};
use crate::reason::{Reason, example};
use crate::source::PARQUET_SEPARATOR;
use crate::time::Clock;

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
        let head = Head { bytes: known.example.as_bytes() };
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
    match find_behind_prefix(head, choice, PREFIXES_MAX) {
        Some(found) => Ok(found),
        None => bare(head, choice),
    }
}

/// The most nested prefixes, as in a container's syslog.
const PREFIXES_MAX: usize = 3;

/// The format after a prefix, if most lines have one.
fn find_behind_prefix(head: &Head<'_>, choice: &Choice, most: usize) -> Option<FormatMatch> {
    let inner = |prefix: Prefix| {
        let bytes = prefix.peeled(head);
        let inner = Head { bytes: &bytes };
        let deeper = if most > 1 { find_behind_prefix(&inner, choice, most - 1) } else { None };
        let (name, format) = deeper.or_else(|| bare(&inner, choice).ok())?;
        let fits = format.cut() == Cut::Lines && inner.fits(&format);
        fits.then(|| (name, Arc::new(PrefixChain { prefix, inner: format }) as Arc<dyn Format>))
    };
    Prefix::of_most(head).find_map(inner)
}

/// The format of lines without a prefix.
fn bare(head: &Head<'_>, choice: &Choice) -> Result<FormatMatch, Invalid> {
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
    Err(wrong.unwrap_or_else(|| no_format(head, choice)))
}

/// Whether a file has this format, without any options.
fn is_of(head: &Head<'_>, known: &FormatEntry) -> bool {
    let format = (known.open)(head, &FormatOptions::default());
    format.is_ok_and(|format| format.is_some_and(|format| head.fits(&format)))
}

/// The format that lines would have but for one field, and that field's error.
fn nearly(line: &[u8], head: &Head<'_>, choice: &Choice) -> Option<(&'static str, Reason)> {
    const TELLING: [Reason; 5] = [
        Reason::NoAddress,
        Reason::NoMethod,
        Reason::NoPath,
        Reason::ImpossibleDate,
        Reason::BadStatus,
    ];
    choice.candidates().into_iter().find_map(|known| {
        let format = (known.open)(head, &choice.options()).ok().flatten()?;
        let read = format.read(line, &mut Clock::default(), &mut |_| {});
        let reason = read.err().filter(|reason| TELLING.contains(reason))?;
        (format.cut() == Cut::Lines).then_some((known.name, reason))
    })
}

/// The missing keys, if the lines are objects of which only the time is known.
fn json_lacks(head: &Head<'_>, choice: &Choice) -> Option<Invalid> {
    let json = choice.candidates().into_iter().find(|known| known.name == "json")?;
    (json.open)(head, &choice.options()).err()
}

fn no_format(head: &Head<'_>, choice: &Choice) -> Invalid {
    let first = head.lines().find(|line| !line.is_empty()).unwrap_or(head.bytes);
    if let (Some(columns), None) = (first.strip_suffix(&[PARQUET_SEPARATOR]), &choice.named) {
        let columns: Vec<String> =
            columns.split(|byte| *byte == PARQUET_SEPARATOR).map(example).collect();
        return Invalid::new(format!(
            "has no column that is known as a time; its columns are {}: name the one that is, \
             as in `--format parquet:time=COLUMN`",
            columns.join(", "),
        ));
    }
    let near = match (nearly(first, head, choice), json_lacks(head, choice)) {
        (Some((name, reason)), _) => {
            format!("; read as `{name}`, its first line is bad: {}", reason.words())
        }
        (None, Some(lacking)) => format!("; read as `json`: {lacking}"),
        (None, None) => String::new(),
    };
    let first = example(first);
    if let Some((known, _)) = &choice.named {
        let name = known.name;
        return Invalid::new(format!(
            "is not of the format `{name}`; it begins with `{first}`{near}"
        ));
    }
    let names: Vec<&str> = FORMATS.iter().map(|known| known.name).collect();
    Invalid::new(format!(
        "has no format that is known ({}); it begins with `{first}`{near}",
        names.join(", ")
    ))
}
