//! Serde's messages about values, in the words of files.

use std::fmt::Formatter;

use serde::de::{Unexpected, Visitor};

use crate::error::nearest;

/// Adds the likely right key to serde's "unknown field" message.
pub fn with_remedy(message: &str) -> String {
    let message = message.trim();
    let mut names = message.split('`').skip(1).step_by(2);
    match (message.strip_prefix("unknown field"), names.next()) {
        (Some(_), Some(wrong)) => {
            let known: Vec<&str> = names.collect();
            if TARGETS.contains(&wrong) && known.contains(&"get") {
                return format!("unknown key `{wrong}`: {METHODS}");
            }
            let remedy = match nearest(wrong, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known here are {}", known.join(", ")),
            };
            format!("unknown key `{wrong}`: {remedy}")
        }
        _ => in_words(message).unwrap_or_else(|| {
            message.replace("missing field", "missing key").replace(NO_VARIANT, "unknown value")
        }),
    }
}

/// Words for a request's target, which stands behind its method in files.
const TARGETS: [&str; 5] = ["path", "url", "uri", "target", "route"];
const METHODS: &str = "a request is its method with its target, as in `get = \"/shop\"`";

/// The beginning of serde's message if a text is none of a few words.
pub(super) const NO_VARIANT: &str = "unknown variant";

/// The beginning of messages about such numbers.
const WHOLE: &str = "a whole number";

/// The beginning of messages about tables, as they say it of themselves.
const TABLE: &str = "a table";

/// A whole number in a range, both ends included: its message names them.
pub struct WholeNumber {
    /// The smallest.
    pub least: u32,
    /// The largest.
    pub most: u32,
}

impl Visitor<'_> for WholeNumber {
    type Value = u32;

    fn expecting(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        write!(out, "{WHOLE} from {} to {}", self.least, self.most)
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<u32, E> {
        let number = u32::try_from(value).ok();
        let number = number.filter(|number| (self.least..=self.most).contains(number));
        number.ok_or_else(|| E::invalid_value(Unexpected::Signed(value), &self))
    }
}

/// Serde's message about a value of the wrong kind, without its names of types.
fn in_words(message: &str) -> Option<String> {
    let told = message.strip_prefix("invalid value: ");
    let told = told.or_else(|| message.strip_prefix("invalid type: "))?;
    let (found, wanted) = told.split_once(", expected ")?;
    // As in: integer `-1`, floating point `1.5`, boolean `true`, string "x", sequence, map.
    let value = match found {
        "sequence" => "a list",
        "map" => "a table",
        _ => found.strip_prefix("string ").or(found.split('`').nth(1)).unwrap_or(found),
    };
    let wanted = match wanted.split_whitespace().next()? {
        // The least and the largest are those of a key, and not of the type that holds it.
        "u8" | "u16" | "u32" | "u64" | "usize" => match value.parse::<f64>() {
            // A whole number beyond all integers is read as one with a fraction.
            Ok(number) if found.starts_with("integer") || number.abs() >= 1e18 => {
                format!("a {} {}", if number > 0.0 { "smaller" } else { "larger" }, &WHOLE[2..])
            }
            _ => WHOLE.to_owned(),
        },
        "f32" | "f64" => "a number".to_owned(),
        _ => match wanted {
            "a string" => "a text".to_owned(),
            "a boolean" => "true or false".to_owned(),
            "a sequence" => "a list".to_owned(),
            "a map" => "a table of names and values, as in { NAME = VALUE }".to_owned(),
            _ if wanted.starts_with(WHOLE) || wanted.starts_with(TABLE) => wanted.to_owned(),
            _ => return None,
        },
    };
    Some(format!("must be {wanted}, not {value}"))
}
