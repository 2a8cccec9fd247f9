//! Apache's `LogFormat`, as in <https://httpd.apache.org/docs/2.4/mod/mod_log_config.html>.

use thinktime_core::error::Invalid;

use super::{Builder, Layout};
use crate::field::Field;
use crate::time::{MICROSECOND, MILLISECOND, Pattern, SECOND};

/// Compiles a `LogFormat` string; the whole directive, with name and quotes, is accepted as well.
///
/// # Errors
/// If it has a conversion that Apache lacks, no time, or adjacent fields.
pub(crate) fn log_format(text: &str) -> Result<Layout, Invalid> {
    let format = without_directive(text);
    let mut builder = Builder::default();
    let mut rest = &format[..];
    while let Some((before, after)) = rest.split_once('%') {
        builder.text(before);
        rest = conversion(after, &mut builder)?;
    }
    builder.text(rest);
    builder.finish("the LogFormat")
}

/// The text within the quotes of a directive, without escapes.
fn without_directive(text: &str) -> String {
    let text = text.trim();
    let inner = text
        .strip_prefix("LogFormat")
        .and_then(|rest| rest.trim_start().strip_prefix('"'))
        .and_then(|rest| Some(&rest[..rest.rfind('"')?]));
    inner.unwrap_or(text).replace("\\\"", "\"").replace("\\t", "\t")
}

/// Compiles one conversion, given the text after the percent sign; gives the rest.
fn conversion<'a>(text: &'a str, builder: &mut Builder) -> Result<&'a str, Invalid> {
    // Modifiers choose between redirects and statuses; the field stays the same.
    let modifier =
        |letter: char| matches!(letter, '<' | '>' | '!' | ',') || letter.is_ascii_digit();
    let text = text.trim_start_matches(modifier);
    let (argument, text) = match text.strip_prefix('{') {
        None => ("", text),
        Some(inner) => inner
            .split_once('}')
            .ok_or_else(|| Invalid::new("the LogFormat lacks a closing brace"))?,
    };
    let two = ["^ti", "^to"].iter().find(|token| text.starts_with(**token));
    let length = two.map_or(text.chars().next().map_or(0, char::len_utf8), |two| two.len());
    let (letter, rest) = text.split_at(length);
    match (letter, argument) {
        ("%", _) => builder.text("%"),
        ("t", "") => {
            builder.text("[");
            builder.field("t", Field::Clf, false);
            builder.text("]");
        }
        ("t", _) => time(argument, builder)?,
        _ => {
            let name = if argument.is_empty() { letter } else { argument };
            builder.field(name, field(letter, argument)?, false);
        }
    }
    Ok(rest)
}

/// `%{...}t`
fn time(argument: &str, builder: &mut Builder) -> Result<(), Invalid> {
    let (ends, argument) = match (argument.strip_prefix("begin:"), argument.strip_prefix("end:")) {
        (Some(begin), _) => (false, begin),
        (_, Some(end)) => (true, end),
        _ => (false, argument),
    };
    let field = match argument {
        "" => Field::Clf,
        _ => Field::Pattern(Pattern::compile(argument)?),
    };
    builder.field("t", field, ends);
    Ok(())
}

/// The meaning of a conversion.
fn field(letter: &str, argument: &str) -> Result<Field, Invalid> {
    Ok(match letter {
        "h" => Field::Address,
        "a" if argument.is_empty() => Field::Address,
        "u" => Field::User,
        "r" => Field::Request,
        "s" => Field::Status,
        "b" => Field::BytesOrDash,
        "B" | "O" => Field::Bytes,
        "D" => Field::Duration(MICROSECOND),
        "T" => Field::Duration(match argument {
            "ms" => MILLISECOND,
            "us" => MICROSECOND,
            _ => SECOND,
        }),
        "m" => Field::Method,
        "U" => Field::Url,
        "q" => Field::Query,
        "H" => Field::Protocol,
        "v" | "V" => Field::Host,
        "i" => header(argument),
        "a" | "A" | "C" | "e" | "f" | "I" | "k" | "l" | "L" | "n" | "o" | "p" | "P" | "R" | "S"
        | "X" | "x" | "^ti" | "^to" => Field::Skip,
        _ => {
            return Err(Invalid::new(format!("the LogFormat has `%{letter}`, which is not known")));
        }
    })
}

/// The meaning of a request's header.
fn header(name: &str) -> Field {
    match &name.to_ascii_lowercase()[..] {
        "user-agent" => Field::Agent,
        "referer" => Field::Referrer,
        "host" => Field::Host,
        "x-forwarded-for" => Field::Forwarded,
        _ => Field::Skip,
    }
}
