//! The numbers of servers over time: `steps(0s: 2, 8h: 10)`.

use thinktime_file::error::Invalid;
use thinktime_file::time::Nanos;
use thinktime_file::units::{Dimension, Quantity};

use crate::notation::{Argument, Call, Label, Term};

/// The most servers of a station.
pub(super) const SERVERS_MAX: u32 = 1_000_000;

/// The number jumps at given times, and keeps its last value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan(
    /// By their beginning; the first begins at 0, and the last has a server.
    Vec<(Nanos, u32)>,
);

impl Plan {
    pub(super) fn parse(text: &str) -> Result<Plan, Invalid> {
        let wrong = |what: &str| {
            Invalid::new(format!(
                "`{text}` {what}: write it as steps(0s: 2, 8h: 10), the number of servers from \
                 each time on"
            ))
        };
        let call = Call::parse(text).map_err(|_| wrong("is not a list of steps"))?;
        if call.name != "steps" {
            return Err(wrong("is not a list of steps"));
        }
        let step = |one: &Argument| step(one).map_err(|what| wrong(&what));
        let steps = call.arguments.iter().map(step).collect::<Result<Vec<_>, _>>()?;
        if steps.first().is_none_or(|(start, _)| *start != Nanos::ZERO) {
            return Err(wrong("does not begin at 0s"));
        }
        if steps.windows(2).any(|pair| pair[0].0 >= pair[1].0) {
            return Err(wrong("does not have its times in order"));
        }
        if steps.last().is_some_and(|(_, number)| *number == 0) {
            return Err(wrong("has no server at its end, so that requests would wait for ever"));
        }
        Ok(Plan(steps))
    }

    /// The number of a step, from 0.
    pub(super) fn number(&self, step: usize) -> u32 {
        self.0[step].1
    }

    /// When a step begins; never after the last.
    pub(super) fn start(&self, step: usize) -> Nanos {
        self.0.get(step).map_or(Nanos::MAX, |(start, _)| *start)
    }

    pub(super) fn most(&self) -> u32 {
        self.0.iter().map(|(_, number)| *number).max().unwrap_or(1)
    }
}

fn step(argument: &Argument) -> Result<(Nanos, u32), String> {
    let (Label::Weight(start), Term::Quantity(number)) = (&argument.label, &argument.term) else {
        return Err("does not have a time and a number in each step".to_owned());
    };
    let start = start.expect(Dimension::Time).map_err(|error| format!("has a time: {error}"))?;
    if !(start >= 0.0 && start.is_finite()) {
        return Err("has a time before 0s".to_owned());
    }
    let whole = |one: &Quantity| {
        let value = one.expect(Dimension::Number).ok()?;
        let fits = value.fract() == 0.0 && (0.0..=f64::from(SERVERS_MAX)).contains(&value);
        fits.then_some(value as u32)
    };
    let wrong = "has a number of servers that is not whole, or is not from 0 to 1000000";
    let number = whole(number).ok_or(wrong)?;
    Ok((Nanos::from_secs_f64(start), number))
}
