//! Scheduling policies: who is served next at a station.
//!
//! Every policy is three choices, a [`Discipline`]: which job ranks first, whether an arriving
//! job may push a lower-ranking one out of service, and what happens between jobs of equal rank.
//! The station ([`crate::system`]) carries them out. One policy is one file plus one line in the
//! list below.

mod fcfs;
mod ps;
mod psjf;
mod sjf;
mod srpt;

use crate::error::{Invalid, unknown};
use crate::notation::{Arguments, Call};

/// A scheduling policy in its general form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Discipline {
    /// What a job is ranked by; the smallest rank is served first.
    pub rank: Rank,
    /// Whether an arriving job of a smaller rank pushes a job out of service; what was served
    /// already is kept (preemptive resume).
    pub preemptive: bool,
    /// What happens between jobs of equal rank.
    pub ties: Ties,
}

/// What a job is ranked by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rank {
    /// All jobs rank the same.
    Equal,
    /// The service demand that the job brought.
    Demand,
    /// The service demand that is left.
    Remaining,
}

/// What happens between jobs of equal rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ties {
    /// The one that came first is served first.
    FirstCome,
    /// All are served at once, each at an equal share of the servers, and never faster than one
    /// server.
    Share,
}

/// A policy with its name: what files name it, and what it does.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name in system files.
    pub name: &'static str,
    /// One sentence that says what it does.
    pub summary: &'static str,
    /// Its three choices.
    pub discipline: Discipline,
}

/// All policies, in the order of the documentation.
pub const ENTRIES: &[Entry] = &[fcfs::ENTRY, ps::ENTRY, sjf::ENTRY, psjf::ENTRY, srpt::ENTRY];

/// Parses the name of a policy.
///
/// # Errors
/// When there is none of that name.
pub fn parse(text: &str) -> Result<Discipline, Invalid> {
    let call = Call::parse(text)?;
    let Some(entry) = ENTRIES.iter().find(|entry| entry.name == call.name) else {
        let names = ENTRIES.iter().map(|entry| entry.name);
        return Err(unknown("scheduling policy", &call.name, names));
    };
    Arguments::new(&call, entry.name, &[])?.finish()?;
    Ok(entry.discipline)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_are_found_by_name_and_slips_are_named() {
        assert_eq!(parse("ps").unwrap(), ps::ENTRY.discipline);
        assert!(parse("fcsf").unwrap_err().to_string().contains("did you mean `fcfs`?"));
        assert!(parse("ps(3)").unwrap_err().to_string().contains("too many arguments"));
    }
}
