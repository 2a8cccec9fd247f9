//! The ranks of jobs at a station, if they do not change while jobs are there.

use thinktime_file::time::Nanos;

use crate::distribution::Distribution;
use crate::policy::scheduling::{Order, Rank};
use crate::random::{Purpose, StreamFamily};
use crate::system::{Job, StationModel};

/// Ranks of arriving jobs.
#[derive(Debug)]
pub(in crate::system) enum Ranks {
    /// All alike, or the rank changes and the engine keeps it.
    Alike,
    Demand(Order),
    /// By kind of request.
    Kind(Vec<u64>),
    /// By the time of arrival and a time of each kind of request.
    Deadline(Vec<Nanos>),
    /// By a number that each job draws.
    Random(StreamFamily),
    /// In a box, so that stations stay small.
    Estimate(Box<Estimate>),
}

/// By an estimate of the demand.
#[derive(Debug)]
pub(in crate::system) struct Estimate {
    order: Order,
    error: Distribution,
    errors: StreamFamily,
}

impl Ranks {
    /// The ranks at a station, numbered `number`, of requests named `kinds`, of which
    /// `mean_demands` gives the mean demands there.
    pub(in crate::system) fn new(
        number: u64,
        model: &StationModel,
        kinds: &[&str],
        mean_demands: &[Nanos],
        seed: u64,
    ) -> Ranks {
        let drawn = || StreamFamily::new(seed, Purpose::Estimate).member(number);
        match &model.discipline.rank {
            Rank::Equal | Rank::Remaining | Rank::Attained | Rank::Level => Ranks::Alike,
            Rank::Demand(order) => Ranks::Demand(*order),
            Rank::Random => Ranks::Random(drawn()),
            Rank::Class => Ranks::Kind(kinds.iter().map(|name| model.class_of(name)).collect()),
            Rank::Deadline => {
                Ranks::Deadline(kinds.iter().map(|name| model.deadline_of(name)).collect())
            }
            Rank::Weight => {
                let weight = |name: &&str| model.weight_of(name).to_bits();
                Ranks::Kind(kinds.iter().map(weight).collect())
            }
            Rank::Expected(order, None) => {
                Ranks::Kind(mean_demands.iter().map(|mean| order.rank(*mean)).collect())
            }
            Rank::Expected(order, Some(error)) => Ranks::Estimate(Box::new(Estimate {
                order: *order,
                error: error.clone(),
                errors: drawn(),
            })),
        }
    }

    /// The rank of a job with this demand that comes now.
    #[inline(always)]
    pub(super) fn of(&self, now: Nanos, job: &Job, demand: Nanos) -> u64 {
        if matches!(self, Ranks::Alike) { 0 } else { self.of_unlike(now, job, demand) }
    }

    /// Out of line, because at most stations all are alike.
    #[inline(never)]
    fn of_unlike(&self, now: Nanos, job: &Job, demand: Nanos) -> u64 {
        match self {
            Ranks::Alike => 0,
            Ranks::Demand(order) => order.rank(demand),
            Ranks::Kind(ranks) => ranks[job.kind as usize],
            Ranks::Deadline(after) => (now + after[job.kind as usize]).0,
            Ranks::Random(draws) => draws.substream(job.session, job.serial).bits(),
            Ranks::Estimate(estimate) => {
                let Estimate { order, error, errors } = &**estimate;
                let factor = error.sample(&mut errors.substream(job.session, job.serial));
                order.rank(Nanos::from_secs_f64(demand.as_secs_f64() * factor))
            }
        }
    }
}
