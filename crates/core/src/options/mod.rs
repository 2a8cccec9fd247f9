//! The options of commands as they are read: one list a command. `sweep --vary` and the table
//! `options` of `run.toml` are made from it. The keywords of the Python functions, of which the
//! command line is made, are checked against it.
//!
//! An option that is not given is absent. The methods, which turn the given options into the
//! drivers' settings, supply the defaults.

mod proxy;
pub mod run;
mod simulate;

use serde::{Deserialize, Serialize};
use thinktime_file::error::Invalid;
use thinktime_file::schema::{Scalar, with_remedy};
use thinktime_file::time::Nanos;
use thinktime_file::units::{parse_share, parse_time};

pub use proxy::Proxy;
pub use run::RunOptions;
pub use simulate::SimulateOptions;

use crate::limit::Limit;

/// One option of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionEntry {
    /// Its name in files and in Python; on the command line `_` is `-`.
    pub name: &'static str,
    /// The kind of its value.
    pub kind: &'static str,
    /// Its effect.
    pub about: &'static str,
}

/// A time with its unit, as in `250ms`, or a number of seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Time(pub Scalar);

/// A share, as in `1%` or 0.01.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Share(pub Scalar);

/// A value of the workload that is replaced, as in `12/s`, or values of several populations, as in
/// `people=12/s`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ValuesByName {
    /// One.
    One(Scalar),
    /// Several.
    Several(Vec<String>),
}

/// A whole number of 0 or more.
pub type Whole = u64;
/// A number.
pub type Number = f64;
/// A yes or no.
pub type Flag = bool;
/// A word.
pub type Text = String;
/// Several words.
pub type Texts = Vec<String>;

impl Time {
    /// Whether it is to be found: `auto`.
    #[must_use]
    pub fn is_auto(&self) -> bool {
        self.0.text().trim() == "auto"
    }

    /// In seconds.
    ///
    /// # Errors
    /// When it is not a time; `name` is that of the option.
    pub fn seconds(&self, name: &str) -> Result<f64, Invalid> {
        parse_time(&self.0.text()).map_err(|error| of_option(name, &error))
    }
}

impl Share {
    /// Between 0 and 1.
    ///
    /// # Errors
    /// When it is not a share; `name` is that of the option.
    pub fn value(&self, name: &str) -> Result<f64, Invalid> {
        parse_share(&self.0.text()).map_err(|error| of_option(name, &error))
    }
}

fn of_option(name: &str, error: &Invalid) -> Invalid {
    Invalid::new(format!("{name}: {error}"))
}

/// The options of a command as a table without the keys that were not given, and the list of them.
macro_rules! options {
    (
        $(#[doc = $about:literal])+
        $name:ident { $( $(#[doc = $doc:literal])+ $option:ident: $kind:ident, )+ }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name {
            $(
                $(#[doc = $doc])+
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $option: Option<$kind>,
            )+
        }

        impl $name {
            /// All of them, in the order in which they are shown.
            pub const ENTRIES: &'static [crate::options::OptionEntry] = &[
                $( crate::options::OptionEntry {
                    name: stringify!($option),
                    kind: stringify!($kind),
                    about: concat!($($doc),+).trim_ascii(),
                } ),+
            ];

            /// Reads them from a JSON object.
            ///
            /// # Errors
            /// When there is no such option, or a value is of the wrong kind.
            pub fn from_json(text: &str) -> Result<$name, thinktime_file::error::Invalid> {
                crate::options::from_json(text)
            }
        }
    };
}
pub(crate) use options;

/// Reads an object; an error is about the first wrong option.
fn from_json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, Invalid> {
    let wrong = |error: serde_json::Error| Invalid::new(error.to_string());
    let given: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(text).map_err(wrong)?;
    for (name, value) in &given {
        let alone = serde_json::Map::from_iter([(name.clone(), value.clone())]);
        if let Err(error) = serde_json::from_value::<T>(alone.into()) {
            let message = with_remedy(&error.to_string());
            return Err(match message.strip_prefix("unknown key") {
                Some(rest) => Invalid::new(format!("unknown option{rest}")),
                None => of_option(name, &Invalid::new(message)),
            });
        }
    }
    serde_json::from_value(given.into()).map_err(wrong)
}

/// The end of a run, from the given options.
fn limit(
    requests: Option<u64>,
    duration: Option<&Time>,
    warmup: Option<&Time>,
) -> Result<Limit, Invalid> {
    let until = match duration.map(|time| time.seconds("duration")).transpose()? {
        None => Nanos::MAX,
        Some(0.0) => return Err(Invalid::new("a duration must be more than 0s")),
        Some(duration_s) => Nanos::from_secs_f64(duration_s),
    };
    if requests == Some(0) {
        return Err(Invalid::new("at least 1 request is needed"));
    }
    let given = warmup.filter(|time| !time.is_auto());
    let warmup_s = given.map(|time| time.seconds("warmup")).transpose()?;
    let warmup = Nanos::from_secs_f64(warmup_s.unwrap_or(0.0));
    Ok(Limit { requests: requests.unwrap_or(u64::MAX), until, warmup })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_written_as_they_were_given() {
        let text = r#"{"duration":"60s","loops":2,"sources":["127.0.0.2"],"stop_on_slo":true}"#;
        let options = RunOptions::from_json(text).unwrap();
        assert_eq!(options.loops, Some(2));
        let written = serde_json::to_string(&options).unwrap();
        assert_eq!(RunOptions::from_json(&written).unwrap(), options);
        assert!(!written.contains("drain"));
    }

    #[test]
    fn the_list_is_that_of_the_fields() {
        let unknown = RunOptions::from_json(r#"{"xyzzy":1}"#).unwrap_err().to_string();
        for entry in RunOptions::ENTRIES {
            assert!(unknown.contains(entry.name), "{} in: {unknown}", entry.name);
            assert!(entry.about.ends_with('.'), "{}", entry.about);
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let message = |text: &str| RunOptions::from_json(text).unwrap_err().to_string();
        assert!(message(r#"{"durration":"60s"}"#).contains("did you mean `duration`?"));
        let options = RunOptions::from_json(r#"{"duration":"2sec"}"#).unwrap();
        let error = limit(None, options.duration.as_ref(), None).unwrap_err().to_string();
        assert!(error.contains("duration: unknown unit `sec`"), "{error}");
    }
}
