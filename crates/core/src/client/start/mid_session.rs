//! Sessions in the middle of their course when a run begins, if the think time depends on the last
//! request or that one depends on the one before it.
//!
//! A session makes v(i) requests of kind i on average, continues after one with probability g(i),
//! and then thinks for Z(i). So by Little's law, the last request of a session that thinks at any
//! time was of kind i with probability v(i) g(i) E[Z(i)], up to a factor. The rest of its think
//! time has the equilibrium law of Z(i). Its past is the chain run backwards: kind j came before i
//! with probability v(j) P(j, i) / v(i), and with the remaining probability the session began
//! there.

use thinktime_file::time::Nanos;

use super::Draw;
use crate::arrival::ArrivalProcess;
use crate::distribution::{Distribution, Equilibrium};
use crate::random::{Purpose, Stream, StreamFamily};
use crate::workload::{Population, Workload};

/// The largest number of steps back that are followed.
const STEPS_BACK_MAX: u32 = 100_000;

/// All such sessions of a population.
pub(super) struct MidSession<'a> {
    /// The sums of the shares of the kinds.
    shares: Vec<f64>,
    /// By kind, its think time and the rest of it, except for kinds without a think time.
    thinks: Vec<ThinkTime<'a>>,
    /// By kind, the sums of the shares of those that came before it.
    before: Vec<Vec<f64>>,
    streams: StreamFamily,
}

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Position {
    /// The kind of its last request: a place within the population.
    pub(super) last: u32,
    /// The number of requests that it has made.
    pub(super) behind: u32,
    /// The requests that it has left, if their number is fixed; 0 if it begins again.
    pub(super) left: u64,
    /// When its next request is due.
    pub(super) due: Nanos,
}

impl<'a> MidSession<'a> {
    /// `None` if no session thinks.
    pub(super) fn new(workload: &'a Workload, place: usize) -> Option<MidSession<'a>> {
        let population = &workload.populations[place];
        let times = population.thinking_by_kind();
        // If no session ever thinks, only the visits tell the kinds apart.
        let nobody = times.iter().sum::<f64>() <= 0.0;
        let weights = if nobody { &population.steps } else { &times };
        Some(MidSession {
            shares: sums(weights)?,
            thinks: rest_of_thinks(population)?,
            before: came_before(population),
            streams: StreamFamily::new(workload.population_seed(place), Purpose::Start),
        })
    }

    /// The one of this number, if it was present, for arrivals whose rate varied.
    pub(super) fn session(
        &self,
        number: u64,
        arrivals: Option<&ArrivalProcess>,
    ) -> Option<Position> {
        let stream = |draw: Draw| self.streams.substream(number, draw as u64);
        let mut course = stream(Draw::Course);
        let last = pick(&self.shares, course.uniform());
        let (think, rest) = &self.thinks[last];
        let rest_s = rest.as_ref().map_or(0.0, |rest| rest.sample(&mut stream(Draw::Rest)));
        let mut past = stream(Draw::Past);
        let mut age_s = think.longer_than(rest_s, &mut past) - rest_s;
        let behind = 1 + self.walk_back(last, &mut course, |kind| {
            age_s += self.thinks[kind].0.sample(&mut past);
        });
        let varied = arrivals.filter(|arrivals| arrivals.varied_before_start());
        if varied.is_some_and(|arrivals| past.uniform() > arrivals.share_before_start(age_s)) {
            return None;
        }
        let due = Nanos::from_secs_f64(rest_s);
        Some(Position { last: last as u32, behind, left: u64::MAX, due })
    }

    /// Follows the past back, and gives its length.
    fn walk_back(&self, from: usize, stream: &mut Stream, mut see: impl FnMut(usize)) -> u32 {
        let (mut at, mut steps) = (from, 0);
        while let Some(before) = self.before.get(at) {
            let uniform = stream.uniform();
            if before.last().is_none_or(|all| uniform > *all) || steps == STEPS_BACK_MAX {
                break;
            }
            at = pick(before, uniform);
            see(at);
            steps += 1;
        }
        steps
    }
}

/// A think time, and the rest of it if it exists.
pub(super) type ThinkTime<'a> = (&'a Distribution, Option<Equilibrium<Distribution>>);

/// By kind, the think time after it; `None` if no session thinks.
pub(super) fn rest_of_thinks(population: &Population) -> Option<Vec<ThinkTime<'_>>> {
    let think = population.think()?;
    let own = population.thinks.iter().map(|own| own.as_ref().unwrap_or(think));
    Some(own.map(|law| (law, Equilibrium::new(law.clone()))).collect())
}

/// The cumulative shares of weights; `None` if there are no weights.
pub(super) fn sums(weights: &[f64]) -> Option<Vec<f64>> {
    let total: f64 = weights.iter().sum();
    let sum = |sum: &mut f64, weight: &f64| {
        *sum += weight / total;
        Some(*sum)
    };
    (total > 0.0).then(|| weights.iter().scan(0.0, sum).collect())
}

pub(super) fn pick(sums: &[f64], uniform: f64) -> usize {
    sums.partition_point(|sum| *sum < uniform).min(sums.len() - 1)
}

/// By kind, the sums of the shares of the kinds before it. They fall short of 1 by the share of
/// sessions that begin there. Empty if sessions have no beginning, or no journey.
fn came_before(population: &Population) -> Vec<Vec<f64>> {
    let Some(journey) = &population.journey else { return Vec::new() };
    if population.clients().is_some() {
        return Vec::new();
    }
    let mut flows = vec![vec![0.0; journey.next.len()]; journey.next.len()];
    for (from, next) in journey.next.iter().enumerate() {
        for (to, share) in next.iter().flat_map(|next| next.shares()) {
            if let Some(to) = to {
                flows[to as usize][from] += population.steps[from] * share;
            }
        }
    }
    let row = |(flows, visits): (Vec<f64>, &f64)| -> Vec<f64> {
        let share = |sum: &mut f64, flow: &f64| {
            *sum += flow / visits;
            Some(*sum)
        };
        flows.iter().scan(0.0, share).collect()
    };
    flows.into_iter().zip(&population.steps).map(row).collect()
}
