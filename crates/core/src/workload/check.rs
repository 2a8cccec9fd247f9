//! Checking a workload file's values, and that they fit together.

use std::collections::BTreeMap;
use std::sync::Arc;

use thinktime_file::error::Invalid;
use thinktime_file::schema::{Scalar, SchemaError, Source};
use thinktime_file::units::Dimension;
use thinktime_file::workload::{Model, PopulationTable};

use super::constant::constant;
use super::files::WorkloadFiles;
use super::population::Visits;
use super::population::course::Course;
use super::{Browsing, Population, Sessions};
use crate::arrival::ArrivalProcess;
use crate::data::DataTable;
use crate::distribution::Distribution;
use crate::journey::END;
use crate::program::ProgramSource;
use crate::replay::Replay;
use crate::request::{Common, Keyed, RequestKind, ValueNames};

/// The largest number of clients of a population, and of all populations together.
pub(super) const CLIENTS_MAX: u64 = 10_000_000;

const SCRIPT_START: &str = "the long run of a script's sessions is not known beforehand, so they \
                            always begin empty";

/// Checks one population's values.
pub(super) struct Check<'a> {
    pub(super) source: Source<'a>,
    pub(super) files: &'a dyn WorkloadFiles,
    /// The prefix of its keys; empty if the file names no populations.
    pub(super) path: String,
    /// The seed of its streams.
    pub(super) seed: u64,
}

impl Check<'_> {
    pub(super) fn fail<T>(&self, key: &str, message: &str) -> Result<T, SchemaError> {
        Err(self.error(key, &Invalid::new(message)))
    }

    pub(super) fn error(&self, key: &str, error: &Invalid) -> SchemaError {
        self.source.error(&format!("{}{key}", self.path), error)
    }

    /// A value of a table of this name; an error comes with its key.
    pub(super) fn keyed<T>(&self, table: &str, read: Keyed<T>) -> Result<T, SchemaError> {
        read.map_err(|(key, error)| self.error(&format!("{table}.{key}"), &error))
    }

    /// The population of a table, whose kinds of request come after `before` others.
    pub(super) fn population(
        &self,
        table: PopulationTable,
        kinds: &[RequestKind],
        before: usize,
        (data, values): (Arc<[DataTable]>, ValueNames),
    ) -> Result<Population, SchemaError> {
        let replay = self.replay(&table, kinds)?;
        let course = self.course(&table, kinds)?;
        let sessions = self.sessions(&table, replay.as_ref())?;
        let clients = self.client_limits(&table, kinds, &sessions)?;
        let browsing = self.keyed("session", Browsing::from_table(&table.session))?;
        let common = self.common_fields(&table, &values)?;
        let visits = self.visits(kinds, &course, &sessions)?;
        Ok(Population {
            name: table.name.clone(),
            sessions,
            kinds: before..before + kinds.len(),
            mix: visits.mix,
            visits: visits.visits,
            journey: course.journey,
            steps: visits.steps,
            thinks: kinds.iter().map(|kind| kind.think.clone()).collect(),
            has_pages: kinds.iter().any(|kind| kind.objects.is_some()),
            lasts: course.lasts,
            ends_at: course.ends_at,
            cache: course.cache,
            clients,
            headers: common.headers,
            subprotocols: common.subprotocols,
            authorization: common.authorization,
            password: common.password,
            secrets_at: common.secrets_at,
            browsing,
            programs: self.programs(&table, kinds, replay)?,
            data,
            values,
            table,
        })
    }

    fn visits(
        &self,
        kinds: &[RequestKind],
        course: &Course,
        sessions: &Sessions,
    ) -> Result<Visits, SchemaError> {
        Visits::new(kinds, course, sessions.length().as_ref())
            .map_err(|error| self.error("request", &error))
    }

    /// The maker of the sessions' programs, if they are programs: a log, or a script.
    pub(super) fn programs(
        &self,
        table: &PopulationTable,
        requests: &[RequestKind],
        replay: Option<Replay>,
    ) -> Result<Option<Arc<dyn ProgramSource>>, SchemaError> {
        if let Some(replay) = replay {
            return Ok(Some(Arc::new(replay)));
        }
        let Some(script) = &table.session.script else { return Ok(None) };
        let programs = self.files.program(script, requests);
        programs.map(Some).map_err(|error| self.error("session.script", &error))
    }

    pub(super) fn sessions(
        &self,
        table: &PopulationTable,
        replay: Option<&Replay>,
    ) -> Result<Sessions, SchemaError> {
        if let Some(replay) = replay {
            return self.log_sessions(table, replay);
        }
        if table.session.script.is_some() {
            self.absent("arrivals.start", &table.arrivals.start, SCRIPT_START)?;
        }
        match table.arrivals.model {
            Model::Open => {
                let why = "nobody thinks in an open model, so it always begins empty";
                self.absent("arrivals.start", &table.arrivals.start, why)?;
                self.absent(
                    "session.requests",
                    &table.session.requests,
                    "an open session has one",
                )?;
                self.absent("session.think", &table.session.think, "an open session has none")?;
                let why = "a program is a session: use model = \"partly-open\" or \"closed\"";
                self.absent("session.script", &table.session.script, why)?;
                self.no_end_on_error(table)?;
                Ok(Sessions::Open { arrivals: self.arrivals(table)? })
            }
            Model::PartlyOpen if table.session.script.is_some() => self.scripted(table),
            Model::PartlyOpen => Ok(Sessions::PartlyOpen {
                arrivals: self.arrivals(table)?,
                requests: self.session_length(table)?,
                think: self.think(table)?,
            }),
            Model::Closed => self.closed(table),
        }
    }

    fn scripted(&self, table: &PopulationTable) -> Result<Sessions, SchemaError> {
        let why = "the script says what a session does";
        self.absent("session.requests", &table.session.requests, why)?;
        self.absent("session.think", &table.session.think, why)?;
        let (requests, think) = (Some(constant(1.0)), constant(0.0));
        Ok(Sessions::PartlyOpen { arrivals: self.arrivals(table)?, requests, think })
    }

    fn closed(&self, table: &PopulationTable) -> Result<Sessions, SchemaError> {
        let why = "a closed model has no arrivals of its own: `clients` says how many sessions \
                   there are; for arrivals use model = \"open\" or \"partly-open\"";
        self.absent("arrivals.rate", &table.arrivals.rate, why)?;
        self.absent("arrivals.process", &table.arrivals.process, why)?;
        self.absent("arrivals.profile", &table.arrivals.profile, why)?;
        let endless = "a closed session never ends, unless requests have a `next`";
        if !table.request.iter().any(|one| one.next.is_some()) {
            self.absent("session.requests", &table.session.requests, endless)?;
        }
        Ok(Sessions::Closed {
            clients: self.clients(table)?,
            requests: self.session_length(table)?,
            think: self.think(table)?,
        })
    }

    /// The number of clients of a closed model.
    pub(super) fn clients(&self, table: &PopulationTable) -> Result<u64, SchemaError> {
        match table.arrivals.clients {
            Some(clients @ 1..=CLIENTS_MAX) => Ok(clients),
            Some(_) => self.fail("arrivals.clients", &format!("must be from 1 to {CLIENTS_MAX}")),
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

    fn arrivals(&self, table: &PopulationTable) -> Result<ArrivalProcess, SchemaError> {
        self.no_clients(table)?;
        ArrivalProcess::from_table(&table.arrivals, self.files)
            .map_err(|(key, error)| self.error(&format!("arrivals{key}"), &error))
    }

    pub(super) fn no_clients(&self, table: &PopulationTable) -> Result<(), SchemaError> {
        let why = "sessions arrive by themselves: give their `rate`";
        self.absent("arrivals.clients", &table.arrivals.clients, why)
    }

    pub(super) fn no_end_on_error(&self, table: &PopulationTable) -> Result<(), SchemaError> {
        let why = "an open session ends with its request";
        self.absent("session.on_error", &table.session.on_error, why)
    }

    /// The number of requests of a session; `None` if something else ends it.
    pub(super) fn session_length(
        &self,
        table: &PopulationTable,
    ) -> Result<Option<Distribution>, SchemaError> {
        let ends = |next: &BTreeMap<String, f64>| next.get(END).is_some_and(|share| *share > 0.0);
        let Some(scalar) = &table.session.requests else {
            let journey = table.request.iter().filter_map(|one| one.next.as_ref()).any(ends);
            if journey || table.session.lasts.is_some() || table.arrivals.model == Model::Closed {
                return Ok(None);
            }
            return self.fail(
                "session",
                "a partly-open model needs `requests`, the number of requests of a session, \
                 as in requests = \"geometric(4)\", or requests with a `next` that comes to `end`",
            );
        };
        let law = self.distribution("session.requests", scalar, Dimension::Number)?;
        if law.mean().is_finite() {
            return Ok(Some(law));
        }
        self.fail("session.requests", "needs a finite mean")
    }

    fn think(&self, table: &PopulationTable) -> Result<Distribution, SchemaError> {
        match &table.session.think {
            Some(scalar) => self.distribution("session.think", scalar, Dimension::Time),
            None if table.session.script.is_some() => Ok(constant(0.0)),
            None => self.fail(
                "session",
                &format!(
                    "a {} model needs `think`, the time between a response and the session's \
                     next request, as in think = \"exp({})\" (or \"0s\")",
                    table.arrivals.model, "7s"
                ),
            ),
        }
    }

    pub(super) fn distribution(
        &self,
        key: &str,
        scalar: &Scalar,
        dimension: Dimension,
    ) -> Result<Distribution, SchemaError> {
        Distribution::parse(&scalar.text(), self.files)
            .and_then(|law| law.expect(dimension))
            .map_err(|error| self.error(key, &error))
    }

    pub(super) fn requests(
        &self,
        table: &PopulationTable,
        values: &ValueNames,
    ) -> Result<Vec<RequestKind>, SchemaError> {
        if table.request.is_empty() {
            return Ok(vec![RequestKind::plain()]);
        }
        let none = BTreeMap::new();
        let headers = table.clients.as_ref().map_or(&none, |clients| &clients.headers);
        let common = Common { headers, values, files: self.files };
        let mut kinds: Vec<RequestKind> = Vec::new();
        for (at, request) in table.request.iter().enumerate() {
            let place = |key: &str| format!("request.{at}.{key}");
            let kind = RequestKind::from_table(request, common)
                .map_err(|(key, error)| self.error(&place(&key), &error))?;
            if kinds.iter().any(|other| other.name == kind.name) {
                return self.fail(&place("name"), "is taken by another request");
            }
            kinds.push(kind);
        }
        self.objects(table, &mut kinds)?;
        Ok(kinds)
    }
}
