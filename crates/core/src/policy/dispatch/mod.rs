//! Dispatch policies: they choose a cluster's server for each request.
//!
//! A policy is a [`Dispatcher`]: it chooses the server of a request, and learns of changes of
//! servers. The [`Switch`] keeps the state of the servers and calls it. Simulated clusters and the
//! real switch both drive a [`Switch`], so that one piece of code decides in both. One policy is
//! one file plus one line in the list below.

mod cap;
mod consistent_hash;
mod costs;
mod hash;
mod join_idle_queue;
mod join_shortest_queue;
mod lard;
mod lard_replicated;
mod least;
mod least_connections;
mod least_request;
mod least_work_left;
mod never_queue;
mod peak_ewma;
mod prequal;
mod probe;
mod random;
mod round_robin;
mod servers;
mod shares;
mod shortest_expected_delay;
mod size_interval;
mod smooth;
mod standings;
mod switch;
mod target_memory;
mod weighted_round_robin;

pub use probe::{Probe, SelfReport};
pub use servers::{Server, Servers};
pub use switch::{Placement, Switch};

use std::fmt::Debug;
use std::sync::Arc;

use thinktime_file::error::{Invalid, unknown};
use thinktime_file::time::Nanos;

use crate::distribution::Distribution;
use crate::notation::{Arguments, Call};
use crate::random::Stream;

/// The switch's knowledge of an arriving request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Its class, among those of the cluster.
    pub class: u32,
    /// A number that is the same for all requests for one target, and different for others.
    pub target: u64,
    /// The service demand that it brings, if it is known.
    pub work: Nanos,
}

/// A policy's view when it chooses or learns of an event.
#[derive(Debug)]
pub struct View<'a> {
    /// The time.
    pub now: Nanos,
    /// The switch's knowledge of the servers.
    pub servers: &'a Servers,
    /// The policy's source of random draws.
    pub random: &'a mut Stream,
}

/// A policy at work. It sees only its arguments, and never reads a clock.
pub trait Dispatcher: Debug + Send {
    /// The server of the request; `None` to let it wait until a request ends. The server must be
    /// open. Called only while a server is open.
    fn choose(&mut self, request: &Request, view: &mut View<'_>) -> Option<usize>;

    /// A server's state has changed: the number of its requests, or whether it is open.
    fn changed(&mut self, _server: usize, _view: &mut View<'_>) {}

    /// A request has ended at a server, after this time; follows [`Dispatcher::changed`].
    fn ended(&mut self, _server: usize, _response: Nanos, _view: &mut View<'_>) {}

    /// The servers to be probed because a request has come; pushed to `wanted`, which is empty.
    fn probes(&mut self, _view: &mut View<'_>, _wanted: &mut Vec<usize>) {}

    /// A probed server has answered.
    fn probed(&mut self, _server: usize, _answer: Probe, _view: &mut View<'_>) {}
}

/// The input that a policy needs, beside the number of each server's requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyInput {
    /// The class of each request.
    Classes,
    /// The target of each request.
    Targets,
    /// The service demand that each request brings.
    Work,
    /// The state of servers, by probes.
    Probes,
}

impl PolicyInput {
    /// Its name, in one word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            PolicyInput::Classes => "classes",
            PolicyInput::Targets => "targets",
            PolicyInput::Work => "demands",
            PolicyInput::Probes => "probes",
        }
    }
}

/// The cluster for which a policy is made.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// The weight of each server; positive.
    pub weights: Vec<f64>,
    /// The number of classes; at least 1.
    pub classes: usize,
    /// The distribution of the demands of all requests, in seconds, if it is known.
    pub work: Option<Distribution>,
}

type Maker = Arc<dyn Fn(&Setting) -> Result<Box<dyn Dispatcher>, Invalid> + Send + Sync>;

/// A policy: its name in files, its rule, and its author.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its notation, as in `lard(low=25, high=65)`.
    pub usage: &'static str,
    /// An example, used by the general tests.
    pub example: &'static str,
    /// One sentence with its rule.
    pub summary: &'static str,
    /// The author of its description, or of a program that has it.
    pub source: &'static str,
    /// The input that it needs.
    pub needs: &'static [PolicyInput],
    /// Takes the arguments of a call.
    parse: fn(&Call) -> Result<Maker, Invalid>,
}

impl Entry {
    /// The name before the bracket.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.usage.split('(').next().unwrap_or(self.usage)
    }

    /// Matches a call's arguments with these names.
    fn arguments(&self, call: &Call, names: &'static [&'static str]) -> Taken<'static> {
        Arguments::new(call, self.usage, names)
    }
}

type Taken<'a> = Result<Arguments<'a>, Invalid>;

/// All policies, in the order of the documentation.
pub const ENTRIES: &[Entry] = &[
    random::ENTRY,
    round_robin::ENTRY,
    weighted_round_robin::ENTRY,
    least_connections::ENTRY,
    shortest_expected_delay::ENTRY,
    never_queue::ENTRY,
    join_shortest_queue::ENTRY,
    least_work_left::ENTRY,
    join_idle_queue::ENTRY,
    hash::ENTRY,
    consistent_hash::ENTRY,
    size_interval::ENTRY,
    lard::ENTRY,
    lard_replicated::ENTRY,
    cap::ENTRY,
    peak_ewma::ENTRY,
    least_request::ENTRY,
    prequal::ENTRY,
];

/// A policy with its arguments, not yet at work.
#[derive(Clone)]
pub struct Dispatch {
    entry: &'static Entry,
    make: Maker,
}

impl Debug for Dispatch {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_tuple("Dispatch").field(&self.entry.name()).finish()
    }
}

impl Dispatch {
    /// Parses a policy, as in `cap` or `jsq(2)`.
    ///
    /// # Errors
    /// When no policy has that name, or an argument is wrong.
    pub fn parse(text: &str) -> Result<Dispatch, Invalid> {
        let call = Call::parse(text)?;
        let Some(entry) = ENTRIES.iter().find(|entry| entry.name() == call.name) else {
            return Err(unknown("dispatch policy", &call.name, ENTRIES.iter().map(Entry::name)));
        };
        Ok(Dispatch { entry, make: (entry.parse)(&call)? })
    }

    /// The policy's description.
    #[must_use]
    pub fn entry(&self) -> &'static Entry {
        self.entry
    }

    /// The share of all requests that each server of these weights gets in the long run, if that
    /// depends on nothing else. Servers in turn have the same share of each kind of request only if
    /// there is one kind.
    #[must_use]
    pub fn shares(&self, weights: &[f64], one_kind: bool) -> Option<Vec<f64>> {
        let weights = match self.entry.name() {
            "random" => weights.to_vec(),
            "weighted-round-robin" if one_kind => weights.to_vec(),
            "round-robin" if one_kind => vec![1.0; weights.len()],
            _ => return None,
        };
        let sum: f64 = weights.iter().sum();
        Some(weights.into_iter().map(|weight| weight / sum).collect())
    }

    /// The policy at work.
    ///
    /// # Errors
    /// When its arguments do not fit the cluster.
    pub fn build(&self, setting: &Setting) -> Result<Box<dyn Dispatcher>, Invalid> {
        (self.make)(setting)
    }
}

/// A policy without arguments.
fn plain(
    call: &Call,
    entry: &Entry,
    make: fn(&Setting) -> Box<dyn Dispatcher>,
) -> Result<Maker, Invalid> {
    entry.arguments(call, &[])?.finish()?;
    Ok(Arc::new(move |setting| Ok(make(setting))))
}

#[cfg(test)]
mod tests;
