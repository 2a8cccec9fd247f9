//! Dispatch policies: which server of a cluster a request goes to.
//!
//! A policy is a [`Dispatcher`]: it is asked where a request goes, and told when servers change.
//! The [`Switch`] keeps what is known of the servers and asks it; simulated clusters and the real
//! switch both drive a [`Switch`], so that one piece of code decides in both. One policy is one
//! file plus one line in the list below.

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

use crate::distribution::Distribution;
use crate::error::{Invalid, unknown};
use crate::notation::{Arguments, Call};
use crate::random::Stream;
use crate::time::Nanos;

/// What the switch knows of a request that comes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Which of the cluster's classes it is of.
    pub class: u32,
    /// A number that requests for the same target share, and others do not.
    pub target: u64,
    /// The service demand that it brings, where it is known.
    pub work: Nanos,
}

/// What a policy looks at when it chooses or is told of something.
#[derive(Debug)]
pub struct View<'a> {
    /// The time.
    pub now: Nanos,
    /// What the switch knows of the servers.
    pub servers: &'a Servers,
    /// What the policy draws from.
    pub random: &'a mut Stream,
}

/// A policy at work. It sees nothing but what it is told, and never reads a clock.
pub trait Dispatcher: Debug + Send {
    /// The server that the request goes to; none to let it wait until a request ends. It must be
    /// open. Request only while a server is.
    fn choose(&mut self, request: &Request, view: &mut View<'_>) -> Option<usize>;

    /// What is known of a server has changed: the number of its requests, or whether it is open.
    fn changed(&mut self, _server: usize, _view: &mut View<'_>) {}

    /// A request has ended at a server, after so long; follows [`Dispatcher::changed`].
    fn ended(&mut self, _server: usize, _response: Nanos, _view: &mut View<'_>) {}

    /// The servers that are to be asked how they are now, because a request has come; pushed to
    /// `wanted`, which is empty.
    fn probes(&mut self, _view: &mut View<'_>, _wanted: &mut Vec<usize>) {}

    /// A server that was asked how it is has answered.
    fn probed(&mut self, _server: usize, _answer: Probe, _view: &mut View<'_>) {}
}

/// What a policy has to be told, beside how many requests each server has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// The class of each request.
    Classes,
    /// What each request asks for.
    Targets,
    /// The service demand that each request brings.
    Work,
    /// How servers are, by asking them.
    Probes,
}

impl Need {
    /// In one word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Need::Classes => "classes",
            Need::Targets => "targets",
            Need::Work => "demands",
            Need::Probes => "probes",
        }
    }
}

/// What a policy is made for.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// The weight of each server; positive.
    pub weights: Vec<f64>,
    /// The number of classes; at least 1.
    pub classes: usize,
    /// What the demands of all requests are drawn from, in seconds, where that is known.
    pub work: Option<Distribution>,
}

type Maker = Arc<dyn Fn(&Setting) -> Result<Box<dyn Dispatcher>, Invalid> + Send + Sync>;

/// A policy: how files name it, what it does, and whose it is.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// How it is written, as in `lard(low=25, high=65)`.
    pub usage: &'static str,
    /// An example, used by the general tests.
    pub example: &'static str,
    /// One sentence that says what it does.
    pub summary: &'static str,
    /// Who described it, or whose program does so.
    pub source: &'static str,
    /// What it must be told.
    pub needs: &'static [Need],
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
    /// When there is none of that name, or an argument is wrong.
    pub fn parse(text: &str) -> Result<Dispatch, Invalid> {
        let call = Call::parse(text)?;
        let Some(entry) = ENTRIES.iter().find(|entry| entry.name() == call.name) else {
            return Err(unknown("dispatch policy", &call.name, ENTRIES.iter().map(Entry::name)));
        };
        Ok(Dispatch { entry, make: (entry.parse)(&call)? })
    }

    /// What the policy is.
    #[must_use]
    pub fn entry(&self) -> &'static Entry {
        self.entry
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
