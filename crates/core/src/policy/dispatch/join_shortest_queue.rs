//! Join the shortest queue, of all or of some.

use std::sync::Arc;

use thinktime_file::units::Dimension;

use super::least::Least;
use super::servers::cheapest;
use super::{Dispatcher, Entry, Request, View};

pub(super) const ENTRY: Entry = Entry {
    usage: "jsq(CHOICES)",
    example: "jsq(2)",
    summary: "the server with the fewest requests in progress; with CHOICES, among this number of \
              drawn servers",
    source: "W. Winston, 1977; with choices: M. Mitzenmacher, The power of two choices in \
             randomized load balancing, IEEE TPDS 12, 2001",
    needs: &[],
    parse: |call| {
        if call.arguments.is_empty() {
            return Ok(Arc::new(|setting| {
                Ok(Least::boxed(setting, |one| f64::from(one.in_progress)))
            }));
        }
        let mut arguments = ENTRY.arguments(call, &["choices"])?;
        let choices = arguments.number("choices", Dimension::Number)?;
        if !(1.0..=1000.0).contains(&choices) || choices.fract() != 0.0 {
            return Err(arguments.error("needs a whole number of choices from 1 to 1000"));
        }
        arguments.finish()?;
        let choices = choices as usize;
        Ok(Arc::new(move |_| Ok(Box::new(Sampled { choices, drawn: Vec::new() }))))
    },
};

#[derive(Debug)]
struct Sampled {
    choices: usize,
    drawn: Vec<usize>,
}

impl Dispatcher for Sampled {
    fn choose(&mut self, _: &Request, view: &mut View<'_>) -> Option<usize> {
        view.servers.sample(self.choices, view.random, &mut self.drawn);
        let all = view.servers.all();
        cheapest(&self.drawn, view.random, |at| all[at].in_progress)
    }
}
