//! Secrets whose values are known, because they are sent: they are not repeated, in any encoding.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::{REMOVED, is_secret, replaced, without_secrets};
use crate::request::form_field;

/// Shorter values cannot be distinguished from other words.
const LENGTH_MIN: usize = 4;
/// Neither can these, which are values of keys but not secrets.
const WORDS: [&str; 6] = ["true", "false", "null", "None", "none", REMOVED];

/// The values of secrets. It has no `Debug`, because it contains them.
#[derive(Clone, Default)]
pub struct KnownSecrets {
    /// By their first character, the longest first.
    values: BTreeMap<char, Vec<String>>,
    longest: usize,
}

impl KnownSecrets {
    /// Adds a value, and the forms in which servers repeat it: decoded, and encoded as in URLs,
    /// JSON and HTML.
    pub fn learn(&mut self, value: &str) {
        let value = value.trim();
        let unescaped = serde_json::from_str::<String>(&format!("\"{value}\"")).ok();
        let plain = [Some(value.to_owned()), decoded(value), unescaped];
        for plain in plain.into_iter().flatten() {
            let form = form_field("", plain.as_bytes()).split_off(1);
            // Encodings differ in blanks and slashes.
            for form in [form.replace("%2F", "/"), form] {
                self.add(&form.replace('+', "%20"));
                self.add(&form);
            }
            let json = serde_json::Value::from(plain.as_str()).to_string();
            self.add(&json[1..json.len() - 1]);
            let html = plain.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            self.add(&html.replace('"', "&quot;").replace('\'', "&#39;"));
            self.add(&html.replace('"', "&#34;").replace('\'', "&#x27;"));
            self.add(&html);
            self.add(&plain);
        }
    }

    /// Adds the secret part of a header field, or of a key of this name.
    pub fn learn_field(&mut self, name: &str, value: &str) {
        if name.eq_ignore_ascii_case("cookie") {
            let cookies = value.split(';').filter_map(|one| one.split_once('='));
            cookies.for_each(|(_, value)| self.learn_pieces(value.trim().trim_matches('"')));
        } else if is_secret(name) {
            self.learn_pieces(value);
        } else {
            return self.learn_text(value);
        }
        let Some((scheme, rest)) = value.trim().split_once(' ') else { return };
        if scheme.eq_ignore_ascii_case("basic")
            && let Ok(bytes) = STANDARD.decode(rest.trim())
            && let Ok(who) = String::from_utf8(bytes)
        {
            self.learn(&who);
            self.learn(who.split_once(':').map_or("", |(_, password)| password));
        }
        if scheme.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-') {
            self.learn_pieces(rest);
        }
        // As of signatures: `Credential=..., Signature=...`.
        let parts = rest.split(',').filter_map(|part| part.split_once('='));
        parts.for_each(|(_, value)| self.learn_pieces(value.trim().trim_matches('"')));
    }

    /// Adds the values in a text, such as a target or a body, whose names are those of secrets.
    pub fn learn_text(&mut self, text: &str) {
        replaced(text, &mut |value| self.learn_pieces(value));
    }

    /// Adds a value of a workload file that may have places to fill: its constant parts.
    fn learn_pieces(&mut self, value: &str) {
        if !value.contains('{') {
            return self.learn(value);
        }
        // Words such as `Bearer` beside such places are not secrets.
        let pieces = value.split(['{', '}']).step_by(2).map(str::trim);
        let pieces = pieces.filter(|piece| piece.len() >= 2 * LENGTH_MIN && !piece.contains(' '));
        pieces.for_each(|piece| self.learn(piece));
    }

    fn add(&mut self, value: &str) {
        let Some(first) = value.chars().next() else { return };
        if value.chars().count() < LENGTH_MIN || WORDS.contains(&value) {
            return;
        }
        let own = self.values.entry(first).or_default();
        let place =
            own.partition_point(|other| (other.len(), value) > (value.len(), other.as_str()));
        if own.get(place).is_none_or(|other| other != value) {
            own.insert(place, value.to_owned());
        }
        self.longest = self.longest.max(value.len());
    }

    /// The length of the longest value, in bytes.
    #[must_use]
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// A text for display: without these values, and without
    /// [values under secret-like names](without_secrets). If it is the beginning of a longer one,
    /// `cut`, it ends before any possible beginning of a value.
    #[must_use]
    pub fn hidden(&self, text: &str, cut: bool) -> String {
        let mut shown = String::with_capacity(text.len());
        let (mut rest, mut before) = (text, None);
        while let Some(first) = rest.chars().next() {
            let own = self.values.get(&first).map_or(&[][..], Vec::as_slice);
            let found = own.iter().find(|value| is_there(value, before, rest));
            if cut && own.iter().any(|value| value.starts_with(rest) && value.len() > rest.len()) {
                break;
            }
            shown.push_str(found.map_or(&rest[..first.len_utf8()], |_| REMOVED));
            let length = found.map_or(first.len_utf8(), String::len);
            before = rest[..length].chars().next_back();
            rest = &rest[length..];
        }
        without_secrets(&shown)
    }
}

/// Whether a text that comes after this character begins with a value: a number only if it is not
/// part of a longer one.
fn is_there(value: &str, before: Option<char>, text: &str) -> bool {
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let number = value.bytes().all(|byte| byte.is_ascii_digit());
    let Some(after) = text.strip_prefix(value) else { return false };
    !number || !(digit(before) || digit(after.chars().next()))
}

/// The decoded value of a URL or a form, if it is encoded.
fn decoded(value: &str) -> Option<String> {
    if !value.contains(['%', '+']) {
        return None;
    }
    let (mut bytes, mut rest) = (Vec::with_capacity(value.len()), value.as_bytes());
    while let Some((first, after)) = rest.split_first() {
        let digits = (*first == b'%').then(|| after.get(..2)).flatten();
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(if *first == b'+' { b' ' } else { *first }));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(values: &[&str]) -> KnownSecrets {
        let mut known = KnownSecrets::default();
        values.iter().for_each(|value| known.learn(value));
        known
    }

    #[test]
    fn a_value_is_hidden_in_all_its_forms() {
        let plain = "p\u{e4}ss w/o\"rd&<'";
        let forms = [
            plain,
            "p%C3%A4ss+w%2Fo%22rd%26%3C%27",
            "p%C3%A4ss%20w%2Fo%22rd%26%3C%27",
            "p\u{e4}ss w/o\\\"rd&<'",
            "p\u{e4}ss w/o&quot;rd&amp;&lt;&#39;",
        ];
        for given in &forms[..2] {
            for form in forms {
                let shown = known(&[*given]).hidden(&format!("a {form} b {form}"), false);
                assert_eq!(shown, "a REMOVED b REMOVED", "{given} as {form}");
            }
        }
        assert_eq!(known(&["s3cr\\u0065t"]).hidden("s3cret", false), REMOVED);
    }

    #[test]
    fn longer_values_go_first_and_numbers_stand_alone() {
        assert_eq!(known(&["abcd", "abcdef"]).hidden("xabcdef abcd", false), "xREMOVED REMOVED");
        let shown = known(&["1234"]).hidden("1234 12345 01234 (1234)", false);
        assert_eq!(shown, "REMOVED 12345 01234 (REMOVED)");
        // Values that are too short, or not secret, would leave nothing of an answer.
        assert_eq!(known(&["a", "no!", "true", ""]).hidden("a no! true", false), "a no! true");
    }

    #[test]
    fn the_beginning_of_a_value_is_not_shown_either() {
        let known = known(&["supersecret"]);
        assert_eq!(known.hidden("it is supersec", true), "it is ");
        assert_eq!(known.hidden("it is supersec", false), "it is supersec");
        assert_eq!(known.hidden("it is supersecret", true), "it is REMOVED");
        assert_eq!(known.longest(), 11);
    }

    #[test]
    fn fields_and_texts_tell_what_they_hold() {
        let mut known = KnownSecrets::default();
        known.learn_field("Authorization", "Basic dXNlcjpodW50ZXIyIQ==");
        known.learn_field("cookie", "sid=COOKIE-1; theme=\"dark-2\"; user={user}");
        known.learn_field("X-Api-Key", "tenant-0815-{user}");
        known.learn_field("Referer", "http://u:PASS-3@h/?token=TOKEN-4&page=7777");
        known.learn_text("client_secret=FORM-5&x=other");
        let text = "dXNlcjpodW50ZXIyIQ== user:hunter2! hunter2! COOKIE-1 dark-2 tenant-0815-anna \
                    PASS-3 TOKEN-4 FORM-5 7777 other {user} Basic";
        let shown = known.hidden(text, false);
        let expected = "REMOVED REMOVED REMOVED REMOVED REMOVED REMOVEDanna \
                        REMOVED REMOVED REMOVED 7777 other {user} Basic";
        assert_eq!(shown, expected);
    }

    #[test]
    fn names_hide_what_is_not_known() {
        let shown =
            KnownSecrets::default().hidden("{\"password\": \"X\", \"code\": \"E1\"}", false);
        assert_eq!(shown, "{\"password\": \"REMOVED\", \"code\": \"E1\"}");
    }
}
