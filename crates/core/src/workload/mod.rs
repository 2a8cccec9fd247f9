//! A workload, checked and ready to run: sessions arriving.
//!
//! Open is one request a session, closed is N sessions that never end, partly open is in between.

mod check;
mod clients;
mod file;
mod grpc;
mod length;
mod message;
mod pattern;
mod replayed;
mod request;
mod retry;
mod session;
mod slo;
mod start;

pub use clients::{ClientLimits, RetryBudget};
pub use file::{
    ArrivalsTable, Cancel, ClientsTable, Model, RequestTable, RetryBudgetTable, RetryTable,
    RetryWhen, Reuse, SloTable, WorkloadFile,
};
pub(crate) use length::{SessionLength, Thinks};
pub use message::{Expect, Message};
pub use pattern::{Pattern, Search, Searcher};
pub use request::{Method, RequestKind, Target};
pub use retry::Retry;
pub use session::{Browsing, OnError, SessionTable};
pub use slo::{Breach, Slo};
pub use start::{Beginning, Start};

use std::sync::Arc;

use crate::arrival::ArrivalProcess;
use crate::data::DataTable;
use crate::distribution::Distribution;
use crate::error::Invalid;
use crate::files::Files;
use crate::program::{Extent, ProgramSource};
use crate::schema::{Scalar, SchemaError, Source};
use check::Check;

/// A workload, checked.
#[derive(Clone, Debug)]
pub struct Workload {
    /// Its name.
    pub name: String,
    /// The seed of all its streams.
    pub seed: u64,
    /// Which sessions there are.
    pub sessions: Sessions,
    /// What sessions send; never empty.
    pub requests: Vec<RequestKind>,
    /// What all clients have in common.
    pub clients: ClientLimits,
    /// How sessions behave besides what they send.
    pub browsing: Browsing,
    /// Where sessions are programs: what makes them. They choose requests and think times then.
    pub programs: Option<Arc<dyn ProgramSource>>,
    /// The tables that programs read.
    pub data: Arc<[DataTable]>,
    /// What a run is checked against.
    pub slo: Slo,
    /// The plain tables that this was built from.
    pub file: WorkloadFile,
}

/// Which sessions there are.
#[derive(Clone, Debug)]
pub enum Sessions {
    /// Sessions of one request arrive by themselves.
    Open {
        /// When they arrive.
        arrivals: ArrivalProcess,
    },
    /// Sessions that never end.
    Closed {
        /// How many.
        clients: u64,
        /// The think time before each request.
        think: Distribution,
    },
    /// Sessions of several requests arrive by themselves.
    PartlyOpen {
        /// When they arrive.
        arrivals: ArrivalProcess,
        /// The number of requests of a session: draws are rounded, and at least 1.
        requests: Distribution,
        /// The think time between a response and the next request.
        think: Distribution,
    },
}

impl Workload {
    /// Parses a workload file. `files` reads the files that it names.
    ///
    /// # Errors
    /// When the text is no TOML, or a key is unknown, missing, contradictory or has a bad value;
    /// the error names file, line, key and what would be right.
    pub fn parse(source: Source<'_>, files: &dyn Files) -> Result<Workload, SchemaError> {
        let file: WorkloadFile = source.read()?;
        let check = Check { source, files };
        if file.name.is_empty() {
            return check.fail("name", "is empty: it stands in tables and charts");
        }
        let requests = check.requests(&file)?;
        let replay = check.replay(&file, &requests)?;
        let sessions = check.sessions(&file, replay.as_ref())?;
        let slo = match &file.slo {
            Some(table) => Slo::from_table(table)
                .map_err(|(key, error)| source.error(&format!("slo.{key}"), &error))?,
            None => Slo::default(),
        };
        let clients = ClientLimits::from_table(file.clients.as_ref())
            .map_err(|(key, error)| source.error(&format!("clients.{key}"), &error))?;
        let browsing = Browsing::from_table(&file.session)
            .map_err(|(key, error)| source.error(&format!("session.{key}"), &error))?;
        let programs = check.programs(&file, &requests, replay)?;
        let data = check.data(&file)?;
        let (name, seed) = (file.name.clone(), file.seed);
        Ok(Workload {
            name,
            seed,
            sessions,
            requests,
            clients,
            browsing,
            programs,
            data,
            slo,
            file,
        })
    }

    /// Builds a workload from plain tables, as after a change to one of them.
    ///
    /// # Errors
    /// As [`Workload::parse`]; the line is that of the tables written out.
    pub fn from_file(file: &WorkloadFile, files: &dyn Files) -> Result<Workload, SchemaError> {
        Workload::parse(Source { file: "", text: &to_toml(file)? }, files)
    }

    /// The system model.
    #[must_use]
    pub fn model(&self) -> Model {
        self.file.arrivals.model
    }

    /// All sessions and requests that there will be, where they come to an end by themselves: those
    /// of a log.
    #[must_use]
    pub fn extent(&self) -> Option<Extent> {
        self.programs.as_ref()?.extent(self.seed)
    }

    /// The mean number of requests a session; infinite for a closed model, NaN where a program
    /// chooses them as it goes.
    #[must_use]
    pub fn requests_per_session(&self) -> f64 {
        match &self.sessions {
            Sessions::PartlyOpen { .. } if self.programs.is_some() => self
                .extent()
                .map_or(f64::NAN, |extent| extent.requests as f64 / extent.sessions as f64),
            Sessions::Open { .. } => 1.0,
            Sessions::Closed { .. } => f64::INFINITY,
            Sessions::PartlyOpen { requests, .. } => SessionLength::new(requests.clone()).mean(),
        }
    }

    /// The mean think time in seconds; 0 for an open model.
    #[must_use]
    pub fn mean_think_s(&self) -> f64 {
        match &self.sessions {
            Sessions::Open { .. } => 0.0,
            Sessions::Closed { think, .. } | Sessions::PartlyOpen { think, .. } => think.mean(),
        }
    }

    /// The long-run rate of requests that the workload asks for, where it does not depend on the
    /// system: requests a second; none for a closed model, or where a program chooses requests.
    #[must_use]
    pub fn request_rate(&self) -> Option<f64> {
        if self.programs.is_some() {
            return None;
        }
        match &self.sessions {
            Sessions::Open { arrivals } => Some(arrivals.mean_rate()),
            Sessions::Closed { .. } => None,
            Sessions::PartlyOpen { arrivals, .. } => {
                Some(arrivals.mean_rate() * self.requests_per_session())
            }
        }
    }

    /// The same workload at another rate of sessions, events a second (not for closed).
    ///
    /// # Errors
    /// When the rate is not usable, or the model is closed.
    pub fn with_rate(&self, rate: f64, files: &dyn Files) -> Result<Workload, SchemaError> {
        let mut file = self.file.clone();
        file.arrivals.rate = Some(Scalar::Text(format!("{rate}/s")));
        Workload::from_file(&file, files)
    }

    /// The same workload with its think times `factor` times as long (not for open).
    ///
    /// # Errors
    /// When the think time cannot be stretched.
    pub fn with_think_scaled(&self, factor: f64) -> Result<Workload, Invalid> {
        let mut scaled = self.clone();
        let think = match &mut scaled.sessions {
            Sessions::Open { .. } => return Err(Invalid::new("an open model has no think time")),
            Sessions::Closed { think, .. } | Sessions::PartlyOpen { think, .. } => think,
        };
        *think = think.scaled(factor)?;
        scaled.file.session.think = Some(Scalar::Text(think.to_string()));
        Ok(scaled)
    }

    /// The same workload with another seed.
    #[must_use]
    pub fn with_seed(&self, seed: u64) -> Workload {
        let mut changed = self.clone();
        changed.seed = seed;
        changed.file.seed = seed;
        changed
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
