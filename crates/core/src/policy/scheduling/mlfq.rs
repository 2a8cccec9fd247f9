//! Multi-level feedback.

use super::{Discipline, Entry, Rank, Ties, quantum};
use crate::notation::{Arguments, Call, Label};

const USAGE: &str = "mlfq(QUANTUM, QUANTUM, ...)";

pub(super) const ENTRY: Entry = Entry {
    usage: USAGE,
    example: "mlfq(1ms, 4ms, 16ms)",
    summary: "multi-level feedback: a job that uses up its level's quantum sinks a level; higher \
              levels push lower ones out; on the last one it is round robin",
    parse: |call, _files| {
        let nothing = Call { name: String::new(), arguments: Vec::new() };
        let form = Arguments::new(&nothing, USAGE, &[])?;
        if call.arguments.is_empty() || call.arguments.len() > 64 {
            return Err(form.error("needs from 1 to 64 quanta"));
        }
        let quanta = call.arguments.iter().map(|argument| match argument.label {
            Label::None => quantum(&form, Some(&argument.term)),
            _ => Err(form.error("takes quanta only")),
        });
        let quanta = quanta.collect::<Result<_, _>>()?;
        Ok(Discipline { quanta, ..Discipline::new(Rank::Level, true, Ties::FirstCome) })
    },
};
