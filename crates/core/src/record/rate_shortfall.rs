//! Requests begun, compared with those that the workload asks for.

use super::Summary;
use crate::distribution::Distribution;
use crate::request::{Objects, RequestKind};
use crate::words;
use crate::workload::{InitialState, Population, Sessions, Workload};

/// A rate of requests that differs from the workload's, beyond chance.
#[derive(Clone, Debug, PartialEq)]
pub struct RateShortfall {
    /// The workload's rate, the achieved rate, and the cause, if it is known.
    pub words: String,
    /// Whether it makes the result unreliable.
    pub spoils: bool,
}

/// The number of requests may be this many standard deviations off by chance. For a normal law that
/// would happen once in 1.7 million runs; if few are expected, more are allowed.
const DEVIATIONS: f64 = 5.0;
/// A smaller miss than this share of the rate changes no figure by much.
const SHARE: f64 = 0.01;

/// The workload's rate, if it is known and constant, and if the counted requests of a finished run
/// do not fit it.
#[must_use]
pub fn rate_shortfall(workload: &Workload, summary: &Summary) -> Option<RateShortfall> {
    let offered = Offered::of(workload)?;
    let expected = offered.rate * summary.duration_s;
    let missing = expected - summary.requests as f64;
    let by_chance = offered.by_chance(summary.duration_s);
    if !(missing.abs() > by_chance && missing.abs() > SHARE * expected) {
        return None;
    }
    // A session that waits for a response begins its other requests later.
    let runs = summary.replication_means_s.len().max(1) as f64;
    let mean_s = summary.response_time_s.mean.unwrap_or(0.0);
    let late = 2.0 * offered.rate * mean_s * offered.companions * runs;
    let (why, spoils) = match workload.beginning() {
        InitialState::Chosen => {
            ("the run began empty, as the workload says, and was filling up", false)
        }
        InitialState::NeverSteady => {
            ("the mean think time is infinite, so there is no long run", true)
        }
        _ if missing > 0.0 && missing <= by_chance + late => (
            "sessions waited so long for responses that they fell behind: the figures depend on \
             how long the run was",
            false,
        ),
        _ => ("so the result is not that of this workload", true),
    };
    let begun = summary.requests as f64 / summary.duration_s;
    let (wanted, begun) = words::rates_apart(offered.rate, begun);
    let words = format!(
        "the workload asks for {wanted} requests a second, and {begun} were begun, which chance \
         does not explain: {why}"
    );
    Some(RateShortfall { words, spoils })
}

/// The workload's rate.
struct Offered {
    /// Requests a second.
    rate: f64,
    /// The upper bound of the growth of the variance of the number of requests, per second.
    /// Sessions that come at a rate r with the dispersion I, with N requests each, bring over a
    /// long time a number of requests whose variance grows by r (Var N + I E[N]²). Over a shorter
    /// time, some requests lie outside, and it grows by less (Daley and Vere-Jones, An Introduction
    /// to the Theory of Point Processes, 2003, sections 4.2 and 6.3).
    variance_rate: f64,
    /// The mean number of requests of the session that a request belongs to: E[N²] / E[N].
    companions: f64,
}

impl Offered {
    /// How far the number of requests may be off by chance in this time, by Bernstein's inequality
    /// (Boucheron, Lugosi and Massart, Concentration Inequalities, 2013, section 2.8): the law of a
    /// small number is not normal, and a run may end with its second request.
    fn by_chance(&self, duration_s: f64) -> f64 {
        let few = DEVIATIONS * DEVIATIONS / 6.0 * self.companions;
        few + (few * few + DEVIATIONS * DEVIATIONS * self.variance_rate * duration_s).sqrt()
    }

    fn of(workload: &Workload) -> Option<Offered> {
        let rate = workload.request_rate()?;
        let population = workload.only()?;
        let (arrivals, second_moment) = match &population.sessions {
            Sessions::Open { arrivals } => (arrivals, of_pages(workload, population)),
            Sessions::PartlyOpen { .. } if population.browses() => return None,
            Sessions::PartlyOpen { arrivals, requests, .. } => {
                (arrivals, at_most(requests.as_ref()?))
            }
            Sessions::Closed { .. } => return None,
        };
        let dispersion = arrivals.steady_dispersion()?;
        let mean = workload.requests_per_session();
        let variance = second_moment + (dispersion - 1.0).max(0.0) * mean * mean;
        let variance_rate = rate / mean * variance;
        let known = variance_rate.is_finite() && rate > 0.0;
        known.then_some(Offered { rate, variance_rate, companions: second_moment / mean })
    }
}

/// At least E[N²] of sessions of one request, or of one page: a base with its objects.
fn of_pages(workload: &Workload, population: &Population) -> f64 {
    let kinds = population.steps.iter().zip(&workload.requests[population.kinds.clone()]);
    let second_moment =
        |kind: &RequestKind| kind.objects.as_ref().map_or(1.0, Objects::page_second_moment_max);
    kinds.map(|(share, kind)| share * second_moment(kind)).sum()
}

/// At least E[N²], for N = max(1, round(X)) <= max(1, X + 1/2).
fn at_most(requests: &Distribution) -> f64 {
    1.0 + requests.second_moment() + requests.mean() + 0.25
}

#[cfg(test)]
mod tests;
