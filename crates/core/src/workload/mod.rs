//! A workload, checked and ready to run: sessions arriving.
//!
//! In an open model a session is one request, in a closed one N sessions never end, and a
//! partly-open one is in between.

mod check;
mod clients;
mod constant;
mod content;
mod ends;
mod files;
mod objectives;
mod population;
mod populations;
mod resilience;
mod shared;
mod values;
mod variants;

pub use clients::authorization::Authorization;
pub use clients::breaker::{BreakerRules, Trip};
pub use clients::credentials::{Authorities, Aws, Endpoint, Oauth2};
pub use clients::secret::Secret;
pub use clients::{ClientLimits, RetryBudget};
pub use content::{Content, Targets};
pub use files::WorkloadFiles;
pub use objectives::{Objective, Scope, Slo};
pub use population::browsing::Browsing;
pub use population::start::InitialState;
pub use population::{Population, Sessions};
pub use shared::SharedServer;

use thinktime_file::error::own_name;
use thinktime_file::schema::{SchemaError, Source};
use thinktime_file::workload::{Model, WorkloadFile};

use crate::program::Extent;
use crate::random::{Purpose, Stream};
use crate::request::RequestKind;

/// A workload, checked.
#[derive(Clone, Debug)]
pub struct Workload {
    /// Its name.
    pub name: String,
    /// The seed of all its streams.
    pub seed: u64,
    /// The populations; never empty.
    pub populations: Vec<Population>,
    /// The requests of sessions, one population after another; never empty.
    pub requests: Vec<RequestKind>,
    /// The objectives that a run is checked against.
    pub slo: Slo,
    /// The keeper of the variables that scripts share, if it is not the process itself.
    pub shared: Option<SharedServer>,
    /// The plain tables from which this was built.
    pub file: WorkloadFile,
}

impl Workload {
    /// Parses a workload file. `files` reads the files that it names.
    ///
    /// # Errors
    /// When the text is not TOML, or a key is unknown, missing, contradictory or has a bad value;
    /// the error names file, line, key and remedy.
    pub fn parse(source: Source<'_>, files: &dyn WorkloadFiles) -> Result<Workload, SchemaError> {
        let file: WorkloadFile = WorkloadFile::read(&source)?;
        own_name(&file.name).map_err(|error| source.error("name", &error))?;
        let (populations, requests) = populations::populations(source, files, &file)?;
        let slo = match &file.slo {
            Some(table) => {
                let known = objectives::Subjects { populations: &populations, requests: &requests };
                Slo::from_table(table, known)
                    .map_err(|(key, error)| source.error(&format!("slo.{key}"), &error))?
            }
            None => Slo::default(),
        };
        let shared = shared::of(source, &file)?;
        let (name, seed) = (file.name.clone(), file.seed);
        let requests = requests.into_iter().map(|kind| kind.seeded(seed)).collect();
        Ok(Workload { name, seed, populations, requests, slo, shared, file })
    }

    /// Builds a workload from plain tables, as after a change to one of them.
    ///
    /// # Errors
    /// As [`Workload::parse`]; lines are those of the tables written out.
    pub fn from_file(
        file: &WorkloadFile,
        files: &dyn WorkloadFiles,
    ) -> Result<Workload, SchemaError> {
        Workload::parse(Source { file: "", text: &file.to_toml()? }, files)
    }

    /// The only population, if there is just one.
    #[must_use]
    pub fn only(&self) -> Option<&Population> {
        match self.populations.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }

    /// The population that sends requests of this kind.
    #[must_use]
    pub fn population_of(&self, kind: u32) -> &Population {
        &self.populations[self.requests[kind as usize].population as usize]
    }

    /// The seed of a population's own streams: the first one's is that of the workload.
    #[must_use]
    pub fn population_seed(&self, population: usize) -> u64 {
        population_seed(self.seed, population)
    }

    /// The system model of all populations; `None` if they differ.
    #[must_use]
    pub fn model(&self) -> Option<Model> {
        let first = self.populations[0].model();
        self.populations.iter().all(|one| one.model() == first).then_some(first)
    }

    /// The system model in a word: `mixed` if populations have different ones.
    #[must_use]
    pub fn model_word(&self) -> String {
        self.model().map_or_else(|| MIXED.to_owned(), |model| model.to_string())
    }

    /// The total of sessions and requests, if they end by themselves, as those of a log do.
    #[must_use]
    pub fn extent(&self) -> Option<Extent> {
        self.only()?.programs.as_ref()?.extent(self.seed)
    }

    /// Whether any sessions are programs.
    #[must_use]
    pub fn has_programs(&self) -> bool {
        self.populations.iter().any(|one| one.programs.is_some())
    }

    /// Whether its sessions end by themselves: those of a log, or of a trace of times.
    #[must_use]
    pub fn comes_to_an_end(&self) -> bool {
        let traced = |one: &Population| match &one.sessions {
            Sessions::Open { arrivals } | Sessions::PartlyOpen { arrivals, .. } => {
                arrivals.is_trace()
            }
            Sessions::Closed { .. } => false,
        };
        self.populations.iter().all(traced) || self.extent().is_some()
    }

    /// The mean number of requests a session; infinite for a closed model. NaN if a program chooses
    /// them during the run, or if there are several populations.
    #[must_use]
    pub fn requests_per_session(&self) -> f64 {
        self.only().map_or(f64::NAN, |one| one.requests_per_session(self.seed))
    }

    /// The mean think time in seconds; 0 for an open model, NaN if there are several populations.
    #[must_use]
    pub fn mean_think_s(&self) -> f64 {
        let mean = |one: &Population| one.think().map_or(0.0, |think| think.mean());
        self.only().map_or(f64::NAN, mean)
    }

    /// The long-run rates of requests of the populations, if none depends on the system.
    #[must_use]
    pub fn request_rates(&self) -> Option<Vec<f64>> {
        self.populations.iter().map(Population::request_rate).collect()
    }

    /// The long-run rate of requests that the workload asks for, if it does not depend on the
    /// system: requests a second; `None` with a closed model, or if a program chooses requests.
    #[must_use]
    pub fn request_rate(&self) -> Option<f64> {
        self.request_rates().map(|rates| rates.iter().sum())
    }
}

/// The model's name of a workload whose populations have different ones.
pub const MIXED: &str = "mixed";

fn population_seed(seed: u64, population: usize) -> u64 {
    match population {
        0 => seed,
        other => Stream::new(seed, other as u64, Purpose::Population).bits(),
    }
}

#[cfg(test)]
mod tests;
