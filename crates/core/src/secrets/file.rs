//! The secrets of a workload file, which must not be written: taken out, put back, and known.

use thinktime_file::workload::WorkloadFile;
use toml::Value;

use super::{KnownSecrets, PUT_IN, REMOVED, is_secret, without_secrets};

/// Tables of sent values, by the names under which they are sent.
const SENT: [&str; 6] = ["headers", "form", "json", "message", "multipart", "fields"];
/// Tables of texts that describe lookups in a response.
const FOUND: [&str; 2] = ["take", "checks"];
/// The beginnings of texts that only name the source of a secret.
const ELSEWHERE: [&str; 2] = ["env:", "file:"];

/// The part that was taken out of a workload file.
#[derive(Default)]
struct Removal {
    /// Its place.
    places: Vec<String>,
    known: KnownSecrets,
}

/// Takes the secrets out of a value of a workload file.
fn remove(value: &mut Value, place: &Place, taken: &mut Removal) {
    match value {
        Value::Table(table) => {
            for (name, inner) in table {
                remove(inner, &place.key(name), taken);
            }
        }
        Value::Array(list) => {
            for (at, inner) in list.iter_mut().enumerate() {
                remove(inner, &place.item(at), taken);
            }
        }
        Value::String(text) => {
            let left = place.left_of(text);
            if left != *text {
                place.learn(text, &mut taken.known);
                taken.places.push(place.path.clone());
                *text = left;
            }
        }
        other if place.secret() => {
            taken.known.learn(&other.to_string());
            taken.places.push(place.path.clone());
            *other = Value::String(REMOVED.to_owned());
        }
        _ => {}
    }
}

/// The place of a value.
struct Place {
    path: String,
    /// The key of the value, or of its list.
    name: String,
    /// Whether it is sent under that name.
    sent: bool,
    /// Whether it describes a lookup in a response.
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

    /// Whether the value here is sent under the name of a secret.
    fn secret(&self) -> bool {
        let cookie = self.name.eq_ignore_ascii_case("cookie");
        self.sent && (cookie || is_secret(&self.name))
    }

    /// Learns the secret part of a text at this place.
    fn learn(&self, text: &str, known: &mut KnownSecrets) {
        if self.secret() { known.learn_field(&self.name, text) } else { known.learn_text(text) }
    }

    /// The part of a text at this place that may be kept.
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

/// A workload without its secrets, and the places where they were taken out.
///
/// # Errors
/// When it cannot be put into a file.
pub fn removed_from(file: &WorkloadFile) -> Result<(WorkloadFile, Vec<String>), String> {
    let (mut value, mut taken) = (file.to_value()?, Removal::default());
    remove(&mut value, &Place::root(), &mut taken);
    let places = taken.places;
    // A workload without secrets stays as it is, down to the order of its keys.
    let kept = if places.is_empty() { file.clone() } else { WorkloadFile::from_value(value)? };
    Ok((kept, places))
}

/// The values of all secrets in a workload file.
#[must_use]
pub fn secrets_of(file: &WorkloadFile) -> KnownSecrets {
    let mut taken = Removal::default();
    // A value that cannot be put into a file was not read from one.
    if let Ok(mut value) = file.to_value() {
        remove(&mut value, &Place::root(), &mut taken);
    }
    taken.known
}

/// A workload that was kept without its secrets, with those of `given`, another one that has them.
///
/// # Errors
/// When a place of `places` has no secret in `given`, or its surroundings differ.
pub fn with_secrets(
    kept: &WorkloadFile,
    given: &WorkloadFile,
    places: &[String],
) -> Result<WorkloadFile, String> {
    let (mut whole, given) = (kept.to_value()?, given.to_value()?);
    let mut masked = given.clone();
    remove(&mut masked, &Place::root(), &mut Removal::default());
    fill(&mut whole, &given, &masked);
    let (whole, mut there) = (WorkloadFile::from_value(whole)?, Removal::default());
    remove(&mut whole.to_value()?, &Place::root(), &mut there);
    match places.iter().find(|place| !there.places.contains(place)) {
        Some(place) => Err(format!("it has no such secret at `{place}`")),
        None => Ok(whole),
    }
}

/// Takes from `given` the parts that differ from `masked`, if `kept` equals `masked` there.
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

#[cfg(test)]
mod tests;
