//! The values of sessions: requests contain them, and responses give new ones; and the checks of
//! responses.

use std::collections::HashMap;
use std::rc::Rc;

use thinktime_core::attempt::{Attempt, Ticket};
use thinktime_core::client::Owner;
use thinktime_core::program::Report;
use thinktime_core::random::{Purpose, StreamFamily};
use thinktime_core::record::Row;
use thinktime_core::request::{Call, Json, MessageOf, Reads, Response, Unwritten};
use thinktime_core::workload::{Population, Sessions, Workload};

use crate::generator::credentials::common_fields::missing_fields;
use crate::generator::protocols::exchange::Answer;
use crate::generator::transport::failure::Failure;
use crate::protocol::Capture;

/// A request needs a value that its session did not get.
const MISSING: Failure = "value_missing";
/// A value is invalid at its place in a request.
const UNFIT: Failure = "value_unfit";
/// The longest accepted value, in bytes.
const VALUE_BYTES_MAX: usize = 64 << 10;
/// Sessions of a population are numbered from its place times this on.
const SESSIONS: u64 = 1 << 48;

/// The values of all sessions of one run.
pub(crate) struct Values<'a> {
    workload: &'a Workload,
    /// The parts of requests vary as those of targets do.
    targets: StreamFamily,
    /// By the session's slot. Values that another session left behind are ignored.
    taken: HashMap<usize, Taken>,
    /// The requests under way, by the attempt's ticket.
    calls: HashMap<u64, Rc<Call>>,
    report: Report,
}

/// The values of a session, by the indices of their names.
struct Taken {
    owner: Owner,
    values: Vec<Option<Vec<u8>>>,
}

impl<'a> Values<'a> {
    /// Those of a workload; `None` if no request uses values.
    pub(crate) fn of(workload: &'a Workload) -> Option<Values<'a>> {
        if workload.requests.iter().all(|kind| kind.value_use.is_empty()) {
            return None;
        }
        Some(Values {
            workload,
            targets: StreamFamily::new(workload.seed, Purpose::Target),
            taken: HashMap::new(),
            calls: HashMap::new(),
            report: Report::default(),
        })
    }

    /// The parts of responses that must be kept.
    pub(crate) fn capture(&self) -> Capture {
        let reads = self.workload.requests.iter().map(|kind| kind.value_use.reads()).max();
        match reads.unwrap_or_default() {
            Reads::Nothing => Capture::Nothing,
            Reads::Heads => Capture::Heads,
            Reads::Bodies => Capture::All,
        }
    }

    /// Makes the request of an attempt before it is sent, if it contains values and is not a
    /// program's `own`. A call of gRPC has the metadata of both, and its own message or the
    /// workload's.
    ///
    /// # Errors
    /// If one is missing, or does not fit.
    pub(crate) fn prepare(
        &mut self,
        attempt: &Attempt,
        owner: Owner,
        own: Option<&Call>,
    ) -> Result<(), Failure> {
        let known = self.calls.contains_key(&attempt.ticket.to_word());
        if known || own.is_some_and(|own| own.grpc.is_none()) {
            return Ok(());
        }
        let kind = &self.workload.requests[attempt.kind as usize];
        let mut stream = self.targets.substream(attempt.session, attempt.index.into());
        let excerpt = self.taken.get(&owner.slot).filter(|taken| taken.owner == owner);
        let place = kind.population as usize;
        let population = &self.workload.populations[place];
        let seed = self.workload.population_seed(place);
        let value = |name: usize| match population.values.is_column(name) {
            true => of_row(population, name, seed, owner),
            false => excerpt?.values.get(name)?.as_deref(),
        };
        match kind.call(&mut stream, &value) {
            None => {}
            Some(Ok(call)) => {
                let call = match own {
                    None => call,
                    Some(own) => sum_of_times(own, call),
                };
                self.calls.insert(attempt.ticket.to_word(), Rc::new(call));
            }
            Some(Err(Unwritten::Missing(_))) => return Err(MISSING),
            Some(Err(Unwritten::Unfit)) => return Err(UNFIT),
        }
        Ok(())
    }

    /// The request of an attempt under way, if it contains values.
    pub(crate) fn call(&self, attempt: &Attempt) -> Option<Rc<Call>> {
        self.calls.get(&attempt.ticket.to_word()).cloned()
    }

    /// An attempt has ended.
    pub(crate) fn forget(&mut self, ticket: Ticket) {
        if !self.calls.is_empty() {
            self.calls.remove(&ticket.to_word());
        }
    }

    /// A request has ended, with this row and perhaps an answer, for its sender: takes the values
    /// and makes the checks of its kind. Without an answer no check holds.
    pub(crate) fn finish_request(&mut self, row: &Row, answer: Option<(&Answer, Owner)>) {
        let kind = &self.workload.requests[row.attempt.kind as usize];
        if kind.value_use.takes.is_empty() && kind.value_use.checks.is_empty() {
            return;
        }
        let excerpt = answer.and_then(|(answer, _)| answer.excerpt.as_deref());
        let response = Response {
            status: row.status,
            response_time: row.done.since(row.attempt.request_scheduled),
            head: excerpt.map_or(&[], |excerpt| &excerpt.head),
            body: excerpt.map_or(&[], |excerpt| &excerpt.body),
        };
        let mut json = Json::default();
        for check in &kind.value_use.checks {
            let held = answer.is_some() && check.holds(&response, &mut json);
            self.report.check(&check.name, held);
        }
        let Some((_, owner)) = answer else { return };
        let names = &self.workload.population_of(row.attempt.kind).values.names;
        for (name, lookup) in &kind.value_use.takes {
            let found = lookup.find(&response, &mut json);
            let found = found.filter(|value| value.len() <= VALUE_BYTES_MAX);
            self.report.take(&kind.name, &names[*name], found.is_some());
            let Some(found) = found else { continue };
            let empty = || Taken { owner, values: Vec::new() };
            let taken = self.taken.entry(owner.slot).or_insert_with(empty);
            if taken.owner != owner {
                *taken = empty();
            }
            if taken.values.len() < names.len() {
                taken.values.resize(names.len(), None);
            }
            taken.values[*name] = Some(found.into_owned());
        }
    }

    /// The findings.
    pub(crate) fn report(&self) -> &Report {
        &self.report
    }
}

/// A program's own call of gRPC, completed by the workload's.
fn sum_of_times(own: &Call, call: Call) -> Call {
    let more = missing_fields(&own.headers, &call.headers);
    let headers = own.headers.iter().chain(more).cloned().collect();
    let body = match own.grpc {
        Some(MessageOf::Workload) => call.body,
        Some(MessageOf::Program) | None => own.body.clone(),
    };
    Call { headers, body, ..own.clone() }
}

/// A value of the session's row of a data file.
fn of_row(population: &Population, name: usize, seed: u64, owner: Owner) -> Option<&[u8]> {
    let clients = match population.sessions {
        Sessions::Closed { clients, .. } => clients,
        Sessions::Open { .. } | Sessions::PartlyOpen { .. } => 0,
    };
    let session = (owner.session % SESSIONS, owner.turn);
    population.values.of_row(&population.data, name, seed, session, clients)
}
