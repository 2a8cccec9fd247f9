//! The list of the kinds of node.

use thinktime_file::schema::SchemaError;
use thinktime_file::time::Nanos;

use super::agenda::Agenda;
use super::cluster::{Cluster, ClusterModel, Condition};
use super::delay::{Delay, DelayModel};
use super::ids::{EntranceId, NodeId};
use super::jobs::{Handle, Holding, Jobs};
use super::limiter::{Limiter, LimiterModel};
use super::link::{Link, LinkModel};
use super::machine::{MachineModel, MachineNode, Schedule};
use super::node::{Answer, Build, Building, Detail, Node, NodeModel, NodeSummary, Visit};
use super::pool::{Pool, PoolModel};
use super::read::Reading;
use super::station::{Station, StationModel};
use super::token_server::{TokenServer, TokenServerModel};

// Nodes are a closed list, and not pointers to a trait, so that a station's code is inlined where
// the system calls it.
macro_rules! kinds {
    ($($(#[$what:meta])* $kind:ident($model:ty, $node:ty),)+) => {
        /// A system file's node, checked.
        #[derive(Clone, Debug)]
        #[allow(clippy::large_enum_variant, reason = "there are few, and they are not moved")]
        pub enum AnyNodeModel {
            $($(#[$what])* $kind($model),)+
        }

        impl AnyNodeModel {
            /// All nodes of a file, by kind in the order of the list.
            pub(super) fn read_all(reading: &Reading<'_>) -> Result<Vec<Self>, SchemaError> {
                let mut all = Vec::new();
                $(all.extend(<$model>::read(reading)?.into_iter().map(Self::$kind));)+
                Ok(all)
            }

            pub(super) fn model(&self) -> &dyn NodeModel {
                match self {
                    $(Self::$kind(model) => model,)+
                }
            }

            fn build(&self, id: NodeId, building: &Building<'_>) -> AnyNode {
                match self {
                    // Some are in a box.
                    $(Self::$kind(model) => AnyNode::$kind(model.build(id, building).into()),)+
                }
            }
        }

        /// A node in motion.
        #[derive(Debug)]
        #[allow(clippy::large_enum_variant, reason = "most nodes are stations, the largest")]
        pub(super) enum AnyNode {
            $($kind($node),)+
        }

        /// Does the same with a node of any kind.
        macro_rules! each {
            ($any:expr, $one:ident => $does:expr) => {
                match $any {
                    $(AnyNode::$kind($one) => $does,)+
                }
            };
        }
    };
}

// Of events at the same time, those of the first kind in this list come first; within a kind, those
// of the first table in the file.
kinds! {
    /// Cores under an operating system's scheduler, and the services on them.
    Machine(MachineModel, MachineNode),
    /// All delays.
    Delay(DelayModel, Delay),
    /// One queue with its servers.
    Station(StationModel, Station),
    /// Places that requests take and give back.
    Pool(PoolModel, Pool),
    /// Servers behind a switch.
    Cluster(ClusterModel, Box<Cluster>),
    /// Lines over which requests and responses go.
    Link(LinkModel, Box<Link>),
    /// Servers of language models.
    TokenServer(TokenServerModel, Box<TokenServer>),
    /// Limits of the rate of requests.
    Limiter(LimiterModel, Limiter),
}

impl AnyNodeModel {
    /// Its name in tables and charts.
    #[must_use]
    pub fn name(&self) -> &str {
        self.model().name()
    }
}

/// The nodes of a system in motion, with the index of their next events.
#[derive(Debug)]
pub(super) struct Nodes {
    all: Vec<AnyNode>,
    agenda: Agenda,
}

impl Nodes {
    pub(super) fn new(models: &[AnyNodeModel], building: &Building<'_>) -> Nodes {
        let ids = (0..).map(NodeId);
        let all: Vec<AnyNode> =
            ids.clone().zip(models).map(|(id, one)| one.build(id, building)).collect();
        let mut agenda = Agenda::new(models.len());
        for (id, node) in ids.zip(&all) {
            each!(node, one => agenda.set(id, one.next_event()));
        }
        Nodes { all, agenda }
    }

    /// The earliest event and its node; [`Nanos::MAX`] if there is none.
    #[inline(always)]
    pub(super) fn next_event(&self) -> (Nanos, NodeId) {
        self.agenda.first()
    }

    /// As [`Nodes::next_event`], by a scan of every node.
    #[cfg(test)]
    pub(super) fn next_event_by_a_scan(&self) -> (Nanos, NodeId) {
        let times = self.all.iter().map(|node| each!(node, one => one.next_event()));
        times.zip((0..).map(NodeId)).min().unwrap_or((Nanos::MAX, NodeId(0)))
    }

    /// As [`Node::arrive`].
    #[inline(always)]
    pub(super) fn arrive(
        &mut self,
        now: Nanos,
        id: NodeId,
        visit: Visit,
        jobs: &mut Jobs,
    ) -> Answer {
        let Nodes { all, agenda } = self;
        match &mut all[id.0 as usize] {
            AnyNode::Station(one) => arrive(one, now, id, visit, jobs, agenda),
            other => arrive_elsewhere(other, now, id, visit, jobs, agenda),
        }
    }

    /// As [`Node::advance`]; [`Nodes::settle`] must follow.
    #[inline(always)]
    pub(super) fn advance(&mut self, now: Nanos, id: NodeId, jobs: &mut Jobs) -> Option<Handle> {
        let Nodes { all, agenda } = self;
        match &mut all[id.0 as usize] {
            AnyNode::Station(one) => advance(one, now, id, jobs, agenda),
            other => advance_elsewhere(other, now, id, jobs, agenda),
        }
    }

    /// As [`Node::settle`].
    #[inline(always)]
    pub(super) fn settle(&mut self, now: Nanos, id: NodeId, jobs: &mut Jobs) {
        each!(&mut self.all[id.0 as usize], one => {
            if one.settle(now, jobs) {
                self.agenda.set(id, one.next_event());
            }
        });
    }

    /// As [`Node::release`].
    pub(super) fn release(&mut self, now: Nanos, what: Holding, handle: Handle, jobs: &mut Jobs) {
        each!(&mut self.all[what.node.0 as usize], one => {
            one.release(now, what.entry, handle, jobs);
            self.agenda.set(what.node, one.next_event());
        });
    }

    /// As [`Node::label`].
    pub(super) fn label(&self, id: NodeId, handle: Handle, entrance: EntranceId) -> EntranceId {
        each!(&self.all[id.0 as usize], one => one.label(handle, entrance))
    }

    /// As [`Node::withdraw`].
    pub(super) fn withdraw(
        &mut self,
        now: Nanos,
        id: NodeId,
        handle: Handle,
        jobs: &mut Jobs,
    ) -> bool {
        each!(&mut self.all[id.0 as usize], one => {
            let stays = one.withdraw(now, handle, jobs);
            self.agenda.set(id, one.next_event());
            stays
        })
    }

    /// As [`Node::abandon`].
    pub(super) fn abandon(&mut self, now: Nanos, what: Holding, handle: Handle, jobs: &mut Jobs) {
        each!(&mut self.all[what.node.0 as usize], one => {
            one.abandon(now, what.entry, handle, jobs);
            self.agenda.set(what.node, one.next_event());
        });
    }

    /// As [`Node::begin_measuring`], of all.
    pub(super) fn begin_measuring(&mut self, now: Nanos) {
        for node in &mut self.all {
            each!(node, one => one.begin_measuring(now));
        }
    }

    /// As [`Node::summary`], of all.
    pub(super) fn summaries(&self, now: Nanos, detail: Detail) -> Vec<Option<NodeSummary>> {
        self.all.iter().map(|node| each!(node, one => one.summary(now, detail))).collect()
    }

    /// The state of the clusters: the worst one's.
    pub(super) fn condition(&self) -> Condition {
        let of = |node: &AnyNode| match node {
            AnyNode::Cluster(cluster) => cluster.condition(),
            _ => Condition::Well,
        };
        self.all.iter().map(of).max().unwrap_or_default()
    }

    /// As [`Node::schedule`], of those that have one.
    pub(super) fn schedules(&self) -> impl Iterator<Item = &Schedule> {
        self.all.iter().filter_map(|node| each!(node, one => one.schedule()))
    }
}

// Stations, of which most systems consist, are handled first, and the code of the others is kept
// out of line: the steps of a request are the hottest code of a simulation.

#[inline(always)]
fn arrive(
    node: &mut impl Node,
    now: Nanos,
    id: NodeId,
    visit: Visit,
    jobs: &mut Jobs,
    agenda: &mut Agenda,
) -> Answer {
    let answer = node.arrive(now, visit, jobs);
    agenda.set(id, node.next_event());
    answer
}

#[inline(never)]
fn arrive_elsewhere(
    node: &mut AnyNode,
    now: Nanos,
    id: NodeId,
    visit: Visit,
    jobs: &mut Jobs,
    agenda: &mut Agenda,
) -> Answer {
    each!(node, one => arrive(one, now, id, visit, jobs, agenda))
}

#[inline(always)]
fn advance(
    node: &mut impl Node,
    now: Nanos,
    id: NodeId,
    jobs: &mut Jobs,
    agenda: &mut Agenda,
) -> Option<Handle> {
    let done = node.advance(now, jobs);
    agenda.set(id, node.next_event());
    done
}

#[inline(never)]
fn advance_elsewhere(
    node: &mut AnyNode,
    now: Nanos,
    id: NodeId,
    jobs: &mut Jobs,
    agenda: &mut Agenda,
) -> Option<Handle> {
    each!(node, one => advance(one, now, id, jobs, agenda))
}
