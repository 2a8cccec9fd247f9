//! Round robin.

use thinktime_file::time::Nanos;
use thinktime_file::units::Dimension;

use super::{Discipline, Entry, Rank, Ties, quantum};
use crate::notation::{Arguments, Term};

const USAGE: &str = "rr(QUANTUM, switch=0s)";

pub(super) const ENTRY: Entry = Entry {
    usage: USAGE,
    example: "rr(1ms, switch=5us)",
    summary: "round robin: a turn of one quantum each; `switch` is lost at each change of jobs",
    parse: |call, _files| {
        let mut arguments = Arguments::new(call, USAGE, &["quantum", "switch"])?;
        let term = arguments.required("quantum")?;
        let quanta = vec![quantum(&arguments, Some(&term))?];
        let switch = match arguments.optional("switch") {
            None => Nanos::ZERO,
            Some(Term::Quantity(cost)) => Nanos::from_secs_f64(cost.expect(Dimension::Time)?),
            Some(_) => return Err(arguments.error("needs a time for `switch`")),
        };
        arguments.finish()?;
        Ok(Discipline { quanta, switch, ..Discipline::new(Rank::Level, false, Ties::FirstCome) })
    },
};
