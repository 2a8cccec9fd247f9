//! Checks of responses: conditions on the received parts.

use regex::bytes::Regex;
use serde_json::Value;
use thinktime_file::error::{Invalid, own_name};
use thinktime_file::schema::Scalar;
use thinktime_file::units::parse_time;
use thinktime_file::workload::{CheckTable, CheckValue};

use super::lookup::{Json, Lookup, Response, regex, text_of};

/// A check, ready to use.
#[derive(Clone, Debug)]
pub struct ResponseCheck {
    /// The name under which it is counted.
    pub name: String,
    /// The part that it checks.
    pub of: Lookup,
    is: Vec<String>,
    contains: Option<String>,
    matches: Option<Regex>,
    /// The smallest and the largest number.
    bounds: (f64, f64),
    missing: bool,
}

impl ResponseCheck {
    /// Checks the file's table of the check of this name; an error comes with the key within it.
    pub(crate) fn from_value(
        name: &str,
        value: &CheckValue,
    ) -> Result<ResponseCheck, (&'static str, Invalid)> {
        own_name(name).map_err(|error| ("", error))?;
        let table = match value {
            CheckValue::Holds(table) => table,
            CheckValue::There(part) => {
                let of = Lookup::parse(part).map_err(|error| ("", error))?;
                return Ok(ResponseCheck::there(name, of));
            }
        };
        let of = Lookup::parse(&table.of).map_err(|error| (".of", error))?;
        let missing = table.missing.unwrap_or(false);
        let bounds = bounds_of(&of, table)?;
        let is = values_of(table.is.as_ref()).map_err(|error| (".is", error))?;
        let matches = table.matches.as_deref().map(regex).transpose();
        let check = ResponseCheck {
            is,
            contains: table.contains.clone(),
            matches: matches.map_err(|error| (".matches", error))?,
            bounds,
            missing,
            ..ResponseCheck::there(name, of)
        };
        if missing && check.wants_more() {
            let why = "is true: a part that is missing cannot meet other conditions";
            return Err((".missing", Invalid::new(why)));
        }
        Ok(check)
    }

    /// The check that a part is there.
    fn there(name: &str, of: Lookup) -> ResponseCheck {
        ResponseCheck {
            name: name.to_owned(),
            of,
            is: Vec::new(),
            contains: None,
            matches: None,
            bounds: (f64::NEG_INFINITY, f64::INFINITY),
            missing: false,
        }
    }

    /// Whether it demands more than the part's presence.
    fn wants_more(&self) -> bool {
        !self.is.is_empty()
            || self.contains.is_some()
            || self.matches.is_some()
            || self.is_bounded()
    }

    fn is_bounded(&self) -> bool {
        self.bounds != (f64::NEG_INFINITY, f64::INFINITY)
    }

    /// Whether it holds of a response.
    #[must_use]
    pub fn holds(&self, response: &Response<'_>, json: &mut Json) -> bool {
        let Some(found) = self.of.find(response, json) else { return self.missing };
        let contains = |text: &String| {
            let wanted = text.as_bytes();
            wanted.is_empty() || found.windows(wanted.len()).any(|part| part == wanted)
        };
        let bounded =
            || number(&found).is_some_and(|it| it >= self.bounds.0 && it <= self.bounds.1);
        !self.missing
            && (self.is.is_empty() || self.is.iter().any(|text| same(text, &found)))
            && self.contains.as_ref().is_none_or(contains)
            && self.matches.as_ref().is_none_or(|pattern| pattern.is_match(&found))
            && (!self.is_bounded() || bounded())
    }
}

/// The allowed values of a part; `None` if all are.
fn values_of(is: Option<&Value>) -> Result<Vec<String>, Invalid> {
    match is {
        None => Ok(Vec::new()),
        Some(Value::Array(many)) if many.is_empty() => {
            Err(Invalid::new("is empty: give at least one value"))
        }
        Some(Value::Array(many)) => many.iter().map(wanted).collect(),
        Some(one) => Ok(vec![wanted(one)?]),
    }
}

/// The text of an allowed value of a part.
fn wanted(value: &Value) -> Result<String, Invalid> {
    match value {
        // Values that TOML has and JSON has not.
        Value::Null => Err(Invalid::new("is no finite number")),
        Value::Object(_) | Value::Array(_) => Err(Invalid::new(
            "is a text, a number, true, false, or a list of them; write dates and other values as \
             a text, in quotes",
        )),
        other => Ok(text_of(other)),
    }
}

/// The smallest and the largest allowed number of a part.
fn bounds_of(of: &Lookup, table: &CheckTable) -> Result<(f64, f64), (&'static str, Invalid)> {
    let bound = |key, scalar: &Option<Scalar>, none: f64| match scalar {
        None => Ok(none),
        Some(scalar) => number_of(of, scalar).map_err(|error| (key, error)),
    };
    let least = bound(".least", &table.least, f64::NEG_INFINITY)?;
    let most = bound(".most", &table.most, f64::INFINITY)?;
    if least > most {
        return Err((".most", Invalid::new("is below `least`: no value can meet both")));
    }
    Ok((least, most))
}

/// Whether a value of a file equals the found one: as a text, or as a number if both are one.
fn same(wanted: &str, found: &[u8]) -> bool {
    wanted.as_bytes() == found
        || number(wanted.as_bytes()).is_some_and(|it| number(found) == Some(it))
}

fn number(text: &[u8]) -> Option<f64> {
    let number: f64 = std::str::from_utf8(text).ok()?.trim().parse().ok()?;
    number.is_finite().then_some(number)
}

/// A bound: a time for a time, else a number.
fn number_of(of: &Lookup, scalar: &Scalar) -> Result<f64, Invalid> {
    let text = scalar.text();
    match of {
        Lookup::Time => parse_time(&text),
        _ => number(text.as_bytes()).ok_or_else(|| Invalid::new(format!("`{text}` is no number"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thinktime_file::time::Nanos;

    const BODY: &[u8] = br#"{"id": 7, "price": 12.50, "name": "Sea view", "list": []}"#;

    fn check(text: &str) -> Result<ResponseCheck, String> {
        let table: toml::Table = toml::from_str(&format!("c = {text}")).unwrap();
        let value: CheckValue = table["c"].clone().try_into().unwrap();
        ResponseCheck::from_value("c", &value).map_err(|(key, error)| format!("{key}: {error}"))
    }

    #[test]
    fn checks_hold_or_not() {
        let response = Response {
            status: 200,
            response_time: Nanos(30_000_000),
            head: b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n",
            body: BODY,
        };
        for (text, expected) in [
            ("'json:$.id'", true),
            ("'json:$.none'", false),
            ("{ of = 'json:$.none', missing = true }", true),
            ("{ of = 'json:$.id', missing = true }", false),
            ("{ of = 'status', is = 200 }", true),
            ("{ of = 'status', is = [201, 204] }", false),
            ("{ of = 'status', least = 200, most = 299 }", true),
            ("{ of = 'header:content-type', contains = 'html' }", true),
            ("{ of = 'header:content-type', contains = '' }", true),
            ("{ of = 'header:server', contains = '' }", false),
            ("{ of = 'body', matches = 'Sea\\s' }", true),
            ("{ of = 'body', matches = '^Sea' }", false),
            ("{ of = 'json:$.price', is = 12.5 }", true),
            ("{ of = 'json:$.price', is = '12.50' }", true),
            ("{ of = 'json:$.price', least = 12.6 }", false),
            ("{ of = 'json:$.name', least = 0 }", false),
            ("{ of = 'json:$.list', is = '[]' }", true),
            ("{ of = 'json:$.none', is = true }", false),
            ("{ of = 'json:$.name', is = 'Sea view', contains = 'x' }", false),
            ("{ of = 'time', most = '30ms' }", true),
            ("{ of = 'time', most = '29ms' }", false),
        ] {
            assert_eq!(
                check(text).unwrap().holds(&response, &mut Json::default()),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn what_cannot_hold_is_refused() {
        for (text, words) in [
            ("'jsn:$.a'", ": unknown part of a response"),
            ("{ of = 'status', is = [] }", ".is: is empty"),
            ("{ of = 'status', is = [200, nan] }", ".is: is no finite number"),
            ("{ of = 'json:$.a', is = [[1]] }", ".is: is a text, a number"),
            ("{ of = 'status', least = 3, most = 2 }", ".most: is below"),
            ("{ of = 'status', most = '2ms' }", ".most: `2ms` is no number"),
            ("{ of = 'time', most = '2kg' }", ".most: "),
            ("{ of = 'status', missing = true, is = 2 }", ".missing: "),
            ("{ of = 'body', matches = '(' }", ".matches: "),
        ] {
            let message = check(text).unwrap_err();
            assert!(message.starts_with(words), "{text}: {message}");
        }
    }
}
