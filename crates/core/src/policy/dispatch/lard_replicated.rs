//! LARD with replication.

use std::sync::Arc;

use thinktime_file::time::Nanos;
use thinktime_file::units::Dimension;

use super::lard::{Limits, Loads};
use super::servers::cheapest;
use super::target_memory::TargetMemory;
use super::{Dispatcher, Entry, PolicyInput, Request, View};

pub(super) const ENTRY: Entry = Entry {
    usage: "lard-r(low=25, high=65, keep=20s)",
    example: "lard-r(low=25, high=65, keep=20s)",
    summary: "as `lard`, but a popular target has several servers, one fewer whenever they have \
              stayed the same for `keep`; requests beyond a limit of all in progress wait",
    source: "V. Pai et al., Locality-aware request distribution in cluster-based network servers, \
             ASPLOS-VIII, 1998",
    needs: &[PolicyInput::Targets],
    parse: |call| {
        let mut arguments = ENTRY.arguments(call, &["low", "high", "keep"])?;
        let limits = Limits::take(&mut arguments)?;
        let keep = arguments.number_or("keep", Dimension::Time, 20.0)?;
        if !(keep > 0.0 && keep.is_finite()) {
            return Err(arguments.error("needs a positive time for `keep`"));
        }
        arguments.finish()?;
        Ok(Arc::new(move |setting| {
            Ok(Box::new(LardReplicated {
                loads: Loads::new(setting.weights.len(), limits),
                limits,
                keep: Nanos::from_secs_f64(keep),
                targets: TargetMemory::new(),
            }))
        }))
    },
};

#[derive(Debug)]
struct LardReplicated {
    loads: Loads,
    limits: Limits,
    keep: Nanos,
    targets: TargetMemory<Replicas>,
}

/// The servers of a target.
#[derive(Debug, Default)]
struct Replicas {
    servers: Vec<usize>,
    changed: Nanos,
}

impl LardReplicated {
    /// The number of requests in progress at which it is impossible that all servers but one have
    /// too many while none has few.
    fn is_full(&self, view: &View<'_>) -> bool {
        let Limits { low, high } = self.limits;
        let limit = (view.servers.open().len() as f64 - 1.0) * high + low - 1.0;
        view.servers.in_progress() as f64 >= limit.max(1.0)
    }
}

impl Dispatcher for LardReplicated {
    fn choose(&mut self, request: &Request, view: &mut View<'_>) -> Option<usize> {
        if self.is_full(view) {
            return None;
        }
        let all = view.servers.all();
        let load = |at: usize| i64::from(all[at].in_progress);
        let replicas = self.targets.of_target(request.target);
        let known = replicas.servers.len();
        replicas.servers.retain(|at| all[*at].open);
        let mut changed = replicas.servers.len() != known;
        // The server to be dropped is chosen before another may join, as in the paper.
        let most = cheapest(&replicas.servers, view.random, |at| -load(at));
        let mut chosen = cheapest(&replicas.servers, view.random, load);
        if chosen.is_none_or(|at| self.loads.too_much(at, view)) {
            let least = self.loads.least_loaded(view)?;
            if !replicas.servers.contains(&least) {
                replicas.servers.push(least);
                changed = true;
            }
            chosen = Some(least);
        }
        let is_old = view.now.since(replicas.changed) > self.keep;
        if replicas.servers.len() > 1 && is_old && most.is_some() {
            replicas.servers.retain(|at| Some(*at) != most);
            changed = true;
        }
        if changed {
            replicas.changed = view.now;
        }
        chosen
    }

    fn changed(&mut self, server: usize, view: &mut View<'_>) {
        self.loads.changed(server, view);
    }
}
