//! Scheduling policies: the order of service at a station.
//!
//! Every policy is a [`Discipline`]: the rank of jobs, whether an arriving job may preempt a
//! lower-ranking one, and the treatment of jobs of equal rank. Turns of a limited length are the
//! one addition that time-sharing needs. The station ([`crate::system`]) carries them out. One
//! policy is one file plus one line in the list below.

mod dps;
mod edf;
mod fcfs;
mod las;
mod lcfs;
mod ljf;
mod mlfq;
mod peljf;
mod pesjf;
mod plcfs;
mod priority;
mod ps;
mod psjf;
mod rr;
mod siro;
mod sjf;
mod srpt;

use thinktime_file::error::{Invalid, unknown};
use thinktime_file::time::Nanos;
use thinktime_file::units::{Dimension, Quantity};

use crate::distribution::Distribution;
use crate::files::Files;
use crate::notation::{Arguments, Call, Term};

/// A scheduling policy in its general form.
#[derive(Clone, Debug, PartialEq)]
pub struct Discipline {
    /// The quantity that ranks a job; the smallest rank is served first.
    pub rank: Rank,
    /// Whether a job of a smaller rank preempts a job in service; the service so far is kept
    /// (preemptive resume).
    pub preemptive: bool,
    /// The treatment of jobs of equal rank.
    pub ties: Ties,
    /// The service of a turn on each level, or in each class; on the last level and in each class
    /// turns follow one another. If empty, a turn lasts until the job is done or preempted.
    pub quanta: Vec<Nanos>,
    /// The time that a server loses whenever it turns to another job.
    pub switch: Nanos,
}

/// The quantity that ranks a job.
#[derive(Clone, Debug, PartialEq)]
pub enum Rank {
    /// All jobs rank the same.
    Equal,
    /// The service demand that the job brought.
    Demand(Order),
    /// The remaining service demand.
    Remaining,
    /// The service that the job has had.
    Attained,
    /// The level that the job has sunk to.
    Level,
    /// A random number of its own.
    Random,
    /// The class of its request, as the station numbers them.
    Class,
    /// The time by which it should be done, as the station says for its request.
    Deadline,
    /// The weight of its share, as the station says for its request.
    Weight,
    /// The expected service demand of its request's name, or an estimate with an error: the true
    /// demand times a draw of the error.
    Expected(Order, Option<Distribution>),
}

/// The direction in which sizes rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The smaller one.
    SmallestFirst,
    /// The larger one.
    LargestFirst,
}

impl Order {
    /// The rank of a size.
    #[inline]
    #[must_use]
    pub fn rank(self, size: Nanos) -> u64 {
        match self {
            Order::SmallestFirst => size.0,
            Order::LargestFirst => u64::MAX - size.0,
        }
    }
}

/// The treatment of jobs of equal rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ties {
    /// The one that came first is served first.
    FirstCome,
    /// The one that came last is served first.
    LastCome,
    /// All are served at once, each at an equal share of the servers, and never faster than one
    /// server; at a share by its weight if that is the rank.
    Share,
}

impl Discipline {
    /// Turns of any length, switching at no cost.
    fn new(rank: Rank, preemptive: bool, ties: Ties) -> Discipline {
        Discipline { rank, preemptive, ties, quanta: Vec::new(), switch: Nanos::ZERO }
    }

    /// Whether a job, once begun, is served to its end.
    #[must_use]
    pub fn serves_one_by_one(&self) -> bool {
        self.ties != Ties::Share
            && !self.preemptive
            && self.quanta.is_empty()
            && self.rank != Rank::Attained
    }
}

/// A policy: its name in files, its rule, and its choices.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its notation in system files, as in `rr(QUANTUM, switch=0s)`.
    pub usage: &'static str,
    /// An example, used by the general tests.
    pub example: &'static str,
    /// One sentence with its rule.
    pub summary: &'static str,
    /// Takes the arguments of a call.
    parse: fn(&Call, &dyn Files) -> Result<Discipline, Invalid>,
}

impl Entry {
    /// The name before the bracket.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.usage.split('(').next().unwrap_or(self.usage)
    }

    /// A policy without arguments.
    const fn plain(
        name: &'static str,
        summary: &'static str,
        parse: fn(&Call, &dyn Files) -> Result<Discipline, Invalid>,
    ) -> Entry {
        Entry { usage: name, example: name, summary, parse }
    }
}

/// All policies, in the order of the documentation.
pub const ENTRIES: &[Entry] = &[
    fcfs::ENTRY,
    lcfs::ENTRY,
    plcfs::ENTRY,
    ps::ENTRY,
    siro::ENTRY,
    rr::ENTRY,
    sjf::ENTRY,
    ljf::ENTRY,
    psjf::ENTRY,
    srpt::ENTRY,
    las::ENTRY,
    pesjf::ENTRY,
    peljf::ENTRY,
    priority::ENTRY,
    edf::ENTRY,
    dps::ENTRY,
    mlfq::ENTRY,
];

/// Parses a policy, as in `ps` or `rr(10ms)`. `files` reads the files that it names.
///
/// # Errors
/// When no policy has that name, or an argument is wrong.
pub fn parse(text: &str, files: &dyn Files) -> Result<Discipline, Invalid> {
    let call = Call::parse(text)?;
    let Some(entry) = ENTRIES.iter().find(|entry| entry.name() == call.name) else {
        let names = ENTRIES.iter().map(Entry::name);
        return Err(unknown("scheduling policy", &call.name, names));
    };
    (entry.parse)(&call, files)
}

/// Refuses any argument.
fn no_arguments(call: &Call, usage: &str) -> Result<(), Invalid> {
    Arguments::new(call, usage, &[])?.finish()
}

/// A positive time.
fn quantum(arguments: &Arguments<'_>, term: Option<&Term>) -> Result<Nanos, Invalid> {
    match term {
        Some(Term::Quantity(Quantity { value, dimension }))
            if matches!(dimension, Dimension::Time | Dimension::Number) && *value >= 1e-9 =>
        {
            Ok(Nanos::from_secs_f64(*value))
        }
        _ => Err(arguments.error("needs a quantum of at least 1ns")),
    }
}

/// Takes the argument `preemptive`, which is yes by default.
fn is_preemptive(arguments: &mut Arguments<'_>) -> Result<bool, Invalid> {
    match arguments.optional("preemptive") {
        None => Ok(true),
        Some(Term::Call(word)) if word.name == "yes" || word.name == "true" => Ok(true),
        Some(Term::Call(word)) if word.name == "no" || word.name == "false" => Ok(false),
        Some(_) => Err(arguments.error("is preemptive, yes or no")),
    }
}

/// The rank of `pesjf` and `peljf`, with the error of the estimate if one is given.
fn expected(
    call: &Call,
    usage: &str,
    order: Order,
    files: &dyn Files,
) -> Result<Discipline, Invalid> {
    let mut arguments = Arguments::new(call, usage, &["error"])?;
    let error = match arguments.optional("error") {
        None => None,
        Some(term) => Some(Distribution::from_term(&term, files)?.expect(Dimension::Number)?),
    };
    arguments.finish()?;
    Ok(Discipline::new(Rank::Expected(order, error), true, Ties::FirstCome))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::NoFiles;

    fn parsed(text: &str) -> Result<Discipline, String> {
        parse(text, &NoFiles).map_err(|error| error.to_string())
    }

    #[test]
    fn policies_are_found_by_name_and_slips_are_named() {
        assert_eq!(parsed("ps").unwrap().ties, Ties::Share);
        assert!(parsed("fcsf").unwrap_err().contains("did you mean `fcfs`?"));
        assert!(parsed("ps(3)").unwrap_err().contains("too many arguments"));
    }

    #[test]
    fn every_example_parses() {
        for entry in ENTRIES {
            parsed(entry.example).unwrap();
        }
    }

    #[test]
    fn arguments_are_checked() {
        assert_eq!(parsed("rr(10ms)").unwrap().quanta, [Nanos(10_000_000)]);
        assert_eq!(parsed("rr(10ms, switch=5us)").unwrap().switch, Nanos(5_000));
        assert!(parsed("rr").unwrap_err().contains("write it as rr(QUANTUM"));
        assert!(parsed("rr(0s)").unwrap_err().contains("at least 1ns"));
        assert!(!parsed("priority(preemptive=no)").unwrap().preemptive);
        assert!(parsed("priority(preemptive=maybe)").unwrap_err().contains("yes or no"));
        assert!(!parsed("edf(preemptive=no)").unwrap().preemptive);
        assert!(parsed("edf(10ms)").unwrap_err().contains("yes or no"));
        assert!(parsed("priority(100ms, preemptive=no, 4ms)").unwrap().quanta.len() == 2);
        assert!(parsed("priority(0s)").unwrap_err().contains("at least 1ns"));
        assert!(parsed("priority(no)").unwrap_err().contains("write it as priority(QUANTUM"));
        assert_eq!(parsed("mlfq(1ms, 4ms)").unwrap().quanta.len(), 2);
        assert!(parsed("mlfq()").unwrap_err().contains("write it as"));
        assert!(parsed("pesjf(error=exp(1s))").unwrap_err().contains("gives a time"));
    }
}
