//! The plan of a burning server.

use std::io;
use std::sync::Arc;

use thinktime_core::error::Invalid;
use thinktime_core::system;
use thinktime_core::system::machine::{self, Limit, MachineModel};
use thinktime_core::system::{Overload, StationModel, StationTable, SystemModel};

use super::control_group::ControlGroup;
use super::cores;
use crate::server::demands::Kinds;

/// The most concurrent threads of a burning server.
pub const THREADS_MAX: u32 = 10_000;

/// The threads that serve requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// A new one for each request; beyond [`THREADS_MAX`] at a time requests are refused.
    PerRequest,
    /// A fixed number that wait for requests, each of which serves one to its end before the next.
    Pool(u32),
}

/// A step of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BurnStep {
    /// Use CPU time.
    Burn,
    /// Sleep: the thread stays with the request.
    Sleep,
}

/// The plan of a burning server: which threads, on which cores, do what for each kind of request.
#[derive(Debug)]
pub struct BurnPlan {
    threads: Threads,
    threads_max: u32,
    /// The cores of the threads; empty for no confinement.
    cores: Vec<usize>,
    pub(super) kinds: Kinds,
    /// By kind: the steps, one for each of its demands, in their order.
    pub(super) steps: Vec<Vec<BurnStep>>,
    pub(super) seed: u64,
    /// Whether successes report their CPU demand.
    pub(super) server_timing: bool,
    limit: Option<Limit>,
}

impl BurnPlan {
    /// A plan for a system of one machine, or of one station that stands for it. By default,
    /// `threads` are those of the file: the machine's, or those that the station's policy suggests,
    /// a pool of its servers under `fcfs`, one a request under `ps`. `cores` confine the server's
    /// threads; if empty, the machine's number of cores, the first available, and with a station
    /// all. `seed` is that of the demands which the server draws. The machine's CPU limit is the
    /// plan's.
    ///
    /// # Errors
    /// If the system has parts that only a model can have, or the cores or the number of threads is
    /// wrong.
    pub fn new(
        system: &SystemModel,
        threads: Option<Threads>,
        cores: &[usize],
        seed: u64,
    ) -> Result<BurnPlan, Invalid> {
        check_parts(system)?;
        let stations: Vec<&StationModel> = system.stations().collect();
        let machines: Vec<&MachineModel> = system.machines().collect();
        let own = threads_of_file(system, &stations, &machines);
        let threads = threads.or(own?).ok_or_else(|| {
            Invalid::new(
                "the kernel schedules requests that burn, so the station's policy can only be \
                 `fcfs`, for a pool of as many threads as there are servers, or `ps`, for a thread \
                 a request",
            )
        })?;
        check_size(threads)?;
        let cores = match (cores, machines.first()) {
            ([], Some(machine)) => cores::first(machine.cores)?,
            (cores, _) => cores::checked(cores)?,
        };
        let kinds = Kinds::new(system, None);
        if kinds.needs_size().is_some() {
            return Err(Invalid::new(
                "a server that burns knows no sizes of responses: give the demand without `size`",
            ));
        }
        let steps = kinds.names().into_iter().map(|kind| steps_of(system, kind));
        let steps = steps.collect::<Result<_, _>>()?;
        let (threads_max, server_timing) = (THREADS_MAX, false);
        let limit = machines.first().and_then(|machine| machine.services.first()?.limit);
        Ok(BurnPlan { threads, threads_max, cores, kinds, steps, seed, server_timing, limit })
    }

    /// The threads that serve requests.
    #[must_use]
    pub fn threads(&self) -> Threads {
        self.threads
    }

    /// The same with a lower limit of concurrent threads, beyond which [`Threads::PerRequest`]
    /// refuses.
    #[must_use]
    pub fn with_threads_max(self, threads_max: u32) -> BurnPlan {
        BurnPlan { threads_max: threads_max.min(THREADS_MAX), ..self }
    }

    /// The same; if `told`, each success reports its CPU demand, in a header such as
    /// `Server-Timing: demand;dur=12.5`.
    #[must_use]
    pub fn with_server_timing(self, told: bool) -> BurnPlan {
        BurnPlan { server_timing: told, ..self }
    }

    /// The same with a CPU limit in cores, as in `700m`, in periods of 100 ms.
    ///
    /// # Errors
    /// If that is no number of cores, or less than 1 ms in a period.
    pub fn with_cpu_limit(self, cores: &str) -> Result<BurnPlan, Invalid> {
        Ok(BurnPlan { limit: Some(Limit::of_cores(cores)?), ..self })
    }

    /// Makes the control group of the plan's CPU limit; nothing if it has none.
    ///
    /// # Errors
    /// If this process may not make one.
    pub fn control_group(&self) -> io::Result<Option<Arc<ControlGroup>>> {
        self.limit.map(|limit| ControlGroup::new(limit).map(Arc::new)).transpose()
    }

    pub(super) fn threads_max(&self) -> u32 {
        self.threads_max
    }

    /// Confines the calling thread, and those that it starts, to the plan's cores.
    pub(super) fn confine(&self) -> io::Result<()> {
        cores::confine(&self.cores)
    }
}

fn check_size(threads: Threads) -> Result<(), Invalid> {
    match threads {
        Threads::Pool(size) if !(1..=THREADS_MAX).contains(&size) => Err(Invalid::new(format!(
            "a pool that burns has 1 to {THREADS_MAX} threads, not {size}"
        ))),
        Threads::Pool(_) | Threads::PerRequest => Ok(()),
    }
}

/// Refuses what only a model can have.
fn check_parts(system: &SystemModel) -> Result<(), Invalid> {
    if let Some(server) = system.token_servers().next() {
        return Err(Invalid::new(format!(
            "`{}` is a server of tokens, whose steps use no CPU time: leave out burn",
            server.name
        )));
    }
    if let Some((_, link)) = system.links().next() {
        return Err(Invalid::new(format!(
            "requests that burn come over real links: leave out `{}`, or make it in a lab \
             (thinktime lab)",
            link.name
        )));
    }
    if let Some(limiter) = system.file.limiter.first() {
        return Err(Invalid::new(format!(
            "requests that burn pass no limiter: leave out `{}`",
            limiter.name
        )));
    }
    Ok(())
}

/// The threads of the one machine; refuses settings that a real one cannot have.
fn threads_of_machine(
    system: &SystemModel,
    machine: &MachineModel,
) -> Result<Option<Threads>, Invalid> {
    let refused = |what: &str| {
        Err(Invalid::new(format!("requests that burn are served by the kernel: leave out {what}")))
    };
    let ([service], Some(table)) = (machine.services.as_slice(), system.file.machine.first())
    else {
        return refused("[[service]] tables, and give the machine their demand and threads");
    };
    if table.queue_limit.is_some() {
        return refused("`queue_limit`");
    }
    if table.priority.is_some() {
        return refused("`priority`, and begin the server with `nice`");
    }
    match service.threads {
        machine::Threads::PerRequest => Ok(Some(Threads::PerRequest)),
        machine::Threads::Pool(size) => Ok(Some(Threads::Pool(size))),
        machine::Threads::EventLoops(_) => {
            refused("\"event-loop\" of `threads`, and say \"per-request\" or the size of a pool")
        }
    }
}

/// The threads that the policy of the one station suggests, if any.
fn threads_of_station(
    system: &SystemModel,
    station: &StationModel,
) -> Result<Option<Threads>, Invalid> {
    if station.overload != Overload::NONE {
        return Err(Invalid::new(format!(
            "the kernel keeps the queue when requests burn: leave out queue_limit, queue_timeout \
             and newest_first_above of `{}`",
            station.name
        )));
    }
    if !station.is_steady() {
        return Err(Invalid::new(format!(
            "the kernel serves requests that burn one by one, and all the time: leave out batch, \
             rate, failure, setup and scale of `{}`",
            station.name
        )));
    }
    let policy = system.file.station.first().and_then(|table| table.policy.as_deref());
    Ok(match policy.unwrap_or(StationTable::POLICY) {
        "fcfs" => Some(Threads::Pool(station.servers)),
        "ps" => Some(Threads::PerRequest),
        _ => None,
    })
}

/// The threads of the file; `None` if a station's policy suggests none.
fn threads_of_file(
    system: &SystemModel,
    stations: &[&StationModel],
    machines: &[&MachineModel],
) -> Result<Option<Threads>, Invalid> {
    match (stations, machines, system.clusters().next()) {
        ([], [machine], None) => threads_of_machine(system, machine),
        ([station], [], None) => threads_of_station(system, station),
        (_, _, Some(cluster)) => Err(Invalid::new(format!(
            "a system that burns is one machine; `{}` has the cluster `{}`",
            system.name, cluster.name
        ))),
        (stations, machines, None) => Err(Invalid::new(format!(
            "a system that burns is one machine; `{}` has {} machines and {} stations",
            system.name,
            machines.len(),
            stations.len()
        ))),
    }
}

/// The work of requests of this kind, a step for each of their demands.
fn steps_of(system: &SystemModel, kind: &str) -> Result<Vec<BurnStep>, Invalid> {
    let Some(behaviour) = system.behaviour_of(kind) else { return Ok(vec![BurnStep::Burn]) };
    let step = |step: &system::Step| match step {
        system::Step::Use { .. } => Ok(BurnStep::Burn),
        system::Step::Delay { .. } => Ok(BurnStep::Sleep),
        system::Step::Enter(_)
        | system::Step::Acquire(_)
        | system::Step::Release(_)
        | system::Step::Pass(_)
        | system::Step::Send(..)
        | system::Step::Receive(..)
        | system::Step::Fork(_) => Err(Invalid::new(
            "requests that burn can `use` a station or a machine and `delay`, not `acquire`, \
             `release`, `pass`, `fork`, `send` or `receive`",
        )),
    };
    behaviour.steps.iter().map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use thinktime_core::files::NoFiles;
    use thinktime_core::schema::Source;

    fn plan(text: &str) -> Result<BurnPlan, Invalid> {
        let text = format!("name = 's'\n[[station]]\nname = 'a'\n{text}");
        let system = SystemModel::parse(Source { file: "", text: &text }, &NoFiles).unwrap();
        BurnPlan::new(&system, None, &[], 1)
    }

    #[test]
    fn threads_are_those_that_the_policy_suggests() {
        let threads = |text| plan(text).unwrap().threads();
        assert_eq!(threads("demand = '1ms'\nservers = 7"), Threads::Pool(7));
        assert_eq!(threads("demand = '1ms'\npolicy = 'ps'"), Threads::PerRequest);
    }

    fn on_machine(text: &str) -> Result<BurnPlan, Invalid> {
        let text = format!("name = 's'\n[[machine]]\nname = 'm'\nos = 'linux-eevdf'\n{text}");
        let system = SystemModel::parse(Source { file: "", text: &text }, &NoFiles).unwrap();
        BurnPlan::new(&system, None, &[], 1)
    }

    #[test]
    fn a_machine_says_its_threads_and_how_many_cores() {
        let plan = on_machine("demand = '1ms'").unwrap();
        assert_eq!((plan.threads(), plan.cores.len()), (Threads::PerRequest, 1));
        let plan = on_machine("demand = '1ms'\nthreads = 5").unwrap();
        assert_eq!((plan.threads(), plan.steps), (Threads::Pool(5), vec![vec![BurnStep::Burn]]));
        for (text, part) in [
            ("demand = '1ms'\nthreads = 'event-loop'", "say \"per-request\""),
            ("demand = '1ms'\nqueue_limit = 5", "leave out `queue_limit`"),
            ("demand = '1ms'\ncores = 128", "has 128 cores, and this process may use"),
            (
                "[[service]]\nname = 'a'\nmachine = 'm'\ndemand = '1ms'",
                "leave out [[service]] tables",
            ),
        ] {
            let message = on_machine(text).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn what_only_a_model_does_is_refused() {
        for (text, part) in [
            ("demand = '1ms'\npolicy = 'srpt'", "can only be `fcfs`"),
            ("demand = '1ms'\nqueue_limit = 3", "leave out queue_limit"),
            ("demand = '1ms'\nservers = 10001", "1 to 10000 threads, not 10001"),
            ("demand = '1ms'\n[[link]]\nname = 'wan'", "leave out `wan`"),
            (
                "demand = '1ms'\n[[station]]\nname = 'b'\ndemand = '1ms'",
                "has 0 machines and 2 stations",
            ),
            (
                "demand = '1ms'\n[[behaviour]]\nsteps = [{ fork = [[{ use = 'a' }], \
                 [{ delay = '1ms' }]] }]",
                "not `acquire`, `release`, `pass`, `fork`, `send` or `receive`",
            ),
        ] {
            let message = plan(text).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn uses_burn_and_delays_sleep() {
        let steps = "steps = [{ use = 'a' }, { delay = '1ms' }, { use = 'a', demand = '2ms' }]";
        let plan = plan(&format!("demand = '1ms'\n[[behaviour]]\nrequest = 'x'\n{steps}")).unwrap();
        assert_eq!(plan.steps, [[BurnStep::Burn, BurnStep::Sleep, BurnStep::Burn]]);
    }
}
