//! Size interval task assignment.

use std::sync::Arc;

use thinktime_file::error::Invalid;
use thinktime_file::time::Nanos;
use thinktime_file::units::Dimension;

use super::{Dispatcher, Entry, PolicyInput, Request, View};
use crate::notation::{Label, Term};

pub(super) const ENTRY: Entry = Entry {
    usage: "sita(TIME, TIME, ...)",
    example: "sita(20ms)",
    summary: "by the demand: the first server up to the first time, the second up to the second, \
              the last beyond; without times so that each gets the same work (SITA-E)",
    source: "M. Harchol-Balter, M. Crovella, C. Murta, On choosing a task assignment policy for a \
             distributed server system, JPDC 59, 1999",
    needs: &[PolicyInput::Work],
    parse: |call| {
        let wrong = || {
            let (name, usage) = (&call.name, ENTRY.usage);
            Invalid::new(format!("`{name}`: write it as {usage}, each time above the one before"))
        };
        let mut cutoffs = Vec::new();
        for argument in &call.arguments {
            let (Label::None, Term::Quantity(quantity)) = (&argument.label, &argument.term) else {
                return Err(wrong());
            };
            cutoffs.push(Nanos::from_secs_f64(quantity.expect(Dimension::Time)?));
        }
        if !cutoffs.is_sorted_by(|one, next| one < next) {
            return Err(wrong());
        }
        Ok(Arc::new(move |setting| {
            let (given, servers) = (cutoffs.len(), setting.weights.len());
            let equal = setting.work.as_ref().filter(|_| given == 0);
            let cutoffs = match equal.map(|law| law.equal_load_cutoffs(servers)) {
                Some(seconds) => seconds.into_iter().map(Nanos::from_secs_f64).collect(),
                None if given + 1 == servers => cutoffs.clone(),
                None => return Err(wrong_number(given, servers)),
            };
            Ok(Box::new(SizeInterval { cutoffs }))
        }))
    },
};

fn wrong_number(given: usize, servers: usize) -> Invalid {
    let wanted = servers - 1;
    Invalid::new(match given {
        0 => format!(
            "`sita` without times (SITA-E) is for servers of one station, whose demand has one \
             law for all requests; others need the {wanted} times of {}",
            ENTRY.usage
        ),
        _ => format!("`sita` has {given} times for {servers} servers: it needs {wanted}"),
    })
}

#[derive(Debug)]
struct SizeInterval {
    cutoffs: Vec<Nanos>,
}

impl Dispatcher for SizeInterval {
    fn choose(&mut self, request: &Request, view: &mut View<'_>) -> Option<usize> {
        let shares = view.servers.shares();
        let own = self.cutoffs.partition_point(|cutoff| *cutoff < request.work);
        // The requests of a closed server go to the next one for larger requests, else to the next
        // one for smaller.
        shares.first_from(own).or_else(|| shares.last_before(own))
    }
}
