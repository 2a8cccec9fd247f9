//! A workload, checked and ready to run: sessions arriving.
//!
//! Open is one request a session, closed is N sessions that never end, partly open is in between.

mod file;
mod request;
mod slo;

pub use file::{
    ArrivalsTable, Model, RequestTable, RetryTable, SessionTable, SloTable, WorkloadFile,
};
pub use request::{Method, RequestKind, Retry, Target};
pub use slo::{Breach, Slo};

use crate::arrival::ArrivalProcess;
use crate::distribution::Distribution;
use crate::error::Invalid;
use crate::files::Files;
use crate::schema::{Scalar, SchemaError, Source};
use crate::units::{Dimension, format_time};

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
        let sessions = check.sessions(&file)?;
        let requests = check.requests(&file)?;
        let slo = match &file.slo {
            Some(table) => Slo::from_table(table)
                .map_err(|(key, error)| source.error(&format!("slo.{key}"), &error))?,
            None => Slo::default(),
        };
        Ok(Workload { name: file.name.clone(), seed: file.seed, sessions, requests, slo, file })
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

    /// The mean number of requests a session; infinite for a closed model.
    #[must_use]
    pub fn requests_per_session(&self) -> f64 {
        match &self.sessions {
            Sessions::Open { .. } => 1.0,
            Sessions::Closed { .. } => f64::INFINITY,
            Sessions::PartlyOpen { requests, .. } => whole_mean(requests),
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
    /// system: requests a second; none for a closed model.
    #[must_use]
    pub fn request_rate(&self) -> Option<f64> {
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

/// E[N] for N = max(1, round(X)), as the sum over n >= 0 of P(N > n).
fn whole_mean(law: &Distribution) -> f64 {
    let mut mean = 1.0;
    for n in 1..10_000_000u64 {
        // Halves are rounded up, so N > n where X >= n + 1/2.
        let above = 1.0 - law.cdf((n as f64 + 0.5).next_down());
        mean += above;
        if above < 1e-12 {
            break;
        }
    }
    mean
}

/// Checks one file's values.
struct Check<'a> {
    source: Source<'a>,
    files: &'a dyn Files,
}

impl Check<'_> {
    fn fail<T>(&self, key: &str, message: &str) -> Result<T, SchemaError> {
        Err(self.source.error(key, &Invalid::new(message)))
    }

    fn sessions(&self, file: &WorkloadFile) -> Result<Sessions, SchemaError> {
        match file.arrivals.model {
            Model::Open => {
                self.absent("session.requests", &file.session.requests, "an open session has one")?;
                self.absent("session.think", &file.session.think, "an open session has none")?;
                Ok(Sessions::Open { arrivals: self.arrivals(file)? })
            }
            Model::PartlyOpen => Ok(Sessions::PartlyOpen {
                arrivals: self.arrivals(file)?,
                requests: self.session_length(file)?,
                think: self.think(file)?,
            }),
            Model::Closed => self.closed(file),
        }
    }

    fn closed(&self, file: &WorkloadFile) -> Result<Sessions, SchemaError> {
        let why = "a closed model has no arrivals of its own: `clients` says how many sessions \
                   there are; for arrivals use model = \"open\" or \"partly-open\"";
        self.absent("arrivals.rate", &file.arrivals.rate, why)?;
        self.absent("arrivals.process", &file.arrivals.process, why)?;
        self.absent("arrivals.profile", &file.arrivals.profile, why)?;
        let endless = "a closed session never ends";
        self.absent("session.requests", &file.session.requests, endless)?;
        match file.arrivals.clients {
            Some(clients @ 1..=10_000_000) => {
                Ok(Sessions::Closed { clients, think: self.think(file)? })
            }
            Some(_) => self.fail("arrivals.clients", "must be from 1 to 10000000"),
            None => self.fail(
                "arrivals",
                "a closed model needs `clients`, the number of sessions, as in clients = 50",
            ),
        }
    }

    fn absent<T>(&self, key: &str, value: &Option<T>, why: &str) -> Result<(), SchemaError> {
        match value {
            None => Ok(()),
            Some(_) => self.fail(key, &format!("does not go with this model: {why}")),
        }
    }

    fn arrivals(&self, file: &WorkloadFile) -> Result<ArrivalProcess, SchemaError> {
        let table = &file.arrivals;
        let why = "sessions arrive by themselves: give their `rate`";
        self.absent("arrivals.clients", &table.clients, why)?;
        ArrivalProcess::from_table(table, self.files)
            .map_err(|(key, error)| self.source.error(&format!("arrivals.{key}"), &error))
    }

    fn session_length(&self, file: &WorkloadFile) -> Result<Distribution, SchemaError> {
        let Some(scalar) = &file.session.requests else {
            return self.fail(
                "session",
                "a partly-open model needs `requests`, the number of requests of a session, \
                 as in requests = \"geometric(4)\"",
            );
        };
        let law = self.distribution("session.requests", scalar, Dimension::Number)?;
        if law.mean().is_finite() {
            return Ok(law);
        }
        self.fail("session.requests", "needs a finite mean")
    }

    fn think(&self, file: &WorkloadFile) -> Result<Distribution, SchemaError> {
        match &file.session.think {
            Some(scalar) => self.distribution("session.think", scalar, Dimension::Time),
            None => self.fail(
                "session",
                &format!(
                    "a {} model needs `think`, the time between a response and the session's \
                     next request, as in think = \"exp({})\" (or \"0s\")",
                    file.arrivals.model,
                    format_time(7.0)
                ),
            ),
        }
    }

    fn distribution(
        &self,
        key: &str,
        scalar: &Scalar,
        dimension: Dimension,
    ) -> Result<Distribution, SchemaError> {
        Distribution::parse(&scalar.text(), self.files)
            .and_then(|law| law.expect(dimension))
            .map_err(|error| self.source.error(key, &error))
    }

    fn requests(&self, file: &WorkloadFile) -> Result<Vec<RequestKind>, SchemaError> {
        if file.request.is_empty() {
            return Ok(vec![RequestKind::plain()]);
        }
        let mut kinds: Vec<RequestKind> = Vec::new();
        for (at, table) in file.request.iter().enumerate() {
            let place = |key: &str| format!("request.{at}.{key}");
            let kind = RequestKind::from_table(table, self.files)
                .map_err(|(key, error)| self.source.error(&place(key), &error))?;
            if kinds.iter().any(|other| other.name == kind.name) {
                return self.fail(&place("name"), "is taken by another request");
            }
            kinds.push(kind);
        }
        Ok(kinds)
    }
}

#[cfg(test)]
mod tests;
