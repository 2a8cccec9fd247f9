//! `System` and its stations.

use std::path::PathBuf;

use pyo3::prelude::*;
use thinktime_core::schema::Source;
use thinktime_core::system::{Demand, StationModel, SystemModel};
use thinktime_core::workload::to_toml;

use crate::distribution::Distribution;
use crate::errors::schema;
use crate::parameters::DiskFiles;
use crate::workload::read;

/// A modelled system: the stations that requests visit.
#[pyclass(frozen, module = "thinktime")]
pub(crate) struct System {
    pub(crate) inner: SystemModel,
}

#[pymethods]
impl System {
    /// Parses the text of a system file; `file` is its name in messages, and where the files that
    /// it names are looked for.
    #[new]
    #[pyo3(signature = (text, file = ""))]
    fn new(text: &str, file: &str) -> PyResult<System> {
        SystemModel::parse(Source { file, text }, &DiskFiles::beside(file))
            .map(|inner| System { inner })
            .map_err(|error| schema(&error))
    }

    /// Reads a system file.
    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<System> {
        System::new(&read(&path)?, &path.display().to_string())
    }

    #[getter]
    fn name(&self) -> &str {
        &self.inner.name
    }

    /// The stations in the order of visits.
    #[getter]
    fn stations(&self) -> Vec<Station> {
        let names = || self.inner.file.station.iter();
        let policy = |at: usize| names().nth(at).and_then(|table| table.policy.clone());
        let stations = self.inner.stations.iter().enumerate();
        stations
            .map(|(at, model)| Station {
                model: model.clone(),
                policy: policy(at).unwrap_or_else(|| "fcfs".to_owned()),
            })
            .collect()
    }

    /// The system as TOML text, which parses to the same system.
    fn to_toml(&self) -> PyResult<String> {
        to_toml(&self.inner.file).map_err(|error| schema(&error))
    }

    fn __repr__(&self) -> String {
        format!("<System {}>", self.inner.name)
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

    /// The scheduling policy's name.
    #[getter]
    fn policy(&self) -> &str {
        &self.policy
    }

    /// The service demand; None when it differs by request name.
    #[getter]
    fn demand(&self) -> Option<Distribution> {
        match &self.model.demand {
            Demand::All(law) => Some(law.into()),
            Demand::ByRequest(_) => None,
        }
    }

    fn __repr__(&self) -> String {
        format!("<Station {}: {} x {}>", self.model.name, self.model.servers, self.policy)
    }
}
