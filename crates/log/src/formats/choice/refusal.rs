//! What is said of a file that no format fits.

use thinktime_core::error::Invalid;

use super::{Choice, PREFIXES_MAX, Share, among_others, find_behind_prefix, fitting};
use crate::formats::{Cut, FORMATS, Format, FormatEntry, Head};
use crate::reason::{Reason, example};
use crate::source::PARQUET_SEPARATOR;
use crate::time::Clock;

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
        let near = format!("; read as `{}`, {line} is bad: {}{form}", known.name, reason.words());
        Some(near + &naming(known.name, reason, &*format))
    })
}

/// The option that names the key or column that a reason misses, if fields have names.
fn naming(name: &str, reason: Reason, format: &dyn Format) -> String {
    let key = match reason {
        Reason::NoAddress => "address",
        Reason::NoPath => "url",
        Reason::NoMethod => "method",
        _ => return String::new(),
    };
    if !["json", "logfmt", "ltsv", "csv"].contains(&name) {
        return String::new();
    }
    let unused = format.unused_fields();
    let of_those =
        if unused.is_empty() { String::new() } else { format!(" ({})", unused.join(", ")) };
    format!("; `--format {name}:{key}=NAME` names the one that has it, of those unused{of_those}")
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
    let keyed = |known: &&FormatEntry| ["json", "logfmt", "ltsv"].contains(&known.name);
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
        Some(b'{') if !has(b"}\n{") || first.trim_ascii() == b"{" => {
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
             or the LogFormat of Apache's configuration in place of FORMAT; columns between \
             separators are named by a first line, or by number, as in `--format \
             csv:time=1,address=2,url=3`"
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

/// Why no format fits, and what would read the lines.
pub(super) fn no_format(head: &Head<'_>, choice: &Choice) -> Invalid {
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
