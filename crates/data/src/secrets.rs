//! What must not be written: passwords and tokens that somebody wrote into a workload file, told by
//! the names that they go by. Those that are kept elsewhere (`env:`, `file:`) are never here.

use std::sync::LazyLock;

use regex::{Captures, Regex};
use thinktime_core::workload::WorkloadFile;
use toml::Value;

/// What stands in the place of a secret.
pub const REMOVED: &str = "REMOVED";

/// Tables of what is sent, by the names that it is sent under.
const SENT: [&str; 6] = ["headers", "form", "json", "message", "multipart", "fields"];
/// Tables of texts that say how something is found in a response.
const FOUND: [&str; 2] = ["take", "checks"];
/// So begin texts that only say where a secret is kept.
const ELSEWHERE: [&str; 2] = ["env:", "file:"];

macro_rules! pattern {
    ($name:ident, $pattern:expr) => {
        static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($pattern).expect("valid"));
    };
}

pattern!(
    SECRET,
    r"(?ix) authori[sz]ation | authenticat | token | secret | api[-_]?key | passw | passphrase
      | credential | signature | [cx]srf | jwt | sess(?:ion)?[-_]?id
      | (?:^|[-_.]) (?:auth|sig|pwd|otp|sid|session) (?:$|[-_.])"
);
pattern!(
    PASSWORD,
    r#"(?P<before>[a-z][a-z0-9+.-]*://[^/\s:@"']*:)(?P<value>[^/\s@"']+)(?P<after>@)"#
);
pattern!(
    PARAMETER,
    r#"(?P<before>(?:^|[?&\n])(?P<name>[^=&\s"'#?]{1,80})=)(?P<value>[^&\s"'#]+)(?P<after>)"#
);
pattern!(
    PAIR,
    r#"(?P<before>"(?P<name>[^"\\]{1,80})"\s*:\s*")(?P<value>(?:\\.|[^"\\])*)(?P<after>")"#
);
// Nothing but what is put in when it is sent, as in `{password}` and `Bearer {token}`.
pattern!(PUT_IN, r#"(?i)^(?:bearer|basic|token)?(?:\s*\{[^{}":]*\})+\s*$"#);

/// Whether a header field, a parameter or a key of this name is likely to hold a secret.
#[must_use]
pub fn is_secret(name: &str) -> bool {
    SECRET.is_match(name)
}

/// A text as it may be shown: an address without its password, and without the values of
/// parameters, fields of forms and members of JSON that are called like secrets.
#[must_use]
pub fn without_secrets(text: &str) -> String {
    let text = PASSWORD.replace_all(text, |found: &Captures| removed(found));
    let text = PARAMETER.replace_all(&text, of_name);
    PAIR.replace_all(&text, of_name).into_owned()
}

fn of_name(found: &Captures) -> String {
    if is_secret(&found["name"]) { removed(found) } else { found[0].to_owned() }
}

fn removed(found: &Captures) -> String {
    let kept = PUT_IN.is_match(&found["value"]);
    format!(
        "{}{}{}",
        &found["before"],
        if kept { &found["value"] } else { REMOVED },
        &found["after"]
    )
}

/// Takes the secrets out of a value of a workload file, and notes in `places` where they were.
fn remove(value: &mut Value, place: &Place, places: &mut Vec<String>) {
    match value {
        Value::Table(table) => {
            for (name, inner) in table {
                remove(inner, &place.key(name), places);
            }
        }
        Value::Array(list) => {
            for (at, inner) in list.iter_mut().enumerate() {
                remove(inner, &place.item(at), places);
            }
        }
        Value::String(text) => {
            let left = place.left_of(text);
            if left != *text {
                places.push(place.path.clone());
                *text = left;
            }
        }
        other if place.secret() => {
            places.push(place.path.clone());
            *other = Value::String(REMOVED.to_owned());
        }
        _ => {}
    }
}

/// Where a value stands.
struct Place {
    path: String,
    /// The key whose value it is, or is in the list of.
    name: String,
    /// Whether it is sent under that name.
    sent: bool,
    /// Whether it says how something is found in a response.
    found: bool,
}

impl Place {
    fn root() -> Place {
        Place { path: String::new(), name: String::new(), sent: false, found: false }
    }

    fn key(&self, name: &str) -> Place {
        let dot = if self.path.is_empty() { "" } else { "." };
        Place {
            path: format!("{}{dot}{name}", self.path),
            name: name.to_owned(),
            sent: self.sent || SENT.contains(&self.name.as_str()),
            found: self.found || (!self.sent && FOUND.contains(&self.name.as_str())),
        }
    }

    fn item(&self, at: usize) -> Place {
        let path = format!("{}[{at}]", self.path);
        // An object in a list of JSON is sent as well, and its keys are names.
        let name = self.name.clone();
        Place { path, name, sent: self.sent, found: self.found }
    }

    /// Whether what stands here is sent under the name of a secret.
    fn secret(&self) -> bool {
        let cookie = self.name.eq_ignore_ascii_case("cookie");
        self.sent && (cookie || is_secret(&self.name))
    }

    /// What may be kept of a text that stands here.
    fn left_of(&self, text: &str) -> String {
        let elsewhere = ELSEWHERE.iter().any(|begin| text.starts_with(begin));
        if self.found || text.is_empty() || elsewhere || PUT_IN.is_match(text) {
            text.to_owned()
        } else if self.secret() {
            REMOVED.to_owned()
        } else {
            without_secrets(text)
        }
    }
}

/// A workload as it may be written, and the places where secrets were taken out.
///
/// # Errors
/// When it cannot be put into a file.
pub(crate) fn removed_from(file: &WorkloadFile) -> Result<(WorkloadFile, Vec<String>), String> {
    let (mut value, mut places) = (as_value(file)?, Vec::new());
    remove(&mut value, &Place::root(), &mut places);
    // What holds none stays as it is, to the order of its keys.
    let kept = if places.is_empty() { file.clone() } else { as_file(value)? };
    Ok((kept, places))
}

/// A workload that was kept without its secrets, with those of `given`, another that has them.
///
/// # Errors
/// When a place of `places` has no secret in `given`, or what is around it differs.
pub(crate) fn put_back(
    kept: &WorkloadFile,
    given: &WorkloadFile,
    places: &[String],
) -> Result<WorkloadFile, String> {
    let (mut whole, given) = (as_value(kept)?, as_value(given)?);
    let mut masked = given.clone();
    remove(&mut masked, &Place::root(), &mut Vec::new());
    fill(&mut whole, &given, &masked);
    let (whole, mut there) = (as_file(whole)?, Vec::new());
    remove(&mut as_value(&whole)?, &Place::root(), &mut there);
    match places.iter().find(|place| !there.contains(place)) {
        Some(place) => Err(format!("it has no such secret at `{place}`")),
        None => Ok(whole),
    }
}

/// Takes over from `given` what differs from `masked`, where `kept` is as `masked` is.
fn fill(kept: &mut Value, given: &Value, masked: &Value) {
    match (&mut *kept, given, masked) {
        (Value::Table(kept), Value::Table(given), Value::Table(masked)) => {
            for (name, value) in kept.iter_mut() {
                if let (Some(given), Some(masked)) = (given.get(name), masked.get(name)) {
                    fill(value, given, masked);
                }
            }
        }
        (Value::Array(kept), Value::Array(given), Value::Array(masked)) => {
            for ((value, given), masked) in kept.iter_mut().zip(given).zip(masked) {
                fill(value, given, masked);
            }
        }
        (kept, given, masked) if kept == masked => *kept = given.clone(),
        _ => {}
    }
}

fn as_value(file: &WorkloadFile) -> Result<Value, String> {
    Value::try_from(file).map_err(|error| error.to_string())
}

fn as_file(value: Value) -> Result<WorkloadFile, String> {
    value.try_into().map_err(|error: toml::de::Error| error.to_string())
}

#[cfg(test)]
mod tests;
