//! The interface of every node: the one between requests and the parts of the system.
//!
//! A system is a list of nodes: stations, pools, machines, links, and one for all delays. Each kind
//! has two parts: the system file's table of such a node ([`NodeModel`], [`Build`]), and the node
//! in motion ([`Node`]). `nodes.rs` has the list of kinds.

use thinktime_file::schema::SchemaError;
use thinktime_file::time::Nanos;
use thinktime_file::workload::Reuse;

use super::demand::Demand;
use super::ids::{EntranceId, NodeId};
use super::jobs::{Handle, Jobs};
use super::machine::Schedule;
pub use super::node_summary::NodeSummary;
use super::read::Reading;

/// A name by which steps `use` a node: a station has one, a machine one for each of its services.
#[derive(Clone, Debug)]
pub struct Entrance {
    /// The name.
    pub name: String,
    /// Its node.
    pub node: NodeId,
    /// Its number among the node's entrances.
    pub(super) entry: u32,
}

/// A visitor comes to a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Visit {
    pub(super) handle: Handle,
    /// The node's entrance that it uses.
    pub(super) entry: u32,
    /// The demand that it brings; zero if it only takes a place.
    pub(super) demand: Nanos,
}

/// The outcome of a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The visitor is at the node, which has noted its place in [`super::jobs::Visitor::place`].
    Stays,
    /// It has what it needs, and continues at once.
    GoesOn,
    /// It is not let in.
    Refused,
}

/// A node in motion. It learns of visitors, says when it next acts, and acts.
///
/// A visitor that waits for anything but time, and gets it, is pushed to [`Jobs::ready`]. One that
/// the node gives up is pushed to [`Jobs::lost`].
pub(super) trait Node {
    /// A visitor arrives.
    fn arrive(&mut self, now: Nanos, visit: Visit, jobs: &mut Jobs) -> Answer;

    /// When it next acts if no visitor comes or goes; [`Nanos::MAX`] for never.
    fn next_event(&self) -> Nanos {
        Nanos::MAX
    }

    /// Acts on the event that is due at [`Node::next_event`], which equals `now`: perhaps a visitor
    /// is done.
    fn advance(&mut self, _now: Nanos, _jobs: &mut Jobs) -> Option<Handle> {
        None
    }

    /// Follows each [`Node::advance`], once the visitor that was done has continued. Says whether
    /// anything has changed.
    fn settle(&mut self, _now: Nanos, _jobs: &mut Jobs) -> bool {
        false
    }

    /// A visitor that kept a part of the node (see [`Jobs::keep`]) does not need it any more.
    fn release(&mut self, _now: Nanos, _entrance: u32, _handle: Handle, _jobs: &mut Jobs) {}

    /// The name in results of a visit by an entrance: the entrance, unless the node knows better.
    fn label(&self, _handle: Handle, entrance: EntranceId) -> EntranceId {
        entrance
    }

    /// A present visitor leaves in the middle. Says whether it stays in the node's waiting line, as
    /// gone, until its turn comes (see [`Jobs::still_waits`]). The part that it keeps is given back
    /// afterwards, by [`Node::abandon`].
    fn withdraw(&mut self, now: Nanos, handle: Handle, jobs: &mut Jobs) -> bool;

    /// A visitor that leaves in the middle, here or elsewhere, kept a part of the node.
    fn abandon(&mut self, now: Nanos, entry: u32, handle: Handle, jobs: &mut Jobs) {
        self.release(now, entry, handle, jobs);
    }

    /// Restarts the time averages.
    fn begin_measuring(&mut self, _now: Nanos) {}

    /// The time averages so far; `None` if nothing is measured.
    fn summary(&self, _now: Nanos, _detail: Detail) -> Option<NodeSummary> {
        None
    }

    /// Which task had which core at which time.
    fn schedule(&self) -> Option<&Schedule> {
        None
    }
}

/// How much of its figures a node gives: all, or not the shares of time, which need memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    Whole,
    Averages,
}

/// The part of a node that a visitor keeps from its first use of an entry to its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HoldKind {
    Nothing,
    /// A part of its own, in unlimited number.
    Own,
    /// One of a limited number: others may have to wait for it.
    Limited,
}

/// A system file's table of a node, checked.
pub(super) trait NodeModel {
    /// All nodes of this kind in a file.
    fn read(reading: &Reading<'_>) -> Result<Vec<Self>, SchemaError>
    where
        Self: Sized;

    /// Its name in tables and charts.
    fn name(&self) -> &str;

    /// The names by which steps `use` it.
    fn entry_names(&self) -> Vec<&str> {
        Vec::new()
    }

    /// The demand that an entry has of its own.
    fn demand(&self, _entrance: u32) -> Option<&Demand> {
        None
    }

    /// The part that a visitor keeps from its first use of an entry to its last.
    fn kept(&self, _entrance: u32) -> HoldKind {
        HoldKind::Nothing
    }

    /// Whether steps `acquire` and `release` it by its name.
    fn is_acquired(&self) -> bool {
        false
    }

    /// The work that it does in a second with very many visitors, in seconds of one server or core:
    /// mostly their number. `None` if it has no load.
    fn capacity(&self) -> Option<f64> {
        None
    }

    /// Whether requests enter and leave it, and use its entrances only in between.
    fn is_entered(&self) -> bool {
        false
    }

    /// Whether it needs the target of a request that enters.
    fn looks_at_content(&self) -> bool {
        false
    }

    /// Whether it needs the tokens of its visitors.
    fn looks_at_tokens(&self) -> bool {
        false
    }

    /// The capacity behind an entry, if different entrances have different servers.
    fn capacity_at(&self, _entrance: u32) -> Option<f64> {
        None
    }

    /// Whether it never turns a visitor away.
    fn is_unlimited(&self) -> bool {
        true
    }

    /// Whether it accepts and finishes every visitor, in one queue, at a speed that never varies.
    fn is_plain(&self) -> bool {
        false
    }

    /// The request names that its tables mention, each with its place in the file.
    fn named_requests(&self) -> Vec<(String, &str)> {
        Vec::new()
    }
}

/// A node's table, of which the node in motion is made.
pub(super) trait Build: NodeModel {
    /// The node in motion.
    type Node;

    /// The node at rest.
    fn build(&self, id: NodeId, building: &Building<'_>) -> Self::Node;
}

/// Knowledge of the requests before they come.
pub(super) trait Forecast {
    /// The mean demand of a kind's first visit by an entrance.
    fn first_mean(&self, kind: usize, entrance: EntranceId) -> Nanos;

    /// The requests of a kind that set up a connection.
    fn connections(&self, kind: usize) -> Reuse;
}

/// The input from which nodes are built, beside their own models.
#[derive(Clone, Copy)]
pub(super) struct Building<'a> {
    pub(super) entrances: &'a [Entrance],
    pub(super) forecast: &'a dyn Forecast,
    /// The names of the kinds of request.
    pub(super) kinds: &'a [&'a str],
    pub(super) seed: u64,
}

impl Building<'_> {
    /// By kind of request, the mean demand of its first visit by a node's entry.
    pub(super) fn first_means(&self, (node, entry): (NodeId, u32)) -> Vec<Nanos> {
        let mut entrances = (0..).map(EntranceId).zip(self.entrances);
        let entrance =
            entrances.find(|(_, entrance)| entrance.node == node && entrance.entry == entry);
        let mean = |kind| entrance.map(|(id, _)| self.forecast.first_mean(kind, id));
        (0..self.kinds.len()).map(|kind| mean(kind).unwrap_or(Nanos::ZERO)).collect()
    }
}

/// The names of a node's own demands, with their places in the file.
pub(super) fn demand_names<'a>(
    kind: &str,
    name: &str,
    demand: Option<&'a Demand>,
) -> Vec<(String, &'a str)> {
    let Some(Demand::ByRequest(laws)) = demand else { return Vec::new() };
    let place = format!("{kind} `{name}` has a demand for");
    laws.iter().map(|(name, _)| (place.clone(), name.as_str())).collect()
}
