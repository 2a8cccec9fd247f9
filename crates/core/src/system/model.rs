//! The content of a system file, checked.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use thinktime_file::error::own_name;
use thinktime_file::schema::{SchemaError, Source};
use thinktime_file::system::{BehaviourTable, SystemFile};
use thinktime_file::time::Nanos;

use super::behaviour::{Behaviour, Context};
use super::cluster::ClusterModel;
use super::demand::Demand;
use super::ids::{EntranceId, NodeId};
use super::link::LinkModel;
use super::machine::MachineModel;
use super::node::{Entrance, HoldKind};
use super::nodes::AnyNodeModel;
use super::read::Reading;
use super::station::{ScaleModel, StationModel};
use super::token_server::TokenServerModel;
use crate::files::Files;

/// A system, checked.
#[derive(Clone, Debug)]
pub struct SystemModel {
    /// Its name.
    pub name: String,
    /// Its nodes, by kind, those of a kind in the order of the file.
    pub nodes: Vec<AnyNodeModel>,
    /// The names by which steps `use` nodes, in the order in which a request without a behaviour
    /// goes by them. There is at least one.
    pub entrances: Vec<Entrance>,
    /// The behaviours of requests; those without one go by all entrances that have a demand for
    /// them.
    pub behaviours: Vec<Behaviour>,
    /// The plain tables from which this was built.
    pub file: SystemFile,
    /// The name and the text of the file, for messages that point into it.
    pub(super) origin: (Arc<str>, Arc<str>),
}

impl SystemModel {
    /// Parses a system file. `files` reads the files that it names.
    ///
    /// # Errors
    /// When the text is not TOML, or a key is unknown, missing or has a bad value; the error names
    /// file, line, key and remedy.
    pub fn parse(source: Source<'_>, files: &dyn Files) -> Result<SystemModel, SchemaError> {
        let file = SystemFile::read(&source)?;
        let reading = Reading { source, file: &file, files };
        own_name(&file.name).map_err(|error| source.error("name", &error))?;
        if let Some(learned) = &file.learned {
            learned.rate_max().map_err(|error| source.error("learned.up_to", &error))?;
        }
        let first = file.used().next().map(|(table, at, _)| format!("{table}.{at}"));
        if first.is_none() && file.cluster.is_empty() {
            let message = "a system needs at least one table [[station]], [[machine]], \
                           [[token_server]] or [[cluster]]";
            return Err(reading.error("station", message));
        }
        let nodes = AnyNodeModel::read_all(&reading)?;
        let entrances = entrances(&reading, &nodes)?;
        let context = Context { nodes: &nodes, entrances: &entrances, files };
        let behaviour = |table: &BehaviourTable| Behaviour::from_table(table, &context);
        let name = |one: &Behaviour| one.request.clone();
        let behaviours = reading.all("behaviour", &file.behaviour, behaviour, name)?;
        let demands = |entrance: &Entrance| demand_behind(&nodes, entrance).is_some();
        if behaviours.is_empty() && !entrances.iter().any(demands) {
            let message = "missing key `demand`, here or in a [[service]]";
            return Err(reading.error(&first.unwrap_or_default(), message));
        }
        let (name, origin) = (file.name.clone(), (source.file.into(), source.text.into()));
        Ok(SystemModel { name, nodes, entrances, behaviours, file, origin })
    }

    /// Builds a system from plain tables.
    ///
    /// # Errors
    /// As [`SystemModel::parse`]; lines are those of the tables written out.
    pub fn from_file(file: &SystemFile, files: &dyn Files) -> Result<SystemModel, SchemaError> {
        let text = file.to_toml()?;
        SystemModel::parse(Source { file: "", text: &text }, files)
    }

    /// The stations, in the order of the file.
    pub fn stations(&self) -> impl Iterator<Item = &StationModel> {
        self.nodes.iter().filter_map(|node| match node {
            AnyNodeModel::Station(station) => Some(station),
            _ => None,
        })
    }

    /// The clusters, in the order of the file.
    pub fn clusters(&self) -> impl Iterator<Item = &ClusterModel> {
        self.nodes.iter().filter_map(|node| match node {
            AnyNodeModel::Cluster(cluster) => Some(cluster),
            _ => None,
        })
    }

    /// The links, in the order of the file.
    pub fn links(&self) -> impl Iterator<Item = (NodeId, &LinkModel)> {
        self.nodes.iter().zip((0..).map(NodeId)).filter_map(|(node, id)| match node {
            AnyNodeModel::Link(link) => Some((id, link)),
            _ => None,
        })
    }

    /// The limiters, in the order of the file.
    pub fn limiters(&self) -> impl Iterator<Item = NodeId> {
        let all = self.nodes.iter().zip((0..).map(NodeId));
        all.filter(|(node, _)| matches!(node, AnyNodeModel::Limiter(_))).map(|(_, id)| id)
    }

    /// The stations, and those that the servers of clusters have.
    pub fn all_stations(&self) -> impl Iterator<Item = &StationModel> {
        let inside = self.clusters().flat_map(|one| one.stations.iter().map(|it| &it.model));
        self.stations().chain(inside)
    }

    /// About the time in which the servers of its stations get from their first number to that of
    /// the load; 0 if none of them changes.
    #[must_use]
    pub fn settling(&self) -> Nanos {
        let scales = self.all_stations().filter_map(|one| one.scale.as_ref());
        scales.map(ScaleModel::settling).max().unwrap_or(Nanos::ZERO)
    }

    /// The servers of tokens, in the order of the file.
    pub fn token_servers(&self) -> impl Iterator<Item = &TokenServerModel> {
        self.nodes.iter().filter_map(|node| match node {
            AnyNodeModel::TokenServer(server) => Some(server),
            _ => None,
        })
    }

    /// The machines, in the order of the file.
    pub fn machines(&self) -> impl Iterator<Item = &MachineModel> {
        self.nodes.iter().filter_map(|node| match node {
            AnyNodeModel::Machine(machine) => Some(machine),
            _ => None,
        })
    }

    /// The behaviour of requests of this name; `None` if they go by all entrances.
    #[must_use]
    pub fn behaviour_of(&self, request: &str) -> Option<&Behaviour> {
        let named =
            |name: Option<&str>| self.behaviours.iter().find(|one| one.request.as_deref() == name);
        named(Some(request)).or_else(|| named(None))
    }

    /// Whether it consists only of stations that all requests visit in their order, that accept and
    /// finish all, and whose speed does not vary.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.behaviours.is_empty() && self.nodes.iter().all(|one| one.model().is_plain())
    }

    /// The one station, if it is the whole system, and all requests visit it.
    pub(super) fn only_station(&self) -> Option<&StationModel> {
        match self.nodes.as_slice() {
            [AnyNodeModel::Station(only)] if self.behaviours.is_empty() => Some(only),
            _ => None,
        }
    }

    /// All entrances.
    pub fn entrances(&self) -> impl Iterator<Item = (EntranceId, &Entrance)> {
        (0..).map(EntranceId).zip(&self.entrances)
    }

    /// The meaning of [`Departure::station`](super::Departure::station), by its number: the
    /// entrances' names, and after them those of the stations of each cluster's servers, as in
    /// `web/3/cpu`.
    #[must_use]
    pub fn station_labels(&self) -> Vec<String> {
        let entrances = self.entrances.iter().map(|entrance| entrance.name.clone());
        entrances.chain(self.clusters().flat_map(ClusterModel::station_labels)).collect()
    }

    pub(super) fn entrance(&self, entrance: EntranceId) -> &Entrance {
        &self.entrances[entrance.0 as usize]
    }

    pub(super) fn node(&self, node: NodeId) -> &AnyNodeModel {
        &self.nodes[node.0 as usize]
    }

    /// Whether requests enter and leave a node, and use its entrances only in between.
    pub(super) fn is_entered(&self, node: NodeId) -> bool {
        self.node(node).model().is_entered()
    }

    /// Whether it needs the target of a request that enters.
    pub(super) fn looks_at_content(&self, node: NodeId) -> bool {
        self.node(node).model().looks_at_content()
    }

    /// The node behind an entrance, and the number among its entrances.
    pub(super) fn behind(&self, entrance: EntranceId) -> (NodeId, u32) {
        let Entrance { node, entry, .. } = *self.entrance(entrance);
        (node, entry)
    }

    /// The demand that an entrance has of its own.
    #[must_use]
    pub fn demand_at(&self, entrance: EntranceId) -> Option<&Demand> {
        demand_behind(&self.nodes, self.entrance(entrance))
    }

    /// The part that requests keep from their first use of an entrance to their last.
    pub(super) fn hold_kind_at(&self, entrance: EntranceId) -> HoldKind {
        let (node, entry) = self.behind(entrance);
        self.node(node).model().kept(entry)
    }
}

fn demand_behind<'a>(nodes: &'a [AnyNodeModel], entrance: &Entrance) -> Option<&'a Demand> {
    nodes[entrance.node.0 as usize].model().demand(entrance.entry)
}

/// The entrances of all nodes, in the order of [`SystemFile::used`]. Each has a name of its own.
fn entrances(reading: &Reading<'_>, nodes: &[AnyNodeModel]) -> Result<Vec<Entrance>, SchemaError> {
    let mut known = BTreeSet::new();
    if let Some((kind, at, _)) = reading.file.used().find(|(_, _, name)| !known.insert(*name)) {
        let message = "is taken by another station, machine, service or server of tokens";
        return Err(reading.error(&format!("{kind}.{at}.name"), message));
    }
    let mut by_name = BTreeMap::new();
    for (node, id) in nodes.iter().zip(0..) {
        let entry_names = node.model().entry_names().into_iter().zip(0..);
        by_name.extend(entry_names.map(|(name, entry)| (name, (NodeId(id), entry))));
    }
    let entrance = |(_, _, name): (&str, usize, &str)| {
        let (node, entry) = *by_name.get(name)?;
        Some(Entrance { name: name.to_owned(), node, entry })
    };
    let mut entrances: Vec<Entrance> = reading.file.used().filter_map(entrance).collect();
    let nodes = nodes.iter().zip((0..).map(NodeId));
    for (model, node) in nodes.filter(|(one, _)| one.model().is_entered()) {
        let inside = model.model().entry_names().into_iter().zip(0..);
        entrances.extend(inside.map(|(name, entry)| Entrance {
            name: name.to_owned(),
            node,
            entry,
        }));
    }
    Ok(entrances)
}
