//! A workload, checked and ready to run: sessions arriving.
//!
//! Open is one request a session, closed is N sessions that never end, partly open is in between.

mod asked;
mod body;
mod browsed;
mod chain;
mod changed;
mod check;
mod clients;
mod credentials;
mod ends;
mod file;
mod grpc;
mod header;
mod journey;
mod left_behind;
mod length;
mod lookup;
mod message;
mod method;
mod objects;
mod pattern;
mod population;
mod populations;
mod replayed;
mod request;
mod request_table;
mod response_check;
mod retry;
mod session;
mod shared;
mod size;
mod slo;
mod slo_table;
mod sql;
mod start;
mod target;
mod template;
mod valued;
mod values;
mod visits;

pub use asked::{Asked, Targets};
pub use body::{FilePart, FormValue, MultipartValue, form_field};
pub use clients::{ClientLimits, ClientsTable, RetryBudget, RetryBudgetTable, Reuse};
pub use credentials::{Authorities, Aws, AwsTable, Endpoint, Oauth2, Oauth2Table};
pub use file::{ArrivalsTable, Model, PopulationTable, WorkloadFile};
pub use grpc::{GrpcCall, GrpcMessage, GrpcMessages};
pub use header::{Authorization, Secret, header_field};
pub use journey::{Choice, END, Journey};
pub(crate) use length::{Count, Thinks};
pub use lookup::{Json, Lookup, Reads, Response, header_values};
pub use message::{Expect, Message, MessagesValue};
pub use method::Method;
pub use objects::Objects;
pub use pattern::{Pattern, Search, Searcher};
pub use population::{Population, Sessions};
pub use request::RequestKind;
pub use request_table::{Cancel, ObjectsTable, RequestTable, RetryTable, RetryWhen};
pub use response_check::{CheckTable, CheckValue, ResponseCheck};
pub use retry::{Cause, Retry};
pub use session::{Browsing, OnError, SessionTable};
pub use shared::{SharedServer, SharedTable, SharedValue};
pub use size::Sizes;
pub use slo::{Figure, Objective, Of, Slo};
pub use slo_table::{Limit as SloLimit, SloTable};
pub use sql::{Isolation, Sql, Statement};
pub use start::{Beginning, Start};
pub use target::{Target, target_key};
pub use template::Unwritten;
pub use valued::Valued;
pub use values::{Rows, ValueNames};

use crate::error::own_name;
use crate::files::Files;
use crate::program::Extent;
use crate::random::{Purpose, Stream};
use crate::schema::{SchemaError, Source};

/// A workload, checked.
#[derive(Clone, Debug)]
pub struct Workload {
    /// Its name.
    pub name: String,
    /// The seed of all its streams.
    pub seed: u64,
    /// Who there is; never empty.
    pub populations: Vec<Population>,
    /// What sessions send, one population after another; never empty.
    pub requests: Vec<RequestKind>,
    /// What a run is checked against.
    pub slo: Slo,
    /// Who keeps what scripts share, if it is not the process itself.
    pub shared: Option<SharedServer>,
    /// The plain tables that this was built from.
    pub file: WorkloadFile,
}

impl Workload {
    /// Parses a workload file. `files` reads the files that it names.
    ///
    /// # Errors
    /// When the text is no TOML, or a key is unknown, missing, contradictory or has a bad value;
    /// the error names file, line, key and what would be right.
    pub fn parse(source: Source<'_>, files: &dyn Files) -> Result<Workload, SchemaError> {
        let file: WorkloadFile = source.read()?;
        own_name(&file.name).map_err(|error| source.error("name", &error))?;
        let (populations, requests) = populations::populations(source, files, &file)?;
        let slo = match &file.slo {
            Some(table) => {
                let known = slo::Known { populations: &populations, requests: &requests };
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
    /// As [`Workload::parse`]; the line is that of the tables written out.
    pub fn from_file(file: &WorkloadFile, files: &dyn Files) -> Result<Workload, SchemaError> {
        Workload::parse(Source { file: "", text: &to_toml(file)? }, files)
    }

    /// The only population, where there is one.
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

    /// The system model that all populations have; none where they differ.
    #[must_use]
    pub fn model(&self) -> Option<Model> {
        let first = self.populations[0].model();
        self.populations.iter().all(|one| one.model() == first).then_some(first)
    }

    /// The system model in a word: `mixed` where populations have different ones.
    #[must_use]
    pub fn model_word(&self) -> String {
        self.model().map_or_else(|| MIXED.to_owned(), |model| model.to_string())
    }

    /// All sessions and requests that there will be, where they come to an end by themselves: those
    /// of a log.
    #[must_use]
    pub fn extent(&self) -> Option<Extent> {
        self.only()?.programs.as_ref()?.extent(self.seed)
    }

    /// Whether any sessions are programs.
    #[must_use]
    pub fn has_programs(&self) -> bool {
        self.populations.iter().any(|one| one.programs.is_some())
    }

    /// Whether its sessions come to an end by themselves: those of a log, or of a trace of times.
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

    /// The mean number of requests a session; infinite for a closed model, NaN where a program
    /// chooses them as it goes, or where there are several populations.
    #[must_use]
    pub fn requests_per_session(&self) -> f64 {
        self.only().map_or(f64::NAN, |one| one.requests_per_session(self.seed))
    }

    /// The mean think time in seconds; 0 for an open model, NaN where there are several
    /// populations.
    #[must_use]
    pub fn mean_think_s(&self) -> f64 {
        let mean = |one: &Population| one.think().map_or(0.0, |think| think.mean());
        self.only().map_or(f64::NAN, mean)
    }

    /// The long-run rates of requests of the populations, where none depends on the system.
    #[must_use]
    pub fn request_rates(&self) -> Option<Vec<f64>> {
        self.populations.iter().map(Population::request_rate).collect()
    }

    /// The long-run rate of requests that the workload asks for, where it does not depend on the
    /// system: requests a second; none with a closed model, or where a program chooses requests.
    #[must_use]
    pub fn request_rate(&self) -> Option<f64> {
        self.request_rates().map(|rates| rates.iter().sum())
    }
}

/// What the model of a workload is called whose populations have different ones.
pub const MIXED: &str = "mixed";

fn population_seed(seed: u64, population: usize) -> u64 {
    match population {
        0 => seed,
        other => Stream::new(seed, other as u64, Purpose::Population).bits(),
    }
}

/// Plain tables as TOML text.
///
/// # Errors
/// When a value cannot be written, such as an infinite number.
pub fn to_toml<T: serde::Serialize>(tables: &T) -> Result<String, SchemaError> {
    toml::to_string(tables).map_err(|error| SchemaError {
        file: String::new(),
        line: 0,
        key: String::new(),
        message: error.to_string(),
    })
}

#[cfg(test)]
mod tests;
