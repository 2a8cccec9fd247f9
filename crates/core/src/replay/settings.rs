//! `trace(FILE, ...)` of a log: the part of a log that is replayed, and the way of it.

use thinktime_file::error::{Invalid, unknown};
use thinktime_file::time::Nanos;
use thinktime_file::units::Dimension;

use super::log::LogOptions;
use crate::notation::{Arguments, Call, Label, Term};

const USAGE: &str = "trace(FILE, speed=1, users=100%, methods=safe, timeout=30min, user=agent, \
                     format=NAME)";
const NAMES: [&str; 7] = ["file", "speed", "users", "methods", "timeout", "user", "format"];
/// The endings of files that are columns of times, unless a format is given.
const COLUMNS: [&str; 3] = [".csv", ".txt", ".parquet"];
/// The word for a column of times, and that for a log whose format is detected.
const TIMES: &str = "times";
const AUTO: &str = "auto";
/// The default gap between two requests of a user beyond which a new session begins.
const TIMEOUT: Nanos = Nanos(1_800_000_000_000);

/// The part of a log that is replayed, and the way of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Settings {
    pub(crate) file: String,
    pub(crate) options: LogOptions,
    /// The speed-up over the log.
    pub(crate) speed: Option<f64>,
    /// The share of the users.
    pub(crate) users: f64,
    /// A longer gap begins a new session.
    pub(crate) timeout: Option<Nanos>,
}

impl Settings {
    /// Parses `trace(FILE, ...)`; `None` if the text is another process, or the file a column of
    /// times: by its name, because it is given a `column`, or by `format=times`.
    ///
    /// # Errors
    /// When an argument is unknown or wrong.
    pub(crate) fn parse(text: &str) -> Result<Option<Settings>, Invalid> {
        match Call::parse(text).ok().filter(|call| call.name == "trace") {
            Some(call) if is_log(&call) => Settings::of(&call).map(Some),
            _ => Ok(None),
        }
    }

    fn of(call: &Call) -> Result<Settings, Invalid> {
        let mut arguments = Arguments::new(call, USAGE, &NAMES)?;
        let Some(file) = word(arguments.required("file")?) else {
            return Err(arguments.error("needs the name of a file"));
        };
        let speed = optional(&mut arguments, "speed", Dimension::Number)?;
        if let Some(speed) = speed.filter(|speed| !(*speed > 0.0 && speed.is_finite())) {
            return Err(arguments.error(&format!("needs a `speed` above 0, not {speed}")));
        }
        let users = optional(&mut arguments, "users", Dimension::Number)?.unwrap_or(1.0);
        if !(users > 0.0 && users <= 1.0) {
            let why = format!("needs `users` above 0% and up to 100%, not {users}");
            return Err(arguments.error(&why));
        }
        let timeout = optional(&mut arguments, "timeout", Dimension::Time)?;
        if let Some(timeout) = timeout.filter(|timeout| *timeout <= 0.0) {
            return Err(arguments.error(&format!("needs a `timeout` above 0s, not {timeout}s")));
        }
        let methods = text(&mut arguments, "methods")?.unwrap_or_else(|| "safe".to_owned());
        if !["safe", "all"].contains(&methods.as_str()) {
            let error = unknown("value of `methods`", &methods, ["safe", "all"].into_iter());
            return Err(arguments.error(&format!("has an {error}")));
        }
        let options = LogOptions {
            format: text(&mut arguments, "format")?.filter(|format| format != AUTO),
            user: text(&mut arguments, "user")?.unwrap_or_else(|| "agent".to_owned()),
            all_methods: methods == "all",
        };
        arguments.finish()?;
        let timeout = timeout.map(Nanos::from_secs_f64);
        Ok(Settings { file, options, speed, users, timeout })
    }

    /// The speed-up over the log.
    pub(super) fn speed(&self) -> f64 {
        self.speed.unwrap_or(1.0)
    }

    /// A longer gap begins a new session, in nanoseconds.
    pub(super) fn timeout(&self) -> Nanos {
        self.timeout.unwrap_or(TIMEOUT)
    }
}

/// Whether the file of a trace is a log, not a column of times.
fn is_log(call: &Call) -> bool {
    let given = |key: &str| {
        let is = |label: &Label| matches!(label, Label::Key(other) if other == key);
        call.arguments.iter().find(|argument| is(&argument.label))
    };
    let file = given("file").or(call.arguments.first());
    let Some(Term::Call(file)) = file.map(|argument| &argument.term) else { return false };
    match given("format").map(|argument| &argument.term) {
        Some(Term::Call(format)) => format.name != TIMES,
        Some(Term::Quantity(_)) => true,
        None if given("column").is_some() => false,
        None => !COLUMNS.iter().any(|ending| file.name.ends_with(ending)),
    }
}

fn optional(
    arguments: &mut Arguments<'_>,
    name: &str,
    dimension: Dimension,
) -> Result<Option<f64>, Invalid> {
    match arguments.optional(name) {
        None => Ok(None),
        Some(Term::Quantity(quantity)) => {
            let value = quantity.expect(dimension);
            value.map(Some).map_err(|error| arguments.error(&format!("for `{name}`: {error}")))
        }
        Some(Term::Call(_)) => Err(arguments.error(&format!("needs a number for `{name}`"))),
    }
}

fn text(arguments: &mut Arguments<'_>, name: &str) -> Result<Option<String>, Invalid> {
    let Some(term) = arguments.optional(name) else { return Ok(None) };
    word(term).map(Some).ok_or_else(|| arguments.error(&format!("needs a word for `{name}`")))
}

/// A bare word.
fn word(term: Term) -> Option<String> {
    match term {
        Term::Call(word) if word.arguments.is_empty() => Some(word.name),
        _ => None,
    }
}
