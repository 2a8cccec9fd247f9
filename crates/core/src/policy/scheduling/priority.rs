//! Priority classes.

use super::{Discipline, Entry, Rank, Ties, is_preemptive, quantum};
use crate::notation::{Arguments, Call, Label};

const USAGE: &str = "priority(QUANTUM, ..., preemptive=yes)";

pub(super) const ENTRY: Entry = Entry {
    usage: USAGE,
    example: "priority(preemptive=no)",
    summary: "the smallest class number first, as the station's `priority.NAME` gives them; first \
              come, first served inside a class, or in turns of a quantum: the first one for the \
              first class, the last one for all further classes",
    parse: |call, _files| {
        let (turns, named): (Vec<_>, Vec<_>) =
            call.arguments.iter().cloned().partition(|one| one.label == Label::None);
        let named = Call { name: call.name.clone(), arguments: named };
        let mut arguments = Arguments::new(&named, USAGE, &["preemptive"])?;
        let preemptive = is_preemptive(&mut arguments)?;
        let quanta = turns.iter().map(|one| quantum(&arguments, Some(&one.term)));
        let quanta = quanta.collect::<Result<_, _>>()?;
        arguments.finish()?;
        Ok(Discipline { quanta, ..Discipline::new(Rank::Class, preemptive, Ties::FirstCome) })
    },
};
