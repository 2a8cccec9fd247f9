//! Holding the load fixed: the rate or the think time that brings a system to a given load.

mod mixed;
mod product_form;

use thinktime_core::error::Invalid;
use thinktime_core::limit::Limit;
use thinktime_core::record::Timeline;
use thinktime_core::statistics::Tally;
use thinktime_core::system::{Capacity, OfferedLoad, SystemModel};
use thinktime_core::time::Nanos;
use thinktime_core::words;
use thinktime_core::workload::{Population, Sessions, Workload, WorkloadFiles};

use crate::driver::{ProgressLimits, Replication, Setup, begin};
use crate::failure::SimulationError;
use crate::turns::check_turns;

/// The load that the workload offers to the busiest station, if it does not depend on the system:
/// `None` for a closed model.
#[must_use]
pub fn offered_load(workload: &Workload, system: &SystemModel) -> Option<f64> {
    Some(system.bottleneck_load(workload, &workload.request_rates()?))
}

/// As [`offered_load`], over the stations that never turn a request away, and of the requests that
/// wait as long as it takes: the others lose the excess.
pub(crate) fn unlimited_load(workload: &Workload, system: &SystemModel) -> Option<f64> {
    let capacities = system.patient_capacities(workload, &workload.request_rates()?);
    let unlimited = capacities.iter().filter(|one| one.unlimited);
    Some(unlimited.map(Capacity::demand_per_server_s).fold(0.0, f64::max))
}

/// The worst overload of another part, if it is known beforehand.
pub(crate) fn offered_overload(workload: &Workload, system: &SystemModel) -> Option<OfferedLoad> {
    let loads = system.offered_loads(workload, &workload.request_rates()?);
    let overloads = loads.into_iter().filter(|one| one.load >= 1.0);
    overloads.max_by(|one, other| one.load.total_cmp(&other.load))
}

/// Refuses an overload that would never end.
pub(crate) fn check_load(
    workload: &Workload,
    system: &SystemModel,
    limit: &Limit,
) -> Result<(), Invalid> {
    match unlimited_load(workload, system) {
        Some(load) if load >= 1.0 && limit.until.is_never() => Err(Invalid::new(format!(
            "the offered load is {}: at 1 and more the queue grows without bound and there is no \
             steady state; lower the rate, or give a duration to watch it grow",
            words::plain(load)
        ))),
        _ => Ok(()),
    }
}

/// The workload at a load. In an open or partly-open model the rate is set; in a closed one the
/// think time is stretched. The stretch is exact if mean value analysis is exact. If not,
/// simulations of the system, all with the same random numbers, search for the load. The longest
/// ones have this many `requests`: [`FINE`] unless fewer are enough, and 200,000 at least.
///
/// `go_on` is called now and then, and ends the search by returning `false`.
///
/// # Errors
/// When the load is not between 0 and 1 or cannot be reached, when there are too few `requests`, or
/// when the search was ended.
pub fn at_load(
    workload: &Workload,
    system: &SystemModel,
    (load, requests): (f64, u64),
    files: &dyn WorkloadFiles,
    go_on: &dyn Fn() -> bool,
) -> Result<Workload, SimulationError> {
    system.check_requests(workload)?;
    check_turns(system, &workload.requests)?;
    if workload.has_programs() {
        return Err(Invalid::new(PROGRAMS).into());
    }
    check_asked(load, requests)?;
    let ones = vec![1.0; workload.populations.len()];
    let demand = system.bottleneck_load(workload, &ones);
    if demand <= 0.0 {
        return Err(Invalid::new(NO_DEMAND).into());
    }
    let Some(only) = workload.only() else {
        return mixed::at_load(workload, system, (load, requests), files, go_on);
    };
    match &only.sessions {
        Sessions::Closed { clients, think, .. } => {
            let scaled = |factor| Ok(workload.with_think_scaled(factor)?);
            let goal = Goal { scaled: &scaled, system, load, requests, go_on };
            goal.solve_think(workload, (*clients, demand), think.mean())
        }
        Sessions::Open { arrivals } | Sessions::PartlyOpen { arrivals, .. } => {
            let rate = session_rate(workload, load / demand, arrivals.mean_factor())?;
            Ok(workload.with_rate(rate, files)?)
        }
    }
}

/// The rate of sessions that gives this rate of requests in the long run, both per second. The
/// long-run factor of the profile stays.
fn session_rate(workload: &Workload, requests: f64, factor: f64) -> Result<f64, Invalid> {
    if factor <= 0.0 {
        return Err(Invalid::new(NO_LONG_RUN));
    }
    let each = workload.requests_per_session();
    if each.is_finite() { Ok(requests / each / factor) } else { Err(Invalid::new(mixed::UNKNOWN)) }
}

/// Refuses an impossible load, and too few requests to find a think time.
fn check_asked(load: f64, requests: u64) -> Result<(), Invalid> {
    if !(load > 0.0 && load < 1.0) {
        return Err(Invalid::new(format!("a load lies between 0 and 1, not at {load}")));
    }
    if requests < ROUGH {
        return Err(Invalid::new(format!(
            "requests: {requests} are too few to find a think time or rate: give at least {ROUGH}"
        )));
    }
    Ok(())
}

const NO_DEMAND: &str = "the system has no service demand, so its load is always 0";

const NO_LONG_RUN: &str = "the profile ends at a rate of 0, so there is no load in the long run: \
                           leave the load out";

const PROGRAMS: &str = "a script decides what its sessions ask for, and a log has its own times, \
                        so the load is not known beforehand: leave the load out";

/// The search for the factor that brings a system to a load, by simulation.
struct Goal<'a> {
    /// The workload at a factor, whose load falls as the factor grows.
    scaled: &'a dyn Fn(f64) -> Result<Workload, SimulationError>,
    system: &'a SystemModel,
    load: f64,
    /// Requests of the simulations that make the factor fine.
    requests: u64,
    go_on: &'a dyn Fn() -> bool,
}

/// Requests of the simulations that find the approximate think time.
const ROUGH: u64 = 200_000;
/// Requests of the fine simulations by default.
pub const FINE: u64 = 2_000_000;
/// The largest error of the load before the fine steps, and at the end.
const NEAR: f64 = 0.003;
const STEPS_MAX: u32 = 40;

impl Goal<'_> {
    /// The workload of this many closed clients with think times that bring the busiest station to
    /// the load. The service demand there, divided by its servers, is `demand`.
    fn solve_think(
        &self,
        workload: &Workload,
        (clients, demand): (u64, f64),
        think_s: f64,
    ) -> Result<Workload, SimulationError> {
        if !(think_s > 0.0 && think_s.is_finite()) {
            return Err(Invalid::new(
                "to reach a load, a closed workload needs a think time with a positive, finite \
                 mean, whose shape is kept: as in think = \"exp(1s)\"",
            )
            .into());
        }
        let wanted = (clients, self.load, demand);
        match product_form::think_time(workload, self.system, wanted) {
            Some(Ok(exact_s)) if exact_s > 0.0 => return (self.scaled)(exact_s / think_s),
            Some(Err(reachable)) => return Err(self.unreachable(clients, reachable)),
            _ => {}
        }
        // X = N / (Z + R) and load = X D: the think time is at most N D / load, for R = 0.
        let most = clients as f64 * demand / self.load / think_s;
        let least = 1e-6 * most;
        let reachable = self.load_at(least, ROUGH)?;
        if reachable < self.load {
            return Err(self.unreachable(clients, reachable));
        }
        self.search(least, most, reachable)
    }

    /// The workload at the factor that brings the load, between these two; also the load at the
    /// smaller one.
    fn search(&self, least: f64, most: f64, reachable: f64) -> Result<Workload, SimulationError> {
        let short = Trial { factor: least, off: reachable - self.load };
        let long = Trial { factor: most, off: self.load_at(most, ROUGH)? - self.load };
        let (rough, slope) = self.bracketed(short, long)?;
        // Two fine simulations, and the point at which the line through them meets the load.
        let first = self.tried(rough, self.requests)?;
        let second = self.tried((rough - first.off / slope).clamp(least, most), self.requests)?;
        let apart = (second.factor - first.factor).abs() > 1e-9 * most;
        let slope = if apart { first.slope_to(second) } else { slope };
        let factor = if slope < 0.0 { second.factor - second.off / slope } else { second.factor };
        (self.scaled)(factor.clamp(least, most))
    }

    fn unreachable(&self, clients: u64, reachable: f64) -> SimulationError {
        Invalid::new(format!(
            "{clients} client{} cannot bring the system to a load of {}: even without thinking \
             they reach only {reachable:.3}",
            if clients == 1 { "" } else { "s" },
            self.load
        ))
        .into()
    }

    fn tried(&self, factor: f64, requests: u64) -> Result<Trial, SimulationError> {
        Ok(Trial { factor, off: self.load_at(factor, requests)? - self.load })
    }

    /// A factor near the right one, and the slope of the load there: false position between one
    /// that is too small and one that is too large (the Illinois rule: Dowell and Jarratt, BIT 11,
    /// 1971).
    fn bracketed(&self, short: Trial, long: Trial) -> Result<(f64, f64), SimulationError> {
        let (mut short, mut long) = (short, long);
        // The values that the rule uses for the ends' distances from the given load.
        let (mut above, mut below) = (short.off, long.off);
        for _ in 0..STEPS_MAX {
            let share = above / (above - below);
            let found = self.tried(short.factor + share * (long.factor - short.factor), ROUGH)?;
            let side = if found.off > 0.0 { long } else { short };
            let slope = found.slope_to(side);
            if found.off.abs() < NEAR && slope < 0.0 {
                return Ok((found.factor, slope));
            }
            if found.off > 0.0 {
                (short, above, below) = (found, found.off, below / 2.0);
            } else {
                (long, below, above) = (found, found.off, above / 2.0);
            }
        }
        Err(Invalid::new(format!(
            "no think time or rate was found that brings the system to a load of {}: the load \
             changes too much from one simulation to the next",
            self.load
        ))
        .into())
    }

    /// The load that simulation finds at a factor. It comes from the throughput and the exact mean
    /// demand, and so is less noisy than the servers' measured busy time.
    fn load_at(&self, factor: f64, requests: u64) -> Result<f64, SimulationError> {
        let workload = (self.scaled)(factor)?;
        let limit = Limit { requests, until: Nanos::MAX, warmup: Nanos::ZERO };
        let mut nothing = ();
        let interval = Timeline::interval_for(Nanos::MAX);
        let progress = ProgressLimits::default();
        let (workload, model) = (&workload, self.system);
        let setup =
            Setup { workload, model, limit, progress, number: 0, interval, checkpoints: false };
        let mut driver = begin(&setup, &mut nothing);
        while driver.proceed(1 << 16) {
            if !(self.go_on)() {
                return Err(SimulationError::Interrupted);
            }
        }
        let done = driver.finish();
        if let Some(stuck) = &done.stuck {
            return Err(Invalid::new(stuck.to_string()).into());
        }
        if workload.only().is_some() {
            let demand = self.system.bottleneck_load(workload, &[1.0]);
            return Ok(done.collector.requests() as f64 / done.window.duration_s() * demand);
        }
        Ok(self.system.bottleneck_load(workload, &rates_of(workload, &done)))
    }
}

/// Requests a second of each population of a finished simulation.
fn rates_of(workload: &Workload, done: &Replication) -> Vec<f64> {
    let duration_s = done.window.duration_s();
    let by_kind = done.collector.responses();
    let requests = |one: &Population| by_kind[one.kinds.clone()].iter().map(Tally::count).sum();
    let number = workload.populations.iter().map(requests);
    number.map(|requests: u64| requests as f64 / duration_s).collect()
}

/// A factor that was tried.
#[derive(Clone, Copy, Debug)]
struct Trial {
    /// The factor.
    factor: f64,
    /// How far above the given load the system was.
    off: f64,
}

impl Trial {
    fn slope_to(self, other: Trial) -> f64 {
        (other.off - self.off) / (other.factor - self.factor)
    }
}
