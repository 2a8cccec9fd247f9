//! The events of a cluster's servers: they fail and recover, drain, and become slow.

use std::fmt::{Display, Formatter};

use thinktime_file::error::Invalid;
use thinktime_file::system::ChangeTable;
use thinktime_file::time::Nanos;
use thinktime_file::units::{Dimension, parse_time};

use crate::notation::{Arguments, Call};
use crate::system::read::ReadResult;

/// Something that happens to a server at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// Its time.
    pub at: Nanos,
    /// The server.
    pub server: usize,
    /// The event.
    pub does: Effect,
}

/// An event of a server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Effect {
    /// It loses its requests and its cache, and refuses new requests.
    Fails,
    /// It accepts requests again, at full speed.
    Recovers,
    /// It runs at this fraction of its speed, above 0 and below 1.
    Slows(f64),
    /// It gets no more requests, and finishes those that it has.
    Drains,
}

/// As a file has it.
impl Display for Effect {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Effect::Fails => out.write_str("fails"),
            Effect::Recovers => out.write_str("recovers"),
            Effect::Slows(speed) => write!(out, "slows({speed})"),
            Effect::Drains => out.write_str("drains"),
        }
    }
}

impl Effect {
    /// Parses an event, as in `fails` or `slows(0.5)`.
    ///
    /// # Errors
    /// When it is none of these, or the fraction is not between 0 and 1.
    pub fn parse(text: &str) -> Result<Effect, Invalid> {
        let call = Call::parse(text)?;
        let (usage, names, plain): (_, &[_], _) = match call.name.as_str() {
            "fails" => ("fails", &[], Effect::Fails),
            "recovers" => ("recovers", &[], Effect::Recovers),
            "drains" => ("drains", &[], Effect::Drains),
            "slows" => ("slows(SPEED)", &["speed"], Effect::Slows(0.0)),
            other => {
                let known = ["fails", "recovers", "slows", "drains"];
                return Err(thinktime_file::error::unknown("change", other, known.into_iter()));
            }
        };
        let mut arguments = Arguments::new(&call, usage, names)?;
        let does = match plain {
            Effect::Slows(_) => match arguments.number("speed", Dimension::Number)? {
                speed if speed > 0.0 && speed < 1.0 => Effect::Slows(speed),
                _ => return Err(arguments.error("needs a fraction between 0 and 1")),
            },
            other => other,
        };
        arguments.finish()?;
        Ok(does)
    }
}

impl Change {
    /// Checks the changes of a cluster of this many servers; gives them by time.
    pub(super) fn all(tables: &[ChangeTable], servers: u32) -> ReadResult<Vec<Change>> {
        let one = |(number, table): (usize, &ChangeTable)| {
            let place = |key: &str, error| (format!("change.{number}.{key}"), error);
            let at = parse_time(&table.at.text()).map_err(|error| place("at", error))?;
            if table.server >= servers {
                let last = servers - 1;
                let message = format!("must be from 0 to {last}: servers are counted from 0");
                return Err(place("server", Invalid::new(message)));
            }
            let does = Effect::parse(&table.does).map_err(|error| place("does", error))?;
            let change =
                Change { at: Nanos::from_secs_f64(at), server: table.server as usize, does };
            Ok((number, change))
        };
        let all = tables.iter().enumerate().map(one).collect::<ReadResult<Vec<_>>>();
        let mut all = all?;
        all.sort_by_key(|(_, change)| change.at);
        recoveries(&all)?;
        Ok(all.into_iter().map(|(_, change)| change).collect())
    }
}

/// Checks that a server that recovers is not well: else a time or a server is a slip. The changes
/// are by time, each with its number in the file.
fn recoveries(all: &[(usize, Change)]) -> ReadResult<()> {
    for (at, (number, change)) in all.iter().enumerate() {
        let mut before = all[..at].iter().rev().map(|(_, earlier)| earlier);
        let last = before.find(|earlier| earlier.server == change.server);
        let is_well = last.is_none_or(|earlier| earlier.does == Effect::Recovers);
        if is_well && change.does == Effect::Recovers {
            let message = format!(
                "server {} is well at that time: it recovers after it fails, drains or slows",
                change.server
            );
            return Err((format!("change.{number}.does"), Invalid::new(message)));
        }
    }
    Ok(())
}

/// The state of a system, parts of which may have failed: the worst comes last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Condition {
    /// It accepts requests.
    #[default]
    Well,
    /// It accepts no further requests, and finishes those that it has.
    Drained,
    /// It has lost those that it had.
    Failed,
}
