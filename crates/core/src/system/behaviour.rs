//! Behaviours: the steps that a request goes through, checked.

use thinktime_file::error::{Invalid, unknown};
use thinktime_file::schema::Scalar;
use thinktime_file::system::{BehaviourTable, StepTable};
use thinktime_file::units::Dimension;

use super::demand::DemandLaw;
use super::finite_mean::finite_mean;
use super::ids::{EntranceId, NodeId};
use super::node::{Entrance, HoldKind};
use super::nodes::AnyNodeModel;
use super::read::ReadResult;
use crate::distribution::Distribution;
use crate::files::Files;

/// The steps of requests of a name, or of any name without a behaviour of its own if no name is
/// given.
#[derive(Clone, Debug)]
pub struct Behaviour {
    /// The request's name.
    pub request: Option<String>,
    /// Its steps, one after another.
    pub steps: Vec<Step>,
}

/// One step.
#[derive(Clone, Debug)]
pub enum Step {
    /// Be served at a station, or run in a service of a machine.
    Use {
        /// Its entrance.
        entrance: EntranceId,
        /// The demand, if the step has one of its own.
        demand: Option<DemandLaw>,
    },
    /// Wait for a time, beside any number of others; for a disk, or for a timer.
    Delay {
        /// The node of all delays.
        node: NodeId,
        /// The time.
        length: Distribution,
        /// Whether it is a disk's.
        disk: bool,
    },
    /// Be sent to one of a cluster's servers, and visit its stations.
    Enter(NodeId),
    /// Take a place of a pool, or wait for one.
    Acquire(NodeId),
    /// Give it back.
    Release(NodeId),
    /// Pass a limiter.
    Pass(NodeId),
    /// Go through several parts at once, and continue when all are done.
    Fork(Vec<Vec<Step>>),
    /// Go over a link to the server, with this number of bytes, if the step gives it.
    Send(NodeId, Option<u32>),
    /// Come back over it, with this number of bytes, or with the size of the response.
    Receive(NodeId, Option<u32>),
}

/// The names that behaviours refer to.
pub(super) struct Context<'a> {
    pub(super) nodes: &'a [AnyNodeModel],
    pub(super) entrances: &'a [Entrance],
    pub(super) files: &'a dyn Files,
}

impl Behaviour {
    pub(super) fn from_table(
        table: &BehaviourTable,
        context: &Context<'_>,
    ) -> ReadResult<Behaviour> {
        let steps = context.steps(&table.steps, "steps", &mut Vec::new())?;
        if let Some(entrance) = context.waits_for_itself(&steps) {
            let message = format!(
                "a request has a thread of `{0}` while its parallel parts want others of the same \
                 pool: if such requests have all threads, they wait for ever; let the parts use \
                 another service, or give `{0}` a thread for each request",
                entrance.name
            );
            return Err(("steps".to_owned(), Invalid::new(message)));
        }
        Ok(Behaviour { request: table.request.clone(), steps })
    }
}

impl Context<'_> {
    /// Checks steps; `held` are the pools of which a place is held, which must be the same at the
    /// end as at the beginning.
    fn steps(
        &self,
        tables: &[StepTable],
        path: &str,
        held: &mut Vec<NodeId>,
    ) -> ReadResult<Vec<Step>> {
        if tables.is_empty() {
            return Err((path.to_owned(), Invalid::new("needs at least one step")));
        }
        let before = held.clone();
        let mut steps = Vec::new();
        for (at, table) in tables.iter().enumerate() {
            steps.push(self.step(table, &format!("{path}.{at}"), held)?);
        }
        match held.iter().find(|pool| !before.contains(pool)) {
            None => Ok(steps),
            Some(pool) => {
                let name = self.name(*pool);
                let message = format!("`{name}` is acquired and never released");
                Err((path.to_owned(), Invalid::new(message)))
            }
        }
    }

    fn step(&self, table: &StepTable, path: &str, held: &mut Vec<NodeId>) -> ReadResult<Step> {
        let fail =
            |key: &str, message: String| Err((format!("{path}.{key}"), Invalid::new(message)));
        let kinds = table.kinds();
        let [kind] = kinds.as_slice() else {
            return fail(
                "",
                "is one of `use`, `delay`, `acquire`, `release`, `pass`, `fork`, `send` and \
                 `receive`"
                    .to_owned(),
            );
        };
        if table.demand.is_some() && *kind != "use" {
            return fail("demand", "goes with `use` only".to_owned());
        }
        if table.disk && *kind != "delay" {
            return fail("disk", "goes with `delay` only".to_owned());
        }
        if table.size.is_some() && !["send", "receive"].contains(kind) {
            return fail("size", "goes with `send` and `receive` only".to_owned());
        }
        if let Some(name) = &table.visits {
            return self.use_step(table, name, path);
        }
        if let Some(law) = &table.delay {
            let length = self.time(law, path, "delay")?;
            let delays = |one: &AnyNodeModel| matches!(one, AnyNodeModel::Delay(_));
            let node = self.find_node(delays).expect("there are delays, so there is their node");
            return Ok(Step::Delay { node, length, disk: table.disk });
        }
        if let Some(step) = self.pool_step(table, path, held)? {
            return Ok(step);
        }
        if let Some(step) = self.passing_step(table, path)? {
            return Ok(step);
        }
        self.fork(table.fork.as_deref().unwrap_or_default(), path, held)
    }

    /// The step that uses a station, a service or a cluster of this name.
    fn use_step(&self, table: &StepTable, name: &str, path: &str) -> ReadResult<Step> {
        let is_entered = |one: &AnyNodeModel| one.model().is_entered() && one.name() == name;
        if let Some(node) = self.find_node(is_entered) {
            let why = "does not go with a cluster: its stations have demands of their own";
            return match table.demand {
                None => Ok(Step::Enter(node)),
                Some(_) => Err((format!("{path}.demand"), Invalid::new(why))),
            };
        }
        let entrance = self.entrance(name).map_err(|error| (format!("{path}.use"), error))?;
        let node = self.entrances[entrance.0 as usize].node;
        if table.demand.is_some() && self.nodes[node.0 as usize].model().looks_at_tokens() {
            let why = "does not go with a server of tokens: its times follow from the tokens";
            return Err((format!("{path}.demand"), Invalid::new(why)));
        }
        let demand = table.demand.as_ref().map(|scalar| {
            DemandLaw::of_a_step(&scalar.text(), self.files)
                .map_err(|error| (format!("{path}.demand"), error))
        });
        Ok(Step::Use { entrance, demand: demand.transpose()? })
    }

    /// The entrance of this name, except those inside clusters.
    fn entrance(&self, name: &str) -> Result<EntranceId, Invalid> {
        let on_servers = |one: &AnyNodeModel| match one {
            AnyNodeModel::Cluster(cluster) => cluster.has_on_servers(name),
            _ => false,
        };
        if let Some(cluster) = self.nodes.iter().find(|one| on_servers(one)) {
            let cluster = cluster.name();
            return Err(Invalid::new(format!(
                "`{name}` is on each server of the cluster `{cluster}`: use = \"{cluster}\" sends \
                 a request to one of them"
            )));
        }
        let entered = |node: NodeId| self.nodes[node.0 as usize].model().is_entered();
        let open = self.entrances.iter().zip(0..).filter(|(entrance, _)| !entered(entrance.node));
        let open: Vec<(&str, u32)> =
            open.map(|(entrance, at)| (entrance.name.as_str(), at)).collect();
        let found = find("station", name, open.iter().map(|(name, _)| *name))?;
        Ok(EntranceId(open[found].1))
    }

    /// An entrance that keeps one of a limited number of places, if parts use it while the whole
    /// keeps one.
    fn waits_for_itself(&self, steps: &[Step]) -> Option<&Entrance> {
        let limited = |at: EntranceId| {
            let entrance = &self.entrances[at.0 as usize];
            let kept = self.nodes[entrance.node.0 as usize].model().kept(entrance.entry);
            (kept == HoldKind::Limited).then_some(entrance)
        };
        let uses = |step: &Step, at| matches!(step, Step::Use { entrance, .. } if *entrance == at);
        steps.iter().enumerate().find_map(|(at, step)| {
            let Step::Fork(parts) = step else { return None };
            let inner = parts.iter().flatten().find_map(|step| match step {
                Step::Use { entrance, .. } => {
                    let around = |all: &[Step]| all.iter().any(|step| uses(step, *entrance));
                    let held = around(&steps[..at]) && around(&steps[at + 1..]);
                    limited(*entrance).filter(|_| held)
                }
                _ => None,
            });
            inner.or_else(|| parts.iter().find_map(|part| self.waits_for_itself(part)))
        })
    }

    fn fork(&self, parts: &[Vec<StepTable>], path: &str, held: &[NodeId]) -> ReadResult<Step> {
        let key = format!("{path}.fork");
        if parts.len() < 2 {
            return Err((key, Invalid::new("needs at least two parts, each a list of steps")));
        }
        let part = |(at, steps): (usize, &Vec<StepTable>)| {
            let steps = self.steps(steps, &format!("{key}.{at}"), &mut held.to_vec())?;
            match releases_foreign(&steps) {
                None => Ok(steps),
                Some(pool) => Err((
                    key.clone(),
                    Invalid::new(format!(
                        "a part cannot release `{}`, which it did not acquire",
                        self.name(pool)
                    )),
                )),
            }
        };
        Ok(Step::Fork(parts.iter().enumerate().map(part).collect::<Result<_, _>>()?))
    }

    fn find_node(&self, so: impl Fn(&AnyNodeModel) -> bool) -> Option<NodeId> {
        self.nodes.iter().position(so).map(|at| NodeId(at as u32))
    }

    fn name(&self, node: NodeId) -> &str {
        self.nodes[node.0 as usize].name()
    }

    fn time(&self, scalar: &Scalar, path: &str, key: &str) -> ReadResult<Distribution> {
        Distribution::parse(&scalar.text(), self.files)
            .and_then(|law| law.expect(Dimension::Time))
            .and_then(finite_mean)
            .map_err(|error| (format!("{path}.{key}"), error))
    }
}

/// A pool that the steps release before they acquire it.
fn releases_foreign(steps: &[Step]) -> Option<NodeId> {
    let mut own = Vec::new();
    steps.iter().find_map(|step| match step {
        Step::Acquire(pool) => {
            own.push(*pool);
            None
        }
        Step::Release(pool) => (!own.contains(pool)).then_some(*pool),
        _ => None,
    })
}

pub(super) fn find<'a>(
    what: &str,
    name: &str,
    names: impl Iterator<Item = &'a str> + Clone,
) -> Result<usize, Invalid> {
    let found = names.clone().position(|other| other == name);
    found.ok_or_else(|| unknown(what, name, names))
}
