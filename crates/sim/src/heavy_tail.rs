//! Demands whose tails are so heavy that a mean, or the interval of a mean, does not exist.

use std::fmt;

use thinktime_core::file::Cancel;
use thinktime_core::system::{DemandLaw, KindVisit, StationModel};
use thinktime_core::workload::{Population, Workload};

/// The consequence of the heaviest tail of a system's demands.
pub(crate) struct HeavyTail {
    station: String,
    effect: Effect,
}

/// From the worst to the mildest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Effect {
    /// The mean response time is infinite. If the one server of a station serves each request to
    /// its end, whatever its demand, the mean wait is proportional to E[S^2] (Pollaczek-Khinchine).
    Mean,
    /// Demands have an infinite variance, and so have the response times, whatever the policy.
    Demand,
    /// The variance of the wait is infinite, because it is proportional to E[S^3] under such a
    /// policy (Takacs, 1962).
    Wait,
}

impl HeavyTail {
    /// The worst consequence, if there is one.
    pub(crate) fn find(workload: &Workload, visits: &[KindVisit<'_>]) -> Option<HeavyTail> {
        // Fixed numbers of clients, and limits that turn requests away, bound the queue.
        let free = |one: &Population| one.arrivals().is_some() && !one.clients.turn_away();
        let arrives = workload.populations.iter().any(free);
        let found = visits.iter().filter_map(|visit| {
            let effect = effect(workload, visits, visit, arrives)?;
            Some(HeavyTail { station: visit.at.to_owned(), effect })
        });
        found.min_by_key(|one| one.effect)
    }
}

/// The effect of the demands of a visit. A client that gives up after some time has no longer
/// response time, so all moments of it are finite.
fn effect(
    workload: &Workload,
    visits: &[KindVisit<'_>],
    visit: &KindVisit<'_>,
    arrives: bool,
) -> Option<Effect> {
    let index = match &visit.law {
        DemandLaw::Drawn(law) => law.tail_index(),
        DemandLaw::Trace(_) => f64::INFINITY,
        // There are as many sizes as targets, and mostly these are finitely many.
        DemandLaw::Sized(law) => law.time.as_ref().map_or(f64::INFINITY, |time| time.tail_index()),
    };
    let kind = &workload.requests[visit.kind];
    // No attempt is served for longer than its client waits.
    let cut = kind.gives_up() && kind.cancel == Cancel::Always;
    if index > 3.0 || cut {
        return None;
    }
    let alone = |one: &StationModel| one.servers == 1 && one.discipline.serves_one_by_one();
    let blind = arrives && visit.station.is_some_and(|one| alone(one) && one.is_unlimited());
    let waits =
        |one: &KindVisit<'_>| one.at == visit.at && !workload.requests[one.kind].is_impatient();
    let delays = blind && visits.iter().any(waits);
    match index {
        ..=2.0 if delays => Some(Effect::Mean),
        ..=2.0 if !kind.is_impatient() => Some(Effect::Demand),
        ..=3.0 if delays => Some(Effect::Wait),
        _ => None,
    }
}

impl fmt::Display for HeavyTail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let HeavyTail { station, .. } = self;
        match self.effect {
            Effect::Mean => write!(
                f,
                "the demand at `{station}` has an infinite variance: with arrivals of their own \
                 and this policy the mean response time is infinite, so the one shown only grows \
                 with the length of the run; percentiles can be trusted"
            ),
            Effect::Demand => write!(
                f,
                "the demand at `{station}` has an infinite variance, and so has the response time: \
                 no interval of its mean holds, and none is given; percentiles can be trusted"
            ),
            Effect::Wait => write!(
                f,
                "the demand at `{station}` has an infinite third moment: with arrivals of their \
                 own and this policy the variance of the wait is infinite, so no interval of its \
                 mean holds, and none is given; percentiles can be trusted"
            ),
        }
    }
}
