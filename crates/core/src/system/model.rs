//! What a system file says, checked.

use super::file::{DemandValue, StationTable, SystemFile};
use crate::distribution::Distribution;
use crate::error::{Invalid, nearest};
use crate::files::Files;
use crate::policy::scheduling::{self, Discipline};
use crate::schema::{Scalar, SchemaError, Source};
use crate::units::Dimension;
use crate::workload::Workload;

/// A system, checked.
#[derive(Clone, Debug)]
pub struct SystemModel {
    /// Its name.
    pub name: String,
    /// Its stations, in the order of visits; never empty.
    pub stations: Vec<StationModel>,
    /// The plain tables that this was built from.
    pub file: SystemFile,
}

/// A station, checked.
#[derive(Clone, Debug)]
pub struct StationModel {
    /// Its name.
    pub name: String,
    /// The number of servers, at least 1.
    pub servers: u32,
    /// The scheduling policy.
    pub discipline: Discipline,
    /// The service demand in seconds.
    pub demand: Demand,
}

/// Service demands, for all requests or by name.
#[derive(Clone, Debug)]
pub enum Demand {
    /// The same for all.
    All(Distribution),
    /// By request name.
    ByRequest(Vec<(String, Distribution)>),
}

impl Demand {
    /// The demand of requests of this name, if they visit.
    #[must_use]
    pub fn of(&self, request: &str) -> Option<&Distribution> {
        match self {
            Demand::All(law) => Some(law),
            Demand::ByRequest(laws) => {
                laws.iter().find(|(name, _)| name == request).map(|(_, law)| law)
            }
        }
    }
}

impl SystemModel {
    /// Parses a system file. `files` reads the files that it names.
    ///
    /// # Errors
    /// When the text is no TOML, or a key is unknown, missing or has a bad value; the error names
    /// file, line, key and what would be right.
    pub fn parse(source: Source<'_>, files: &dyn Files) -> Result<SystemModel, SchemaError> {
        let file: SystemFile = source.read()?;
        if file.station.is_empty() {
            let message = "a system needs at least one [[station]] table";
            return Err(source.error("station", &Invalid::new(message)));
        }
        let mut stations: Vec<StationModel> = Vec::new();
        for (at, table) in file.station.iter().enumerate() {
            let place = |key: &str| format!("station.{at}.{key}");
            let station = StationModel::from_table(table, files)
                .map_err(|(key, error)| source.error(&place(&key), &error))?;
            if stations.iter().any(|other| other.name == station.name) {
                let error = Invalid::new("is taken by another station");
                return Err(source.error(&place("name"), &error));
            }
            stations.push(station);
        }
        Ok(SystemModel { name: file.name.clone(), stations, file })
    }

    /// Builds a system from plain tables.
    ///
    /// # Errors
    /// As [`SystemModel::parse`]; the line is that of the tables written out.
    pub fn from_file(file: &SystemFile, files: &dyn Files) -> Result<SystemModel, SchemaError> {
        let text = crate::workload::to_toml(file)?;
        SystemModel::parse(Source { file: "", text: &text }, files)
    }

    /// Checks that the system can serve the workload: every request visits a station, and every
    /// request that a station names exists.
    ///
    /// # Errors
    /// When a request has no demand anywhere, or a station names an unknown request.
    pub fn check_requests(&self, workload: &Workload) -> Result<(), Invalid> {
        let known = || workload.requests.iter().map(|kind| kind.name.as_str());
        for station in &self.stations {
            let Demand::ByRequest(laws) = &station.demand else { continue };
            let unknown = laws.iter().find(|(name, _)| known().all(|other| other != name));
            if let Some((name, _)) = unknown {
                let hint = nearest(name, known())
                    .map_or(String::new(), |near| format!(" (did you mean `{near}`?)"));
                return Err(Invalid::new(format!(
                    "station `{}` has a demand for `{name}`, but the workload has no request of \
                     that name{hint}",
                    station.name
                )));
            }
        }
        match known().find(|name| self.stations.iter().all(|at| at.demand.of(name).is_none())) {
            None => Ok(()),
            Some(name) => Err(Invalid::new(format!(
                "no station has a demand for the request `{name}`: add demand.{name} = \"...\""
            ))),
        }
    }

    /// The mean service demand of a request at each station, in seconds, with the workload's mix.
    #[must_use]
    pub fn mean_demands(&self, workload: &Workload) -> Vec<f64> {
        let total: f64 = workload.requests.iter().map(|kind| kind.weight).sum();
        let share = |station: &StationModel| -> f64 {
            let parts = workload.requests.iter().map(|kind| {
                station.demand.of(&kind.name).map_or(0.0, |law| kind.weight * law.mean())
            });
            parts.sum::<f64>() / total
        };
        self.stations.iter().map(share).collect()
    }

    /// The load that one request a second puts on the busiest station: its demand divided by the
    /// number of its servers, in seconds.
    #[must_use]
    pub fn bottleneck_demand(&self, workload: &Workload) -> f64 {
        let demands = self.mean_demands(workload).into_iter().zip(&self.stations);
        demands.map(|(demand, at)| demand / f64::from(at.servers)).fold(0.0, f64::max)
    }
}

impl StationModel {
    fn from_table(
        table: &StationTable,
        files: &dyn Files,
    ) -> Result<StationModel, (String, Invalid)> {
        let servers = table.servers.unwrap_or(1);
        if !(1..=1_000_000).contains(&servers) {
            return Err(("servers".into(), Invalid::new("must be from 1 to 1000000")));
        }
        if table.name.is_empty() {
            return Err(("name".into(), Invalid::new("is empty")));
        }
        let policy = table.policy.as_deref().unwrap_or("fcfs");
        let discipline = scheduling::parse(policy).map_err(|error| ("policy".into(), error))?;
        let law = |key: String, scalar: &Scalar| {
            Distribution::parse(&scalar.text(), files)
                .and_then(|law| law.expect(Dimension::Time))
                .and_then(finite_mean)
                .map_err(|error| (key, error))
        };
        let demand = match &table.demand {
            DemandValue::All(scalar) => Demand::All(law("demand".into(), scalar)?),
            DemandValue::ByRequest(table) => Demand::ByRequest(
                table
                    .iter()
                    .map(|(name, scalar)| {
                        Ok((name.clone(), law(format!("demand.{name}"), scalar)?))
                    })
                    .collect::<Result<_, _>>()?,
            ),
        };
        Ok(StationModel { name: table.name.clone(), servers, discipline, demand })
    }
}

fn finite_mean(law: Distribution) -> Result<Distribution, Invalid> {
    if law.mean().is_finite() {
        return Ok(law);
    }
    Err(Invalid::new(format!(
        "`{law}` has an infinite mean, so no server can keep up with it: bound it, as in \
         truncated({law}, hi=...)"
    )))
}
