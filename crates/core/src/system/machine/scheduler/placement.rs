//! Static balancing: the core of a new or woken task. Figure 2a of MOSS.

use super::super::core::Core;
use super::super::features::{Static, StaticPolicy, Woken};
use super::super::task::{NO_TASK, Task};
use crate::random::{Purpose, StreamFamily};

#[derive(Debug)]
pub(super) struct Placement {
    policy: StaticPolicy,
    woken: Woken,
    /// By core, the probability of it or one before it.
    probabilities: Vec<f64>,
    streams: StreamFamily,
    following: u32,
}

impl Placement {
    pub(super) fn new(features: &Static, cores: usize, seed: u64) -> Placement {
        let equal = || vec![1.0 / cores as f64; cores];
        let mut sum = 0.0;
        let up_to = |share: f64| {
            sum += share;
            sum
        };
        Placement {
            policy: features.policy,
            woken: features.woken,
            probabilities: features
                .probabilities
                .clone()
                .unwrap_or_else(equal)
                .into_iter()
                .map(up_to)
                .collect(),
            streams: StreamFamily::new(seed, Purpose::Balancing),
            following: 0,
        }
    }

    /// The core of a new task, whose creator is on the core `parent`.
    pub(super) fn of_new(&mut self, task: &Task, parent: Option<u32>, cores: &[Core]) -> u32 {
        let wanted = match self.policy {
            StaticPolicy::CyclicSplitting => self.following,
            StaticPolicy::SameAsParent => parent.unwrap_or(0),
            StaticPolicy::Random => {
                let uniform = self.streams.stream(task.serial).uniform();
                self.probabilities.iter().position(|up_to| uniform < *up_to).unwrap_or(0) as u32
            }
            StaticPolicy::LeastLoaded => {
                let allowed = (0..cores.len() as u32).filter(|core| task.may_run_on(*core));
                allowed.min_by_key(|core| cores[*core as usize].number).unwrap_or(0)
            }
        };
        let core = nearest_allowed(task, wanted, cores.len() as u32);
        self.following = (core + 1) % cores.len() as u32;
        core
    }

    /// The core of a task that wakes.
    pub(super) fn of_woken(&self, task: &Task, cores: &[Core]) -> u32 {
        // A task that still pays never left its queue.
        if task.paying {
            return task.core;
        }
        match self.woken {
            Woken::LastCore => task.core,
            Woken::FirstCore => task.first_core,
            Woken::IdleCore if cores[task.core as usize].is_idle() => task.core,
            Woken::IdleCore => {
                let idle = |core: &u32| cores[*core as usize].is_idle() && task.may_run_on(*core);
                (0..cores.len() as u32).find(idle).unwrap_or(task.core)
            }
        }
    }
}

/// The core, or else the next one that the task may run on.
fn nearest_allowed(task: &Task, wanted: u32, cores: u32) -> u32 {
    let mut following = (0..cores).map(|step| (wanted + step) % cores);
    following.find(|core| task.may_run_on(*core)).unwrap_or(wanted)
}

/// The core of the creator of a new task, if that is on the machine.
pub(super) fn core_of_creator(task: &Task, core_of: impl Fn(u32) -> u32) -> Option<u32> {
    (task.origin.creator != NO_TASK).then(|| core_of(task.origin.creator))
}
