//! `System` and its stations.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use thinktime_core::change::with_value;
use thinktime_core::schema::{Source, resolved};
use thinktime_core::system::cluster::ClusterModel;
use thinktime_core::system::machine::MachineModel;
use thinktime_core::system::{Demand, DemandLaw, StationModel, StationTable, SystemModel};

use crate::disk_files::{DiskFiles, read};
use crate::distribution::Distribution;
use crate::errors::{invalid, of_value, schema};
use crate::python_values::plain;

/// A modelled system: the stations that requests visit.
#[pyclass(frozen, module = "thinktime")]
pub(crate) struct System {
    pub(crate) inner: SystemModel,
    pub(crate) files: DiskFiles,
}

#[pymethods]
impl System {
    /// Parses the text of a system file; `file` is its name in messages, and the place of the files
    /// that it names, except those in `files`.
    #[new]
    #[pyo3(signature = (text, file = "", files = BTreeMap::new()))]
    fn new(text: &str, file: &str, files: BTreeMap<String, PathBuf>) -> PyResult<System> {
        let files = DiskFiles::beside(file).with_elsewhere(files);
        SystemModel::parse(Source { file, text }, &files)
            .map(|inner| System { inner, files })
            .map_err(|error| schema(&error))
    }

    /// Reads a system file.
    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<System> {
        System::new(&read(&path)?, &path.display().to_string(), BTreeMap::new())
    }

    #[getter]
    fn name(&self) -> &str {
        &self.inner.name
    }

    /// The keys of the table `learned`, with `up_to` as requests a second; None without the table.
    #[getter]
    fn learned<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(table) = &self.inner.file.learned else { return Ok(None) };
        let guesses: Vec<_> = table.guesses.iter().map(|guess| guess.word()).collect();
        let dict = PyDict::new(py);
        dict.set_item("from", &table.from)?;
        dict.set_item("confidence", table.confidence.word())?;
        dict.set_item("guesses", guesses)?;
        dict.set_item("reason", &table.reason)?;
        dict.set_item("up_to", table.rate_max().map_err(|error| invalid(&error))?)?;
        dict.set_item("confirmed", table.confirmed)?;
        Ok(Some(dict))
    }

    /// The stations in the order of visits.
    #[getter]
    fn stations(&self) -> Vec<Station> {
        let tables = self.inner.file.station.iter();
        let station = |(model, table): (&StationModel, &StationTable)| Station {
            model: model.clone(),
            policy: table.policy.clone().unwrap_or_else(|| StationTable::POLICY.to_owned()),
        };
        self.inner.stations().zip(tables).map(station).collect()
    }

    /// The machines.
    #[getter]
    fn machines(&self) -> Vec<Machine> {
        self.inner.machines().map(|model| Machine { model: model.clone() }).collect()
    }

    /// The clusters.
    #[getter]
    fn clusters(&self) -> Vec<Cluster> {
        self.inner.clusters().map(|model| Cluster { model: model.clone() }).collect()
    }

    /// Whether it has only stations that all requests visit in their order, that accept and finish
    /// everything, and whose speed does not vary.
    #[getter]
    fn plain(&self) -> bool {
        self.inner.is_plain()
    }

    /// The same system with one value changed: the key as in `station.database.servers`, the text
    /// as in a file.
    fn with_value(&self, key: &str, text: &str) -> PyResult<System> {
        let file = with_value(&self.inner.file, key, text).map_err(|error| invalid(&error))?;
        SystemModel::from_file(&file, &self.files)
            .map(|inner| System { inner, files: self.files.clone() })
            .map_err(|error| of_value(key, text, &error))
    }

    /// The same system with one server of its cluster instead of all, counted from 0.
    fn only_server(&self, server: u32) -> PyResult<System> {
        let file = self.inner.file.only_server(server).map_err(|error| invalid(&error))?;
        SystemModel::from_file(&file, &self.files)
            .map(|inner| System { inner, files: self.files.clone() })
            .map_err(|error| schema(&error))
    }

    /// The files that it was made of, by the names that it has for them, and their places.
    #[getter]
    fn files(&self) -> BTreeMap<String, PathBuf> {
        self.files.used()
    }

    /// The same system with processor sharing on all machines, which need no scheduler then. The
    /// files that it names are in this folder.
    fn processor_sharing(&self, folder: &str) -> PyResult<System> {
        let files = DiskFiles::in_directory(Some(folder));
        SystemModel::from_file(&self.inner.file.processor_sharing(), &files)
            .map(|inner| System { inner, files })
            .map_err(|error| schema(&error))
    }

    /// The tables of the system with all their keys: absent ones have their default, or are None or
    /// empty.
    #[getter]
    fn tables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &resolved(&self.inner.file))
    }

    /// The system as TOML text, which parses to the same system.
    fn to_toml(&self) -> PyResult<String> {
        self.inner.file.to_toml().map_err(|error| schema(&error))
    }

    fn __repr__(&self) -> String {
        format!("<System {}>", self.inner.name)
    }
}

/// Cores under an operating system's scheduler.
#[pyclass(frozen, module = "thinktime")]
pub(crate) struct Machine {
    model: MachineModel,
}

#[pymethods]
impl Machine {
    #[getter]
    fn name(&self) -> &str {
        &self.model.name
    }

    #[getter]
    fn cores(&self) -> u32 {
        self.model.cores
    }

    /// The operating system, as the system file names it.
    #[getter]
    fn os(&self) -> &str {
        &self.model.os
    }

    /// Its scheduler's features.
    #[getter]
    fn features<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.model.features)
    }

    fn __repr__(&self) -> String {
        format!("<Machine {}: {} cores, {}>", self.model.name, self.model.cores, self.model.os)
    }
}

/// Servers that are all alike, behind a switch.
#[pyclass(frozen, module = "thinktime")]
pub(crate) struct Cluster {
    model: ClusterModel,
}

#[pymethods]
impl Cluster {
    #[getter]
    fn name(&self) -> &str {
        &self.model.name
    }

    /// The number of servers.
    #[getter]
    fn servers(&self) -> usize {
        self.model.setting.weights.len()
    }

    /// The dispatch policy, as the system file names it.
    #[getter]
    fn dispatch(&self) -> &str {
        &self.model.dispatch_text
    }

    fn __repr__(&self) -> String {
        format!("<Cluster {}: {} over {} servers>", self.name(), self.dispatch(), self.servers())
    }
}

/// One queue with its servers.
#[pyclass(frozen, module = "thinktime")]
pub(crate) struct Station {
    model: StationModel,
    policy: String,
}

#[pymethods]
impl Station {
    #[getter]
    fn name(&self) -> &str {
        &self.model.name
    }

    #[getter]
    fn servers(&self) -> u32 {
        self.model.servers
    }

    /// Whether each of its servers serves one request at a speed of 1 all the time.
    #[getter]
    fn steady(&self) -> bool {
        self.model.is_steady()
    }

    /// The scheduling policy's name.
    #[getter]
    fn policy(&self) -> &str {
        &self.policy
    }

    /// The service demand; None if it differs by request name, is a trace, depends on the size of
    /// responses, or is given by behaviours.
    #[getter]
    fn demand(&self) -> Option<Distribution> {
        match &self.model.demand {
            Some(Demand::All(DemandLaw::Drawn(law))) => Some(law.into()),
            _ => None,
        }
    }

    /// The service demand of requests of this name; None if they do not visit, or it is a trace,
    /// depends on the size of responses, or is given by behaviours.
    fn demand_of(&self, request: &str) -> Option<Distribution> {
        match self.model.demand.as_ref()?.of(request)? {
            DemandLaw::Drawn(law) => Some(law.into()),
            DemandLaw::Trace(_) | DemandLaw::Sized(_) | DemandLaw::Tokens(_) => None,
        }
    }

    /// The priority class of requests of this name: the smallest goes first, those without one
    /// last.
    fn class_of(&self, request: &str) -> u64 {
        self.model.class_of(request)
    }

    /// Whether a request that ranks before the one in service takes its place.
    #[getter]
    fn preemptive(&self) -> bool {
        self.model.discipline.preemptive
    }

    /// Whether service is given in turns of a limited length.
    #[getter]
    fn in_turns(&self) -> bool {
        !self.model.discipline.quanta.is_empty()
    }

    fn __repr__(&self) -> String {
        format!("<Station {}: {} x {}>", self.model.name, self.model.servers, self.policy)
    }
}
