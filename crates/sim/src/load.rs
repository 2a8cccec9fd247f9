//! Holding the load fixed: the rate or the think time that brings a system to a wanted load.

use thinktime_core::client::Limit;
use thinktime_core::error::Invalid;
use thinktime_core::files::Files;
use thinktime_core::record::Timeline;
use thinktime_core::system::SystemModel;
use thinktime_core::time::Nanos;
use thinktime_core::workload::{Sessions, Workload};

use crate::driver::Driver;
use crate::plan::SimulationError;

/// The load that the workload offers to the busiest station, where it does not depend on the
/// system: none for a closed model.
#[must_use]
pub fn offered_load(workload: &Workload, system: &SystemModel) -> Option<f64> {
    Some(workload.request_rate()? * system.bottleneck_demand(workload))
}

/// As [`offered_load`], of the stations that let everybody wait for as long as it takes: the
/// others lose what is too much.
pub(crate) fn unlimited_load(workload: &Workload, system: &SystemModel) -> Option<f64> {
    let rate = workload.request_rate()?;
    let stations = system.mean_demands(workload).into_iter().zip(&system.stations);
    let unlimited = stations.filter(|(_, at)| {
        at.overload.queue_limit == u64::MAX && at.overload.queue_timeout.is_never()
    });
    Some(unlimited.map(|(demand, at)| rate * demand / f64::from(at.servers)).fold(0.0, f64::max))
}

/// Refuses an overload that nothing would end.
pub(crate) fn check_load(
    workload: &Workload,
    system: &SystemModel,
    limit: &Limit,
) -> Result<(), Invalid> {
    match unlimited_load(workload, system) {
        Some(load) if load >= 1.0 && limit.until.is_never() => Err(Invalid::new(format!(
            "the offered load is {load:.3}: at 1 and more the queue grows without bound and there \
             is no steady state; lower the rate, or give a duration to watch it grow"
        ))),
        _ => Ok(()),
    }
}

/// The workload at a load: the rate of an open or partly-open model is set, the think time of a
/// closed one is stretched until simulations of the system, all with the same random numbers,
/// reach the load.
///
/// `go_on` is asked now and then, and ends the search by saying `false`.
///
/// # Errors
/// When the load is not between 0 and 1, cannot be reached, or the search was ended.
pub fn at_load(
    workload: &Workload,
    system: &SystemModel,
    load: f64,
    files: &dyn Files,
    go_on: &dyn Fn() -> bool,
) -> Result<Workload, SimulationError> {
    system.check_requests(workload)?;
    if !(load > 0.0 && load < 1.0) {
        return Err(Invalid::new(format!("a load lies between 0 and 1, not at {load}")).into());
    }
    let demand = system.bottleneck_demand(workload);
    if demand <= 0.0 {
        return Err(
            Invalid::new("the system has no service demand, so its load is always 0").into()
        );
    }
    match &workload.sessions {
        Sessions::Closed { clients, think } => {
            let goal = Goal { workload, system, load, clients: *clients, demand, go_on };
            goal.solve(think.mean())
        }
        Sessions::Open { arrivals } | Sessions::PartlyOpen { arrivals, .. } => {
            // The profile's long-run factor stays: the load is that of the long run.
            let factor = arrivals.mean_factor();
            if factor <= 0.0 {
                return Err(Invalid::new("arrivals end, so there is no long-run load").into());
            }
            let rate = load / demand / workload.requests_per_session() / factor;
            Ok(workload.with_rate(rate, files)?)
        }
    }
}

/// The search for a closed system's think time.
struct Goal<'a> {
    workload: &'a Workload,
    system: &'a SystemModel,
    load: f64,
    clients: u64,
    /// The busiest station's service demand divided by its servers.
    demand: f64,
    go_on: &'a dyn Fn() -> bool,
}

/// (requests simulated, how often): a rough search, then steps that make it fine. A step's error is
/// that of the mean response time in one simulation.
const STAGES: [(u64, u32); 2] = [(200_000, 6), (2_000_000, 2)];

impl Goal<'_> {
    fn solve(&self, think_s: f64) -> Result<Workload, SimulationError> {
        if !(think_s > 0.0 && think_s.is_finite()) {
            return Err(Invalid::new(
                "to reach a load, a closed workload needs a think time with a positive, finite \
                 mean, whose shape is kept: as in think = \"exp(1s)\"",
            )
            .into());
        }
        // X = N / (Z + R) and load = X D: the think time is at most N D / load, where R = 0.
        let most = self.clients as f64 * self.demand / self.load / think_s;
        let reachable = self.load_at(1e-6 * most, STAGES[0].0)?;
        if reachable < self.load {
            return Err(Invalid::new(format!(
                "{} clients cannot bring the system to a load of {}: even without thinking they \
                 reach only {reachable:.3}",
                self.clients, self.load
            ))
            .into());
        }
        let mut factor = most / 2.0;
        for (requests, times) in STAGES {
            for _ in 0..times {
                factor = self.better(factor, requests)?.clamp(1e-6 * most, most);
            }
        }
        Ok(self.workload.with_think_scaled(factor)?)
    }

    /// A better factor by the interactive response-time law: what a simulation finds with think
    /// time Z gives R = N D / load(Z) - Z; with this R the wanted load needs
    /// Z' = N D / load - R, which is exact where R does not depend on Z.
    fn better(&self, factor: f64, requests: u64) -> Result<f64, SimulationError> {
        let found = self.load_at(factor, requests)?;
        let scale = self.clients as f64 * self.demand / self.mean_think_s();
        Ok(factor + scale / self.load - scale / found)
    }

    fn mean_think_s(&self) -> f64 {
        self.workload.mean_think_s()
    }

    /// The load that simulation finds with think times `factor` times as long. It is computed
    /// from the throughput and the exact mean demand: less noisy than the time that servers were
    /// seen busy.
    fn load_at(&self, factor: f64, requests: u64) -> Result<f64, SimulationError> {
        let workload = self.workload.with_think_scaled(factor)?;
        let limit = Limit { requests, until: Nanos::MAX, warmup: Nanos::ZERO };
        let mut nothing = ();
        let interval = Timeline::interval_for(Nanos::MAX);
        let mut driver = Driver::new(&workload, self.system, limit, 0, &mut nothing, interval);
        while driver.proceed(1 << 16) {
            if !(self.go_on)() {
                return Err(SimulationError::Interrupted);
            }
        }
        let done = driver.finish();
        Ok(done.collector.requests() as f64 / done.window.duration_s() * self.demand)
    }
}
