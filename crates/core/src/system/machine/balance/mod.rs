//! Dynamic balancing: figures 4 to 8 of MOSS as one attempt. The README of the folder above has the
//! rules.

mod load;

use thinktime_file::time::Nanos;

use super::features::{
    DemandDriven, Dynamic, Information, Location, MoveNumber, Selection, StateChange, Transfer,
};
use crate::random::{Purpose, StreamFamily};
use load::{Index, TASK};

/// The events that may start an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Occasion {
    /// A task was created and waits at a busy core.
    Fork,
    /// A task woke and waits at a busy core.
    Wake,
    /// A core has no task.
    Idle,
    /// A core has fewer tasks, but at least one.
    Less,
}

/// The giver, the taker and the number of tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) giver: usize,
    pub(super) taker: usize,
    pub(super) number: u64,
}

#[derive(Debug)]
pub(super) struct Balancer {
    transfer: Transfer,
    location: Location,
    pub(super) information: Information,
    pub(super) selection: Selection,
    indices: Vec<Index>,
    /// By giver, its last taker.
    memory: Vec<Option<usize>>,
    streams: StreamFamily,
    draws: u64,
}

impl Balancer {
    pub(super) fn new(features: &Dynamic, cores: usize, seed: u64) -> Balancer {
        Balancer {
            transfer: features.transfer,
            location: features.location,
            information: features.information.clone(),
            selection: features.selection.clone(),
            indices: vec![Index::new(features.load_index); cores],
            memory: vec![None; cores],
            streams: StreamFamily::new(seed, Purpose::Balancing),
            draws: 0,
        }
    }

    #[inline]
    pub(super) fn changes(&mut self, core: usize, now: Nanos, before: u64, after: u64) {
        self.indices[core].changes(now, before, after);
    }

    /// Whether this event at a core with this number of tasks starts an attempt.
    pub(super) fn wants(
        &mut self,
        occasion: Occasion,
        core: usize,
        now: Nanos,
        number: u64,
    ) -> bool {
        let listed = |change| self.information.state_change_driven.contains(&change);
        let asked = match occasion {
            Occasion::Fork => listed(StateChange::OnFork),
            Occasion::Wake => listed(StateChange::OnWake),
            Occasion::Idle => listed(StateChange::OnIdle),
            Occasion::Less => false,
        };
        if asked {
            return true;
        }
        let Some(who) = self.information.demand_driven else { return false };
        let rises = matches!(occasion, Occasion::Fork | Occasion::Wake);
        let initiates = match who {
            DemandDriven::SenderInitiated => rises,
            DemandDriven::ReceiverInitiated => !rises,
            DemandDriven::SymmetricallyInitiated => true,
        };
        let (_, load) = self.indices[core].loads(now, number);
        initiates
            && match self.transfer {
                // An idle core starts one whatever its aged load: it has nothing to lose.
                Transfer::Threshold { lower_bound, .. } if occasion == Occasion::Less => {
                    load < TASK * u64::from(lower_bound)
                }
                Transfer::Threshold { .. } | Transfer::Relative { .. } => true,
            }
    }

    /// Finds a giver and a taker among cores of these numbers of tasks.
    pub(super) fn couple(&mut self, now: Nanos, number_of: impl Fn(usize) -> u64) -> Option<Pair> {
        let cores = 0..self.indices.len();
        let loads: Vec<(u64, u64)> =
            cores.map(|core| self.indices[core].loads(now, number_of(core))).collect();
        let (bound_below, bound_above) = match self.transfer {
            Transfer::Threshold { lower_bound, upper_bound } => {
                (TASK * u64::from(lower_bound), TASK * u64::from(upper_bound))
            }
            Transfer::Relative { .. } => (u64::MAX, 0),
        };
        let givers = loads.iter().enumerate().filter(|(_, load)| load.0 > bound_above);
        let giver = givers.rev().max_by_key(|(_, load)| load.0)?.0;
        let from = loads[giver].0;
        let takes = |core: &usize| {
            let load = loads[*core].1;
            *core != giver
                && match self.transfer {
                    Transfer::Threshold { .. } => load < bound_below,
                    Transfer::Relative { difference } => {
                        from >= load + TASK * u64::from(difference)
                    }
                }
        };
        let takers: Vec<usize> = (0..loads.len()).filter(takes).collect();
        let taker = self.locate(giver, &takers, &loads)?;
        let number = match self.selection.number {
            MoveNumber::Count(number) => number.into(),
            MoveNumber::Named(_) => from.saturating_sub(loads[taker].1) / (2 * TASK),
        };
        Some(Pair { giver, taker, number })
    }

    fn locate(&mut self, giver: usize, takers: &[usize], loads: &[(u64, u64)]) -> Option<usize> {
        let least = takers.iter().min_by_key(|core| loads[**core].1).copied()?;
        Some(match self.location {
            Location::Broadcast => least,
            Location::NearestNeighbour => *takers.iter().min_by_key(|core| core.abs_diff(giver))?,
            Location::Memory => {
                self.memory[giver].filter(|core| takers.contains(core)).unwrap_or(least)
            }
            Location::Random => {
                self.draws += 1;
                let uniform = self.streams.substream(self.draws, 0).uniform();
                takers[(uniform * takers.len() as f64) as usize]
            }
        })
    }

    /// Tasks were moved.
    pub(super) fn remember(&mut self, pair: Pair) {
        self.memory[pair.giver] = Some(pair.taker);
    }
}
