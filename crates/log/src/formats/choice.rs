//! The format of a file: named by the user, or detected from its first lines.

use std::sync::Arc;

use thinktime_core::error::{Invalid, unknown};

use super::array::{self, Array};
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
    if let Some(lines) = array::lines(head) {
        let (name, format) = find(&Head::new(&lines), choice)?;
        return Ok((name, Arc::new(Array(format))));
    }
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

/// The format that lines would have but for one field, and that field's error.
fn nearly(head: &Head<'_>, choice: &Choice) -> Option<String> {
    const TELLING: [Reason; 5] = [
        Reason::NoAddress,
        Reason::NoMethod,
        Reason::NoPath,
        Reason::ImpossibleDate,
        Reason::BadStatus,
    ];
    // The line after a table's header is the first that can be bad.
    const LINES_TRIED: usize = 2;
    choice.candidates().into_iter().find_map(|known| {
        let format = (known.open)(head, &choice.options()).ok().flatten()?;
        let has_columns = known.argument.is_some();
        let tells = |reason: &Reason| {
            TELLING.contains(reason) || (has_columns && *reason == Reason::NoTime)
        };
        let is_empty =
            |line: &[u8]| line.is_empty() || (format.has_directives() && line.starts_with(b"#"));
        let lines = head.lines().enumerate().filter(|(_, line)| !is_empty(line)).take(LINES_TRIED);
        let (line, reason) =
            lines.filter(|_| format.cut() == Cut::Lines).find_map(|(at, line)| {
                let read = format.read(line, &mut Clock::default(), &mut |_| {});
                Some((at + 1, read.err().filter(tells)?))
            })?;
        let form = match reason {
            Reason::NoTime => {
                "; a time is one such as `2015-05-17 10:05:03`, `17/May/2015:10:05:03 +0200`, \
                 `5/17/2015 10:05:03 PM` or a number since 1970"
            }
            _ => "",
        };
        let line = if line == 1 { "its first line".to_owned() } else { format!("line {line}") };
        Some(format!("; read as `{}`, {line} is bad: {}{form}", known.name, reason.words()))
    })
}

/// The format that lines would have with a time before each.
fn lacks_only_time(head: &Head<'_>, choice: &Choice) -> Option<String> {
    let timed = Head { timed: true, ..*head };
    let found = || fitting(&timed, choice).ok();
    let (name, format) = find_behind_prefix(&timed, choice, PREFIXES_MAX).or_else(found)?;
    let has_keys = FORMATS.iter().any(|known| known.name == name && known.argument.is_some());
    (!has_keys && timed.fits(&format)).then(|| {
        format!(
            "; read as `{name}`, its lines have no time: let one stand before each, as `docker \
             logs --timestamps` and `journalctl -o short-iso` write it"
        )
    })
}

/// The missing keys, if the lines are objects or pairs.
fn keys_lack(head: &Head<'_>, choice: &Choice) -> Option<String> {
    let keyed = |known: &&FormatEntry| ["json", "logfmt"].contains(&known.name);
    choice.candidates().into_iter().filter(keyed).find_map(|known| {
        let lacking = (known.open)(head, &choice.options()).err()?;
        Some(format!("; read as `{}`: {lacking}", known.name))
    })
}

/// Whether no column of a table is known as a time.
fn lacks_time(head: &Head<'_>, choice: &Choice) -> bool {
    let mut tables = choice.candidates().into_iter().filter(|known| known.name == "parquet");
    tables.all(|known| !matches!((known.open)(head, &choice.options()), Ok(Some(_))))
}

/// The option that would read lines that no format fits.
fn advice(head: &Head<'_>, first: &[u8], choice: &Choice) -> &'static str {
    let has = |part: &[u8]| memchr::memmem::find(head.bytes, part).is_some();
    match first.trim_ascii_start().first() {
        _ if first.contains(&0)
            || first.iter().any(|byte| *byte < b' ' && *byte != b'\t' && *byte != 0x1b) =>
        {
            ""
        }
        Some(b'{') if !has(b"}\n{") => {
            "; JSON needs a line for each object, as `jq -c . FILE | thinktime learn -` makes them"
        }
        _ if choice.named.as_ref().is_some_and(|(_, argument)| argument.is_some()) => "",
        _ if (has(b"#Software") || has(b"#Version")) && has(b"#Fields:") => {
            "; of the W3C's format, columns without quotes are read, with the names `date`, \
             `time`, `c-ip`, `cs-method` and `cs-uri-stem` or `cs-uri` after `#Fields:`"
        }
        _ if has(b"#Software") || has(b"#Version") => {
            "; the W3C's format needs a line `#Fields: date time c-ip cs-method cs-uri-stem ...`"
        }
        Some(b'<') => "",
        _ => {
            "; if a server wrote it, `--format 'FORMAT'` reads it, with the log_format of nginx's \
             or the LogFormat of Apache's configuration in place of FORMAT; a CSV needs a first \
             line with the names of its columns"
        }
    }
}

/// The format of requests that are too rare among a program's other lines.
fn rare(head: &Head<'_>, choice: &Choice) -> Option<String> {
    let (requests, (name, _)) = among_others(head, choice, Share::Any, PREFIXES_MAX)?;
    Some(format!(
        "; {requests} of its first lines {} of the format `{name}`: `--format {name}` reads such \
         lines alone",
        if requests == 1 { "is" } else { "are" }
    ))
}

/// What lines lack that no format fits, and what would read them.
fn hint(head: &Head<'_>, first: &[u8], choice: &Choice) -> String {
    if let Some(rare) = rare(head, choice) {
        return rare;
    }
    if let Some(untimed) = lacks_only_time(head, choice) {
        return untimed;
    }
    match (nearly(head, choice), keys_lack(head, choice)) {
        (Some(near), _) => near + advice(head, first, choice),
        (None, Some(lacking)) => lacking,
        (None, None) => advice(head, first, choice).to_owned(),
    }
}

fn no_format(head: &Head<'_>, choice: &Choice) -> Invalid {
    let first = head.lines().find(|line| !line.is_empty()).unwrap_or(head.bytes);
    if let (Some(columns), None) = (first.strip_suffix(&[PARQUET_SEPARATOR]), &choice.named) {
        let columns: Vec<String> =
            columns.split(|byte| *byte == PARQUET_SEPARATOR).map(example).collect();
        let columns = columns.join(", ");
        return Invalid::new(match lacks_time(head, choice) {
            true => format!(
                "has no column that is known as a time; its columns are {columns}: name the one \
                 that is, as in `--format parquet:time=COLUMN`"
            ),
            false => format!(
                "has no columns that are known as the client's address and the url, or they are \
                 empty; its columns are {columns}: name them, as in `--format \
                 parquet:address=COLUMN,url=COLUMN`"
            ),
        });
    }
    let near = hint(head, first, choice);
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
