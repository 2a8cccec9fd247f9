//! The operating systems that have names: each a file of features.

use super::Features;
use crate::error::{Invalid, unknown};
use crate::schema::with_remedy;

/// A name and its file.
pub const PRESETS: &[(&str, &str)] = &[
    ("linux-2.6.22", include_str!("presets/linux-2.6.22.toml")),
    ("windows-server-2003", include_str!("presets/windows-server-2003.toml")),
    ("windows-xp", include_str!("presets/windows-xp.toml")),
    ("windows-vista", include_str!("presets/windows-vista.toml")),
    ("windows-7", include_str!("presets/windows-7.toml")),
    ("linux-cfs", include_str!("presets/linux-cfs.toml")),
    ("linux-eevdf", include_str!("presets/linux-eevdf.toml")),
    ("processor-sharing", include_str!("presets/processor-sharing.toml")),
];

/// The text of a preset, with its comments.
///
/// # Errors
/// When there is no preset of this name.
pub fn preset(name: &str) -> Result<&'static str, Invalid> {
    let found = PRESETS.iter().find(|(known, _)| *known == name);
    let names = PRESETS.iter().map(|(known, _)| *known);
    found.map(|(_, text)| *text).ok_or_else(|| unknown("operating system", name, names))
}

impl Features {
    /// The features of a file's text, with those of `changes` in place of its own.
    ///
    /// # Errors
    /// When the text or the changes have unknown, missing or wrong keys, or contradict each other.
    pub fn parse(text: &str, changes: &toml::Table) -> Result<Features, Invalid> {
        let reason = |error: toml::de::Error| Invalid::new(with_remedy(error.message()));
        let mut table: toml::Table = toml::from_str(text).map_err(reason)?;
        lay_over(&mut table, changes);
        let features: Features = table.try_into().map_err(reason)?;
        features.check()?;
        Ok(features)
    }
}

impl Features {
    /// [`Features::parse`] with the changes as text.
    ///
    /// # Errors
    /// As there.
    pub fn read(text: &str, changes: &str) -> Result<Features, Invalid> {
        let changes = toml::from_str(changes)
            .map_err(|error: toml::de::Error| Invalid::new(format!("in the changes: {error}")))?;
        Features::parse(text, &changes)
    }

    /// As JSON; times are in text, with their units.
    ///
    /// # Panics
    /// Never: features have no value that JSON lacks.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("features are plain tables")
    }
}

/// Merges tables into tables and values over values. A table of another kind than before replaces
/// the old one as a whole.
fn lay_over(base: &mut toml::Table, changes: &toml::Table) {
    const KINDS: [&str; 3] = ["kind", "policy", "discipline"];
    for (key, change) in changes {
        match (base.get_mut(key), change) {
            (Some(toml::Value::Table(old)), toml::Value::Table(new)) => {
                let other = |kind: &str| new.get(kind).is_some_and(|is| Some(is) != old.get(kind));
                if KINDS.iter().any(|kind| other(kind)) && key != "static" {
                    *old = toml::Table::new();
                }
                lay_over(old, new);
            }
            (_, toml::Value::Boolean(false)) if OPTIONAL.contains(&key.as_str()) => {
                base.remove(key);
            }
            _ => {
                base.insert(key.clone(), change.clone());
            }
        }
    }
}

/// Features that can be removed, by `false` in their place.
const OPTIONAL: [&str; 12] = [
    "dynamic",
    "interactivity",
    "boosts",
    "starvation",
    "granularity",
    "minimum",
    "wait_costs",
    "length_above_average",
    "cache_affinity",
    "periodic",
    "demand_driven",
    "tick",
];
