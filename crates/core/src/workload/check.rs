//! Checking a workload file's values, and that they go together.

use std::sync::Arc;

use super::Sessions;
use super::file::{Model, WorkloadFile};
use super::request::RequestKind;
use crate::arrival::ArrivalProcess;
use crate::data::DataTable;
use crate::distribution::Distribution;
use crate::error::Invalid;
use crate::files::Files;
use crate::program::ProgramSource;
use crate::replay::Replay;
use crate::schema::{Scalar, SchemaError, Source};
use crate::units::Dimension;

pub(super) fn constant(value: f64) -> Distribution {
    Distribution::constant(value, Dimension::Number).expect("it is a finite number")
}

const SCRIPT_START: &str = "what a script's sessions do in the long run is not known before, so \
                            they always begin empty";

/// Checks one file's values.
pub(super) struct Check<'a> {
    pub(super) source: Source<'a>,
    pub(super) files: &'a dyn Files,
}

impl Check<'_> {
    pub(super) fn fail<T>(&self, key: &str, message: &str) -> Result<T, SchemaError> {
        Err(self.source.error(key, &Invalid::new(message)))
    }

    /// What makes the programs of sessions, if they are programs: those of a log, or a script.
    pub(super) fn programs(
        &self,
        file: &WorkloadFile,
        requests: &[RequestKind],
        replay: Option<Replay>,
    ) -> Result<Option<Arc<dyn ProgramSource>>, SchemaError> {
        if let Some(replay) = replay {
            return Ok(Some(Arc::new(replay)));
        }
        let Some(script) = &file.session.script else { return Ok(None) };
        let names: Vec<&str> = requests.iter().map(|kind| kind.name.as_str()).collect();
        let programs = self.files.program(script, &names);
        programs.map(Some).map_err(|error| self.source.error("session.script", &error))
    }

    /// The tables that programs read.
    pub(super) fn data(&self, file: &WorkloadFile) -> Result<Arc<[DataTable]>, SchemaError> {
        let names = &file.session.data;
        if !names.is_empty() && file.session.script.is_none() {
            return self.fail("session.data", "is for a `script`, and there is none");
        }
        let tables = names.iter().map(|name| self.files.table(name));
        tables.collect::<Result<_, _>>().map_err(|error| self.source.error("session.data", &error))
    }

    pub(super) fn sessions(
        &self,
        file: &WorkloadFile,
        replay: Option<&Replay>,
    ) -> Result<Sessions, SchemaError> {
        if let Some(replay) = replay {
            return self.replayed(file, replay);
        }
        if file.session.script.is_some() {
            self.absent("arrivals.start", &file.arrivals.start, SCRIPT_START)?;
        }
        match file.arrivals.model {
            Model::Open => {
                let why = "nobody thinks in an open model, so it always begins empty";
                self.absent("arrivals.start", &file.arrivals.start, why)?;
                self.absent("session.requests", &file.session.requests, "an open session has one")?;
                self.absent("session.think", &file.session.think, "an open session has none")?;
                let why = "a program is a session: use model = \"partly-open\" or \"closed\"";
                self.absent("session.script", &file.session.script, why)?;
                self.no_end_on_error(file)?;
                Ok(Sessions::Open { arrivals: self.arrivals(file)? })
            }
            Model::PartlyOpen if file.session.script.is_some() => {
                let why = "the script says what a session does";
                self.absent("session.requests", &file.session.requests, why)?;
                self.absent("session.think", &file.session.think, why)?;
                let (requests, think) = (constant(1.0), constant(0.0));
                Ok(Sessions::PartlyOpen { arrivals: self.arrivals(file)?, requests, think })
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
        Ok(Sessions::Closed { clients: self.clients(file)?, think: self.think(file)? })
    }

    /// The number of clients of a closed model.
    pub(super) fn clients(&self, file: &WorkloadFile) -> Result<u64, SchemaError> {
        match file.arrivals.clients {
            Some(clients @ 1..=10_000_000) => Ok(clients),
            Some(_) => self.fail("arrivals.clients", "must be from 1 to 10000000"),
            None => self.fail(
                "arrivals",
                "a closed model needs `clients`, the number of sessions, as in clients = 50",
            ),
        }
    }

    pub(super) fn absent<T>(
        &self,
        key: &str,
        value: &Option<T>,
        why: &str,
    ) -> Result<(), SchemaError> {
        match value {
            None => Ok(()),
            Some(_) => self.fail(key, &format!("does not go with this model: {why}")),
        }
    }

    fn arrivals(&self, file: &WorkloadFile) -> Result<ArrivalProcess, SchemaError> {
        self.no_clients(file)?;
        ArrivalProcess::from_table(&file.arrivals, self.files)
            .map_err(|(key, error)| self.source.error(&format!("arrivals{key}"), &error))
    }

    pub(super) fn no_clients(&self, file: &WorkloadFile) -> Result<(), SchemaError> {
        let why = "sessions arrive by themselves: give their `rate`";
        self.absent("arrivals.clients", &file.arrivals.clients, why)
    }

    pub(super) fn no_end_on_error(&self, file: &WorkloadFile) -> Result<(), SchemaError> {
        let why = "an open session ends with its request";
        self.absent("session.on_error", &file.session.on_error, why)
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
            None if file.session.script.is_some() => Ok(constant(0.0)),
            None => self.fail(
                "session",
                &format!(
                    "a {} model needs `think`, the time between a response and the session's \
                     next request, as in think = \"exp({})\" (or \"0s\")",
                    file.arrivals.model, "7s"
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

    pub(super) fn requests(&self, file: &WorkloadFile) -> Result<Vec<RequestKind>, SchemaError> {
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
