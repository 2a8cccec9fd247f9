//! A system file's cluster, checked.

use thinktime_file::error::Invalid;
use thinktime_file::schema::SchemaError;
use thinktime_file::system::{ClusterTable, StationTable};
use thinktime_file::time::Nanos;
use thinktime_file::units::parse_time;

use super::cache::CacheModel;
use super::change::{Change, Effect};
use crate::distribution::Distribution;
use crate::policy::dispatch::{Dispatch, PolicyInput, Setting};
use crate::system::demand::Demand;
use crate::system::machine::MachineModel;
use crate::system::node::{HoldKind, NodeModel};
use crate::system::read::{ReadResult, Reading, named};
use crate::system::station::StationModel;

/// A cluster, checked.
#[derive(Clone, Debug)]
pub struct ClusterModel {
    /// Its name.
    pub name: String,
    /// Its number among the clusters, by which its random streams are named.
    pub(in crate::system) number: u32,
    /// The number of stations in the servers of earlier clusters.
    pub(super) labels_before: u32,
    /// The dispatch policy.
    pub dispatch: Dispatch,
    /// As in the file.
    pub dispatch_text: String,
    /// The policy's parameters: among others the servers' weights.
    pub setting: Setting,
    /// The classes, each with its request names.
    pub classes: Vec<(String, Vec<String>)>,
    /// The delay until the switch knows of a request's end.
    pub seen_after: Nanos,
    /// The stations that each server has; their names are `CLUSTER/STATION`.
    pub stations: Vec<ServerStation>,
    /// The machine that each server is, if it has no stations; it and its services are named
    /// `CLUSTER/NAME`.
    pub machine: Option<MachineModel>,
    /// The cache that each server has.
    pub cache: Option<CacheModel>,
    /// The events of servers, by time.
    pub changes: Vec<Change>,
}

/// A station that each server of a cluster has.
#[derive(Clone, Debug)]
pub struct ServerStation {
    /// The station.
    pub model: StationModel,
    /// Whether only requests visit it whose response is not in the server's cache.
    pub on_miss: bool,
}

impl ClusterModel {
    fn from_table(table: &ClusterTable, reading: &Reading<'_>) -> ReadResult<ClusterModel> {
        let dispatch = dispatch(table)?;
        let seen_after = table.seen_after.as_ref().map_or(Ok(0.0), |one| parse_time(&one.text()));
        let seen_after = seen_after.map_err(|error| ("seen_after".to_owned(), error))?;
        let cache = table.cache.as_ref().map(CacheModel::from_table).transpose();
        let cache = cache.map_err(|(key, error)| (format!("cache.{key}"), error))?;
        let mut model = ClusterModel {
            name: part_of_label(&table.name)?,
            number: 0,
            labels_before: 0,
            setting: Setting {
                weights: weights(table)?,
                classes: table.classes.len().max(1),
                work: None,
            },
            dispatch,
            dispatch_text: table.dispatch.clone(),
            classes: classes(table)?,
            seen_after: Nanos::from_secs_f64(seen_after),
            stations: Vec::new(),
            machine: None,
            cache,
            changes: Change::all(&table.change, table.servers)?,
        };
        match &table.server {
            Some(_) => model.machine = Some(model.machine_of(table, reading)?),
            None => model.add_stations(table, reading)?,
        }
        model.setting.work = model.only_law();
        model.dispatch.build(&model.setting).map_err(|error| ("dispatch".to_owned(), error))?;
        Ok(model)
    }

    fn add_stations(&mut self, table: &ClusterTable, reading: &Reading<'_>) -> ReadResult<()> {
        for (at, station) in table.station.iter().enumerate() {
            let one = ServerStation::from_table(station, self, reading);
            self.stations.push(one.map_err(|(key, why)| (format!("station.{at}.{key}"), why))?);
        }
        match self.stations.is_empty() {
            false => Ok(()),
            true => {
                let why = "each server needs at least one station, in a [[cluster.station]], or \
                           a machine, as in server = \"machine:NAME\"";
                Err(("station".to_owned(), Invalid::new(why)))
            }
        }
    }

    /// The demand of all requests, if it is one demand of one law.
    fn only_law(&self) -> Option<Distribution> {
        let entry_names = (0..).take(self.entry_names().len());
        let mut demands = entry_names.filter_map(|entry| self.demand(entry));
        match (demands.next(), demands.next()) {
            (Some(Demand::All(law)), None) => law.drawn().cloned(),
            _ => None,
        }
    }

    /// Whether a server stops accepting requests at some time.
    pub(in crate::system) fn may_close(&self) -> bool {
        self.changes.iter().any(|one| matches!(one.does, Effect::Fails | Effect::Drains))
    }

    /// The speed of each server, as part of its full one; `None` if it changes during the run.
    pub(in crate::system) fn speeds(&self) -> Option<Vec<f64>> {
        let mut speeds = vec![1.0; self.setting.weights.len()];
        for change in &self.changes {
            match change.does {
                Effect::Slows(speed) if change.at == Nanos::ZERO => speeds[change.server] = speed,
                _ => return None,
            }
        }
        Some(speeds)
    }

    /// The names of the parts whose load is in results, by server.
    pub(super) fn measured(&self) -> Vec<String> {
        match &self.machine {
            Some(machine) => vec![machine.name.clone()],
            None => self.stations.iter().map(|one| one.model.name.clone()).collect(),
        }
    }
}

/// The dispatch policy, which has the classes that it needs.
fn dispatch(table: &ClusterTable) -> ReadResult<Dispatch> {
    let dispatch =
        Dispatch::parse(&table.dispatch).map_err(|error| ("dispatch".to_owned(), error))?;
    if dispatch.entry().needs.contains(&PolicyInput::Classes) && table.classes.is_empty() {
        let name = dispatch.entry().name();
        let message = format!(
            "`{name}` needs the request names of each class, as in \
             classes = {{ static = [\"page\"], cpu = [\"search\"] }}"
        );
        return Err(("classes".to_owned(), Invalid::new(message)));
    }
    Ok(dispatch)
}

/// The weight of each server.
fn weights(table: &ClusterTable) -> ReadResult<Vec<f64>> {
    let wrong = |message: String| Err(("weights".to_owned(), Invalid::new(message)));
    let servers = table.servers as usize;
    if table.weights.is_empty() {
        return Ok(vec![1.0; servers]);
    }
    if table.weights.len() != servers {
        return wrong(format!("has {} of them for {servers} servers", table.weights.len()));
    }
    match table.weights.iter().find(|weight| !(1e-6..=1e6).contains(*weight)) {
        Some(weight) => wrong(format!("{weight} is not from 0.000001 to 1000000")),
        None => Ok(table.weights.clone()),
    }
}

/// A name of a cluster, or of a station, a machine or a service in it: a `/` would make `web/3/cpu`
/// unclear.
pub(super) fn part_of_label(name: &str) -> ReadResult<String> {
    let name = named(name)?;
    match name.contains('/') {
        true => Err(("name".to_owned(), Invalid::new("must be without `/`"))),
        false => Ok(name),
    }
}

/// The request names of each class; each name is in one at most.
fn classes(table: &ClusterTable) -> ReadResult<Vec<(String, Vec<String>)>> {
    let mut seen = Vec::new();
    for (class, names) in &table.classes {
        for name in names {
            if seen.contains(&name) {
                let message = format!("the request `{name}` is in a class already");
                return Err((format!("classes.{class}"), Invalid::new(message)));
            }
            seen.push(name);
        }
    }
    Ok(table.classes.iter().map(|(class, names)| (class.clone(), names.clone())).collect())
}

impl ServerStation {
    fn from_table(
        table: &StationTable,
        cluster: &ClusterModel,
        reading: &Reading<'_>,
    ) -> ReadResult<ServerStation> {
        let fail = |key: &str, message: &str| Err((key.to_owned(), Invalid::new(message)));
        let mut model = StationModel::from_table(table, reading.files)?;
        model.name = format!("{}/{}", cluster.name, part_of_label(&table.name)?);
        if model.demand.is_none() {
            return fail("demand", "is missing");
        }
        if model.scale.is_some() {
            return fail("scale", "does not go with a cluster's server yet");
        }
        if cluster.stations.iter().any(|other| other.model.name == model.name) {
            return fail("name", "is taken by another station of the server");
        }
        let on_miss = match table.when.as_deref() {
            None => false,
            Some("miss") if cluster.cache.is_some() => true,
            Some("miss") => return fail("when", "goes with a [cluster.cache]"),
            Some(_) => {
                return fail("when", "must be \"miss\": it is visited by what is not cached");
            }
        };
        Ok(ServerStation { model, on_miss })
    }
}

impl NodeModel for ClusterModel {
    fn read(reading: &Reading<'_>) -> Result<Vec<ClusterModel>, SchemaError> {
        let one = |table: &ClusterTable| ClusterModel::from_table(table, reading);
        let name = |one: &ClusterModel| one.name.clone();
        let mut all = reading.all("cluster", &reading.file.cluster, one, name)?;
        let mut labels = 0;
        for (cluster, number) in all.iter_mut().zip(0..) {
            (cluster.number, cluster.labels_before) = (number, labels);
            labels += (cluster.entry_names().len() * cluster.setting.weights.len()) as u32;
        }
        Ok(all)
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn entry_names(&self) -> Vec<&str> {
        match &self.machine {
            Some(machine) => machine.entry_names(),
            None => self.stations.iter().map(|one| one.model.name.as_str()).collect(),
        }
    }

    fn demand(&self, entry: u32) -> Option<&Demand> {
        if let Some(machine) = &self.machine {
            return machine.demand(entry);
        }
        self.stations.get(entry as usize)?.model.demand.as_ref()
    }

    fn kept(&self, entry: u32) -> HoldKind {
        self.machine.as_ref().map_or(HoldKind::Nothing, |machine| machine.kept(entry))
    }

    fn capacity(&self) -> Option<f64> {
        Some(self.machine.as_ref()?.capacity()? * self.setting.weights.len() as f64)
    }

    fn is_entered(&self) -> bool {
        true
    }

    fn looks_at_content(&self) -> bool {
        self.cache.is_some() || self.dispatch.entry().needs.contains(&PolicyInput::Targets)
    }

    fn capacity_at(&self, entry: u32) -> Option<f64> {
        let station = self.stations.get(entry as usize)?;
        // Its visitors depend on the contents of the caches.
        (!station.on_miss).then(|| station.model.speed() * self.setting.weights.len() as f64)
    }

    fn is_unlimited(&self) -> bool {
        self.stations.iter().all(|one| one.model.is_unlimited())
            && self.machine.iter().all(NodeModel::is_unlimited)
    }

    fn named_requests(&self) -> Vec<(String, &str)> {
        let mut named: Vec<(String, &str)> =
            self.stations.iter().flat_map(|one| one.model.named_requests()).collect();
        named.extend(self.machine.iter().flat_map(NodeModel::named_requests));
        for (class, names) in &self.classes {
            let place = format!("the class `{class}` of the cluster `{}` has", self.name);
            named.extend(names.iter().map(|name| (place.clone(), name.as_str())));
        }
        let held = self.cache.iter().flat_map(|cache| cache.holds.iter().flatten());
        let place = format!("the cache of the cluster `{}` holds", self.name);
        named.extend(held.map(|name| (place.clone(), name.as_str())));
        named
    }
}
