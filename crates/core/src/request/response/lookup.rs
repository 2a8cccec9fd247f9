//! The parts of a response that checks and `take` can look up.

use std::borrow::Cow;
use std::sync::Arc;

use regex::bytes::{Regex, RegexBuilder};
use serde_json::Value;
use serde_json_path::JsonPath;
use thinktime_file::error::{Invalid, unknown};
use thinktime_file::time::Nanos;

/// How lookups are written, for messages.
const FORM: &str = "write it as status, time, body, header:NAME, json:PATH or regex:PATTERN";
const WORDS: [&str; 6] = ["status", "time", "body", "header", "json", "regex"];
/// The number of brackets in a path that may be nested.
const PATH_DEPTH_MAX: u32 = 8;
/// The beginning of a text that marks it as UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// The largest size of a compiled pattern, in bytes.
const PATTERN_BYTES_MAX: usize = 4 << 20;

/// A response, as lookups see it.
#[derive(Clone, Copy, Debug)]
pub struct Response<'a> {
    /// The protocol's status; 0 if it has none.
    pub status: u16,
    /// Since the scheduled time.
    pub response_time: Nanos,
    /// The head as received.
    pub head: &'a [u8],
    /// The body; its beginning, if it is long.
    pub body: &'a [u8],
}

/// A lookup in a response.
#[derive(Clone, Debug)]
pub enum Lookup {
    /// Its status.
    Status,
    /// Its response time, in seconds.
    Time,
    /// Its body.
    Body,
    /// The first header field of this name.
    Header(String),
    /// The first place in its body, as JSON, to which a path leads (RFC 9535).
    Json(Arc<JsonPath>),
    /// The first match in its body: the first group of the expression, or all of it.
    Regex(Regex),
}

impl Lookup {
    /// Parses `status`, `time`, `body`, `header:NAME`, `json:PATH` or `regex:PATTERN`.
    ///
    /// # Errors
    /// When it is none of them, or its path or pattern is wrong.
    pub fn parse(text: &str) -> Result<Lookup, Invalid> {
        let (word, rest) = text.split_once(':').unwrap_or((text, ""));
        let rest = rest.trim();
        let found = match (word.trim(), rest.is_empty()) {
            ("status", true) => Lookup::Status,
            ("time", true) => Lookup::Time,
            ("body", true) => Lookup::Body,
            ("header", false) => Lookup::Header(rest.to_owned()),
            ("json", false) => Lookup::Json(Arc::new(path(rest)?)),
            ("regex", false) => Lookup::Regex(regex(rest)?),
            (word, _) if WORDS.contains(&word) => {
                return Err(Invalid::new(format!("`{text}` does not say what to look up: {FORM}")));
            }
            (word, _) => return Err(unknown("part of a response", word, WORDS.into_iter())),
        };
        Ok(found)
    }

    /// Whether it needs heads or bodies to be kept.
    #[must_use]
    pub fn reads(&self) -> Reads {
        match self {
            Lookup::Status | Lookup::Time => Reads::Nothing,
            Lookup::Header(_) => Reads::Heads,
            Lookup::Body | Lookup::Json(_) | Lookup::Regex(_) => Reads::Bodies,
        }
    }

    /// The value found; `None` if it is not there. `json` is the body as JSON, parsed on first use.
    #[must_use]
    pub fn find<'a>(&self, response: &Response<'a>, json: &mut Json) -> Option<Cow<'a, [u8]>> {
        match self {
            Lookup::Status => Some(owned(response.status.to_string())),
            Lookup::Time => Some(owned(response.response_time.as_secs_f64().to_string())),
            Lookup::Body => Some(Cow::Borrowed(response.body)),
            Lookup::Header(name) => header_values(response.head, name).next().map(Cow::Borrowed),
            Lookup::Json(path) => {
                let value = path.query(json.of(response.body)?).first()?;
                Some(owned(text_of(value)))
            }
            Lookup::Regex(pattern) => {
                let found = pattern.captures(response.body)?;
                let place = usize::from(found.len() > 1);
                found.get(place).map(|part| Cow::Borrowed(part.as_bytes()))
            }
        }
    }
}

/// The part of a response that must be kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reads {
    /// Nothing.
    #[default]
    Nothing,
    /// Its head.
    Heads,
    /// Its head and its body.
    Bodies,
}

/// A body as JSON, parsed at most once.
#[derive(Debug, Default)]
pub struct Json(Option<Option<Value>>);

impl Json {
    fn of(&mut self, body: &[u8]) -> Option<&Value> {
        let body = body.strip_prefix(BYTE_ORDER_MARK).unwrap_or(body);
        self.0.get_or_insert_with(|| serde_json::from_slice(body).ok()).as_ref()
    }
}

/// The values of a head's fields of this name, in any letters, without the blanks around them.
pub fn header_values<'a, 'n>(
    head: &'a [u8],
    name: &'n str,
) -> impl Iterator<Item = &'a [u8]> + use<'a, 'n> {
    let lines = head.split(|byte| *byte == b'\n').skip(1);
    lines.filter_map(move |line| {
        let (own, value) = line.split_at(line.iter().position(|byte| *byte == b':')?);
        own.eq_ignore_ascii_case(name.as_bytes()).then(|| value[1..].trim_ascii())
    })
}

/// A path of JSON. A path that would take very long, or all of the stack, to read or to follow is
/// refused.
fn path(text: &str) -> Result<JsonPath, Invalid> {
    let wrong = |why: &str| {
        Invalid::new(format!("`{text}` is no path of JSON, as $.items[0].id is: {why}"))
    };
    let (mut quote, mut depth, mut deepest, mut descents) = (None, 0_u32, 0, 0);
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match (quote, c) {
            (Some(_), '\\') => drop(characters.next()),
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '[' | '(') => depth += 1,
            (None, ']' | ')') => depth = depth.saturating_sub(1),
            (None, '.') if characters.peek() == Some(&'.') => {
                characters.next();
                descents += 1;
            }
            (None, _) => {}
        }
        deepest = deepest.max(depth);
    }
    if deepest > PATH_DEPTH_MAX {
        return Err(wrong(&format!("more than {PATH_DEPTH_MAX} brackets within one another")));
    }
    if descents > 1 {
        return Err(wrong("it has `..` more than once, which can take very long"));
    }
    JsonPath::parse(text).map_err(|error| wrong(&error.to_string()))
}

/// A regular expression over bytes.
///
/// # Errors
/// When it is not one, or takes too much memory.
pub(crate) fn regex(text: &str) -> Result<Regex, Invalid> {
    RegexBuilder::new(text).size_limit(PATTERN_BYTES_MAX).build().map_err(|error| {
        // The first lines show the expression with a mark below.
        let words = error.to_string();
        let why = words.lines().last().unwrap_or_default().trim_start_matches("error: ");
        Invalid::new(format!("`{text}` is no regular expression: {why}"))
    })
}

fn owned<'a>(text: String) -> Cow<'a, [u8]> {
    Cow::Owned(text.into_bytes())
}

/// A found value: texts as they are, the rest as JSON.
pub(crate) fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/html \r\nX-A:1\r\nx-a: 2\r\n";

    fn found(lookup: &str, body: &str) -> Option<String> {
        let response = Response {
            status: 201,
            response_time: Nanos(250_000_000),
            head: HEAD,
            body: body.as_bytes(),
        };
        let lookup = Lookup::parse(lookup).unwrap();
        let found = lookup.find(&response, &mut Json::default());
        found.map(|bytes| String::from_utf8(bytes.into_owned()).unwrap())
    }

    #[test]
    fn parts_of_a_response_are_found() {
        let json = r#"{"items": [{"id": 7, "name": "a\"b"}, {"id": 1.5}], "none": null}"#;
        for (lookup, expected) in [
            ("status", Some("201")),
            ("time", Some("0.25")),
            ("body", Some(json)),
            ("header:content-type", Some("text/html")),
            ("header: X-A", Some("1")),
            ("header:X-B", None),
            ("json:$.items[0].id", Some("7")),
            ("json:$.items[-1].id", Some("1.5")),
            ("json:$.items[?@.id > 5].name", Some("a\"b")),
            ("json:$.items[1]", Some(r#"{"id":1.5}"#)),
            ("json:$.none", Some("null")),
            ("json:$.other", None),
            (r#"regex:"id": (\d+)"#, Some("7")),
            ("regex:item.", Some("items")),
            ("regex:x+", None),
        ] {
            assert_eq!(found(lookup, json).as_deref(), expected, "{lookup}");
        }
        assert_eq!(found("json:$.a", "{no json"), None);
        assert_eq!(found("json:$.a", "\u{feff}{\"a\": 1}").as_deref(), Some("1"));
        assert_eq!(found("json:$..['a..b[']", r#"{"x": {"a..b[": 2}}"#).as_deref(), Some("2"));
    }

    #[test]
    fn wrong_lookups_are_explained() {
        for (text, words) in [
            ("", "unknown part of a response"),
            ("jsn:$.a", "did you mean `json`"),
            ("json", "header:NAME"),
            ("status:200", "write it as status"),
            ("json:a", "no path of JSON"),
            ("regex:(", "no regular expression"),
            ("json:$..a..b", "more than once"),
            (&format!("json:${}{}", "[?@".repeat(20), "]".repeat(20)), "8 brackets"),
            (&format!("json:$[?{}@.a{}]", "(".repeat(20_000), ")".repeat(20_000)), "8 brackets"),
        ] {
            let message = Lookup::parse(text).unwrap_err().to_string();
            assert!(message.contains(words), "{text}: {message}");
        }
    }
}
