//! Priority classes.

use super::{Discipline, Entry, Rank, Ties};
use crate::notation::{Arguments, Term};

const USAGE: &str = "priority(preemptive=yes)";

pub(super) const ENTRY: Entry = Entry {
    usage: USAGE,
    example: "priority(preemptive=no)",
    summary: "the smallest class number first, as the station's `priority.NAME` gives them; first \
              come, first served inside a class",
    parse: |call, _files| {
        let mut arguments = Arguments::new(call, USAGE, &["preemptive"])?;
        let preemptive = match arguments.optional("preemptive") {
            None => true,
            Some(Term::Call(word)) if word.name == "yes" || word.name == "true" => true,
            Some(Term::Call(word)) if word.name == "no" || word.name == "false" => false,
            Some(_) => return Err(arguments.error("is preemptive, yes or no")),
        };
        arguments.finish()?;
        Ok(Discipline::new(Rank::Class, preemptive, Ties::FirstCome))
    },
};
