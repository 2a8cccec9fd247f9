//! LARD: locality-aware request distribution.

use std::sync::Arc;

use thinktime_file::error::Invalid;
use thinktime_file::units::Dimension;

use super::costs::{Costs, NEVER};
use super::target_memory::TargetMemory;
use super::{Dispatcher, Entry, PolicyInput, Request, View};
use crate::notation::Arguments;

pub(super) const ENTRY: Entry = Entry {
    usage: "lard(low=25, high=65)",
    example: "lard(low=25, high=65)",
    summary: "the server that had the target before; the one with the fewest requests if the \
              target is new, or if that server has too many while another has few",
    source: "V. Pai et al., Locality-aware request distribution in cluster-based network servers, \
             ASPLOS-VIII, 1998",
    needs: &[PolicyInput::Targets],
    parse: |call| {
        let mut arguments = ENTRY.arguments(call, &["low", "high"])?;
        let limits = Limits::take(&mut arguments)?;
        arguments.finish()?;
        Ok(Arc::new(move |setting| {
            let loads = Loads::new(setting.weights.len(), limits);
            Ok(Box::new(Lard { loads, server: TargetMemory::new() }))
        }))
    },
};

/// The numbers of requests in progress that are too few and too many for a server.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Limits {
    /// Takes `low` and `high`.
    pub(super) fn take(arguments: &mut Arguments<'_>) -> Result<Limits, Invalid> {
        let mut number = |name, otherwise| arguments.number_or(name, Dimension::Number, otherwise);
        let limits = Limits { low: number("low", 25.0)?, high: number("high", 65.0)? };
        if limits.low >= 1.0 && limits.low < limits.high && limits.high.is_finite() {
            return Ok(limits);
        }
        Err(arguments.error("needs `low` of at least 1 and `high` above it"))
    }
}

/// The requests of servers, and the server with the fewest.
#[derive(Debug)]
pub(super) struct Loads {
    costs: Costs,
    limits: Limits,
}

impl Loads {
    pub(super) fn new(servers: usize, limits: Limits) -> Loads {
        Loads { costs: Costs::new(servers), limits }
    }

    pub(super) fn changed(&mut self, server: usize, view: &View<'_>) {
        let one = view.servers.all()[server];
        self.costs.set(server, if one.open { f64::from(one.in_progress) } else { NEVER });
    }

    pub(super) fn least_loaded(&self, view: &mut View<'_>) -> Option<usize> {
        self.costs.cheapest(view.random)
    }

    /// Whether a server is so busy that its targets should go elsewhere.
    pub(super) fn too_much(&self, server: usize, view: &View<'_>) -> bool {
        let load = f64::from(view.servers.all()[server].in_progress);
        let Limits { low, high } = self.limits;
        (load > high && self.costs.least() < low) || load >= 2.0 * high
    }
}

#[derive(Debug)]
struct Lard {
    loads: Loads,
    /// The server of each requested target.
    server: TargetMemory<Option<u32>>,
}

impl Dispatcher for Lard {
    fn choose(&mut self, request: &Request, view: &mut View<'_>) -> Option<usize> {
        let remembered = self.server.of_target(request.target);
        let own = remembered.map(|server| server as usize);
        let stays = |at: &usize| view.servers.all()[*at].open && !self.loads.too_much(*at, view);
        if let Some(own) = own.filter(stays) {
            return Some(own);
        }
        let chosen = self.loads.least_loaded(view)?;
        *remembered = Some(chosen as u32);
        Some(chosen)
    }

    fn changed(&mut self, server: usize, view: &mut View<'_>) {
        self.loads.changed(server, view);
    }
}
