//! Demands whose tails are so heavy that a mean, or the interval of a mean, does not exist.

use std::fmt;

use thinktime_core::file::Cancel;
use thinktime_core::system::{DemandLaw, KindVisit, PoolModel, StationModel};
use thinktime_core::workload::{Population, Workload};

/// The consequence of the heaviest tail of a system's demands and delays.
pub(crate) struct HeavyTail {
    /// What has the tail, in words.
    what: String,
    /// What lets others wait for it, in words.
    server: String,
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
    /// Clients give up, so that response times are bounded. But the times for which a request
    /// blocks others have an infinite variance, and so have the averages over time.
    Block,
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
            let what = match visit.at {
                Some(at) => format!("the demand at `{at}`"),
                None => format!("a delay of `{}`", workload.requests[visit.kind].name),
            };
            let place = |pool: &&PoolModel| format!("one place of `{}`", pool.name);
            let pool = visit.pools.iter().find(|pool| is_one(pool)).map(place);
            let server = pool.filter(|_| !visit.station.is_some_and(is_blind));
            Some(HeavyTail { what, server: server.unwrap_or("this policy".to_owned()), effect })
        });
        found.min_by_key(|one| one.effect)
    }

    /// Whether the variance of busy periods is finite, and so that of what is counted over time:
    /// it has the moments of the demand (Wolff, Stochastic Modeling and the Theory of Queues, 8-4).
    pub(crate) fn leaves_counts(&self) -> bool {
        self.effect == Effect::Wait
    }
}

/// Whether one server serves each request to its end, and lets all others wait.
fn is_blind(station: &StationModel) -> bool {
    station.servers == 1 && station.discipline.serves_one_by_one() && station.is_unlimited()
}

/// Whether only one request may have a place, and all others wait.
fn is_one(pool: &PoolModel) -> bool {
    pool.size == 1 && pool.queue_limit == u64::MAX
}

/// The effect of the demands of a visit, or of a delay. A client that gives up after some time has
/// no longer response time, so all moments of it are finite.
fn effect(
    workload: &Workload,
    visits: &[KindVisit<'_>],
    visit: &KindVisit<'_>,
    arrives: bool,
) -> Option<Effect> {
    let index = match &visit.law {
        DemandLaw::Drawn(law) => law.tail_index(),
        DemandLaw::Trace(_) => f64::INFINITY,
        DemandLaw::Tokens(law) => law.tail_index(),
        // There are as many sizes as targets, and mostly these are finitely many.
        DemandLaw::Sized(law) => law.time.as_ref().map_or(f64::INFINITY, |time| time.tail_index()),
    };
    let kind = &workload.requests[visit.kind];
    // No attempt is served for longer than its client waits.
    let cut = kind.gives_up() && kind.cancel == Cancel::Always;
    if index > 3.0 || cut {
        return None;
    }
    let one_by_one = |one: &StationModel| one.discipline.serves_one_by_one();
    let blocks = !visit.pools.is_empty() || visit.station.is_some_and(one_by_one);
    let waits = |one: &KindVisit<'_>| {
        let same_pool = |pool: &&PoolModel| visit.pools.iter().any(|it| it.name == pool.name);
        let meets = |pool: &&PoolModel| is_one(pool) && same_pool(pool);
        let served = visit.station.is_some_and(is_blind) && one.at == visit.at;
        let patient = !workload.requests[one.kind].is_impatient();
        patient && (served || one.pools.iter().any(meets))
    };
    let delays = arrives && visits.iter().any(waits);
    match index {
        ..=2.0 if delays => Some(Effect::Mean),
        ..=2.0 if !kind.is_impatient() => Some(Effect::Demand),
        ..=2.0 if blocks => Some(Effect::Block),
        ..=3.0 if delays => Some(Effect::Wait),
        _ => None,
    }
}

impl fmt::Display for HeavyTail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let HeavyTail { what, server, .. } = self;
        match self.effect {
            Effect::Mean => write!(
                f,
                "{what} has an infinite variance: with arrivals of their own \
                 and {server} the mean response time is infinite, so the one shown only grows \
                 with the length of the run; percentiles can be trusted"
            ),
            Effect::Demand => write!(
                f,
                "{what} has an infinite variance, and so has the response time: \
                 no interval of its mean holds, and none is given; percentiles can be trusted"
            ),
            Effect::Block => write!(
                f,
                "{what} has an infinite variance, and so has the time for which it blocks others: \
                 no interval holds, although clients give up, and none of a response time is given"
            ),
            Effect::Wait => write!(
                f,
                "{what} has an infinite third moment: with arrivals of their \
                 own and {server} the variance of the wait is infinite, so no interval of its \
                 mean holds, and none is given; percentiles can be trusted"
            ),
        }
    }
}
