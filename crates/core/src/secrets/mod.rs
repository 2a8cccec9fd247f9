//! Values that must not be shown or written: passwords and tokens, recognised by their names. Those
//! that are kept elsewhere (`env:`, `file:`) never stand in a workload file.

mod file;
mod known;

use std::sync::LazyLock;

use regex::{Captures, Regex};

pub use file::{removed_from, secrets_of, with_secrets};
pub use known::KnownSecrets;

/// The replacement of a secret.
pub const REMOVED: &str = "REMOVED";

// Repetition without a bound: a bound of eighty would compile eighty copies of all letters, and
// every command would wait for that.
macro_rules! pattern {
    ($name:ident, $pattern:expr) => {
        static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($pattern).expect("valid"));
    };
}

pattern!(
    SECRET,
    r"(?ix) authori[sz]ation | authenticat | token | secret | api[-_]?key | passw | passphrase
      | credential | signature | [cx]srf | jwt | saml | sess(?:ion)?[-_]?id
      | (?:^|[-_.]) (?:auth|sig|pwd|otp|pin|sid|session) (?:$|[-_.])"
);
pattern!(
    PASSWORD,
    r#"(?P<before>[a-z][a-z0-9+.-]*://[^/\s:@"']*:)(?P<value>[^/\s@"']+)(?P<after>@)"#
);
pattern!(
    PARAMETER,
    r#"(?P<before>(?:^|[?&\n])(?P<name>[^=&\s"'#?]+)=)(?P<value>[^&\s"'#]+)(?P<after>)"#
);
// Of JSON. A text that was cut may end within the value, here and in the next patterns.
pattern!(
    PAIR,
    r#"(?P<before>"(?P<name>[^"\\]+)"\s*:\s*")(?P<value>(?:\\.|[^"\\])*)(?P<after>"|\\?$)"#
);
// Of XML, with or without a prefix.
pattern!(
    ELEMENT,
    r"(?xs) (?P<before> < (?:[\w.-]+:)? (?P<name>[\w.-]+) (?:\s[^<>]*)? > )
      (?P<value> (?: [^<] | <!\[CDATA\[ .*? (?:\]\]>|$) )+ ) (?P<after> </ | $ )"
);
pattern!(
    ATTRIBUTE,
    r#"(?P<before>\s(?:[\w.-]+:)?(?P<name>[\w.-]+)=")(?P<value>[^"<>]+)(?P<after>"|$)"#
);
// Only places to fill when it is sent, as in `{password}` and `Bearer {token}`.
pattern!(PUT_IN, r#"(?i)^(?:bearer|basic|token)?(?:\s*\{[^{}":]*\})+\s*$"#);

/// Parameters that hold a secret in some services, and a word or a number in others.
const AT_TIMES: [&str; 2] = ["code", "key"];
/// The shortest value that counts as a secret in one of those.
const MADE_MIN: usize = 8;

/// Whether a header field, a parameter or a key of this name is likely to hold a secret.
#[must_use]
pub fn is_secret(name: &str) -> bool {
    SECRET.is_match(name)
}

/// A text for display: an address without its password, and without the values of parameters,
/// fields of forms, members of JSON, and elements and attributes of XML with secret-like names.
#[must_use]
pub fn without_secrets(text: &str) -> String {
    replaced(text, &mut |_| {})
}

/// Whether a pattern's match is a secret.
type IsOne = fn(&Captures) -> bool;

/// The same; the removed parts are reported.
fn replaced(text: &str, taken: &mut dyn FnMut(&str)) -> String {
    let by_name = |found: &Captures| is_secret(&found["name"]);
    let all: [(&Regex, IsOne); 5] = [
        (&PASSWORD, |_| true),
        (&PARAMETER, |found| by_parameter(&found["name"], &found["value"])),
        (&PAIR, by_name),
        (&ELEMENT, by_name),
        (&ATTRIBUTE, by_name),
    ];
    let mut text = text.to_owned();
    for (pattern, is_one) in all {
        let one = |found: &Captures| {
            if !is_one(found) || PUT_IN.is_match(&found["value"]) {
                return found[0].to_owned();
            }
            taken(&found["value"]);
            format!("{}{REMOVED}{}", &found["before"], &found["after"])
        };
        text = pattern.replace_all(&text, one).into_owned();
    }
    text
}

/// Whether the value of a parameter, or of a field of a form, is likely to be a secret.
fn by_parameter(name: &str, value: &str) -> bool {
    let at_times = AT_TIMES.iter().any(|known| name.eq_ignore_ascii_case(known));
    is_secret(name) || (at_times && is_made(value))
}

/// Whether a value looks made by a machine: long, of letters and digits, and not filled in when
/// sent.
fn is_made(value: &str) -> bool {
    let has = |kind: fn(&char) -> bool| value.chars().any(|c| kind(&c));
    value.len() >= MADE_MIN
        && !value.contains(['{', '}'])
        && has(char::is_ascii_alphabetic)
        && has(char::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_secrets_in_all_that_is_sent() {
        for text in [
            "/a?SAMLResponse=HIDDEN&x=1",
            "/a?pin=HIDDEN",
            "/a?x=1&code=HIDDEN42",
            "/a?key=HIDDEN42",
            "<login><password>HIDDEN</password></login>",
            "<s:Login><s:Password type=\"text\">HIDDEN</s:Password></s:Login>",
            "<password><![CDATA[HIDDEN<]]></password>",
            "<password>HIDDEN",
            "<user name=\"a\" password=\"HIDDEN\"/>",
            "{\"password\": \"HIDDEN",
            "{\"password\": \"HIDDEN\\",
        ] {
            let shown = without_secrets(text);
            assert!(!shown.contains("HIDDEN") && shown.contains(REMOVED), "{text}: {shown}");
            assert_eq!(without_secrets(&shown), shown, "{text}: once more");
        }
    }

    #[test]
    fn a_name_may_be_long() {
        let long = "x".repeat(200);
        for text in [format!("/a?{long}_token=HIDDEN"), format!("{{\"{long}_token\": \"HIDDEN\"}}")]
        {
            assert!(!without_secrets(&text).contains("HIDDEN"), "{text}");
        }
    }

    #[test]
    fn what_is_no_secret_stays() {
        for text in [
            "/a?code=DE&key=name&country_code=49",
            "/a?key=long-and-readable",
            "/a?key=item-{number:1..100}",
            "/a?shipping=1&spin=2&keys=a1b2c3d4e5",
            "{\"code\": \"NOT_FOUND_12345\"}",
            "<a><b>text</b></a>",
            "<password>{password}</password>",
            "1 < 2 and b > c",
        ] {
            assert_eq!(without_secrets(text), text);
        }
    }
}
