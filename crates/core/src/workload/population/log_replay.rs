//! Workloads that replay a log: their checks, and their parts.

use thinktime_file::error::Invalid;
use thinktime_file::schema::SchemaError;
use thinktime_file::units::Dimension;
use thinktime_file::workload::{Model, PopulationTable};

use super::super::Sessions;
use super::super::check::Check;
use super::super::constant::constant;
use crate::arrival::ArrivalProcess;
use crate::distribution::Distribution;
use crate::replay::{Replay, Settings};
use crate::request::RequestKind;

/// The key that names the log.
const PROCESS: &str = "arrivals.process";

impl Check<'_> {
    /// The log that is replayed, if one is.
    pub(crate) fn replay(
        &self,
        table: &PopulationTable,
        kinds: &[RequestKind],
    ) -> Result<Option<Replay>, SchemaError> {
        let wrong = |error: Invalid| self.error(PROCESS, &error);
        let Some(text) = table.arrivals.process.as_deref() else { return Ok(None) };
        let Some(settings) = Settings::parse(text).map_err(wrong)? else { return Ok(None) };
        let model = table.arrivals.model;
        match (model, settings.speed, settings.timeout) {
            (Model::Closed, Some(_), _) => {
                let why = "`speed` does not go with this model: closed clients replay a log as \
                           fast as they can";
                return self.fail(PROCESS, why);
            }
            (Model::Open, _, Some(_)) => {
                let why = "`timeout` does not go with this model: an open one has no sessions; use \
                           model = \"partly-open\" or \"closed\"";
                return self.fail(PROCESS, why);
            }
            _ => {}
        }
        self.alone(table)?;
        let log = self.files.log(&settings.file, &settings.options);
        let log = log.map_err(wrong)?;
        let share = settings.users;
        let kind_of = |word: &str, target: &str| kind_of(kinds, word, target);
        let replay = Replay::new(log, settings, model, kind_of).map_err(wrong)?;
        if replay.next_session(0, self.seed).is_none() {
            let why = format!(
                "`users` chooses none of the log's {} users by the seed {}: give a larger share \
                 than {share}",
                replay.users(),
                self.seed
            );
            return self.fail(PROCESS, &why);
        }
        Ok(Some(replay))
    }

    /// Whether a log is replayed.
    pub(crate) fn is_replayed(&self, table: &PopulationTable) -> bool {
        let process = table.arrivals.process.as_deref();
        process.is_some_and(|text| matches!(Settings::parse(text), Ok(Some(_))))
    }

    /// Refuses keys whose values the log has itself.
    fn alone(&self, table: &PopulationTable) -> Result<(), SchemaError> {
        let own = "a log is replayed at its own times: make it faster or slower by `speed`, as in \
                   process = \"trace(access.log, speed=2)\"";
        self.absent("arrivals.rate", &table.arrivals.rate, own)?;
        self.absent("arrivals.profile", &table.arrivals.profile, own)?;
        let says = "the log says what sessions do";
        self.absent("arrivals.start", &table.arrivals.start, says)?;
        self.absent("session.requests", &table.session.requests, says)?;
        self.absent("session.think", &table.session.think, says)?;
        self.absent("session.script", &table.session.script, says)
    }

    /// The sessions of a log.
    pub(crate) fn log_sessions(
        &self,
        table: &PopulationTable,
        replay: &Replay,
    ) -> Result<Sessions, SchemaError> {
        let model = table.arrivals.model;
        if model == Model::Closed {
            let clients = self.clients(table)?;
            return Ok(Sessions::Closed { clients, requests: None, think: constant(0.0) });
        }
        self.no_clients(table)?;
        let arrivals = ArrivalProcess::of_log(replay.clone());
        if model == Model::Open {
            self.no_end_on_error(table)?;
            return Ok(Sessions::Open { arrivals });
        }
        // Means, for information; the log gives the sessions' actions.
        let think = Distribution::constant(replay.mean_think_s(), Dimension::Time)
            .map_err(|error| self.error(PROCESS, &error))?;
        Ok(Sessions::PartlyOpen { arrivals, requests: Some(constant(1.0)), think })
    }
}

/// The place of the kind of a request; the last kind takes all that no other takes.
fn kind_of(kinds: &[RequestKind], word: &str, target: &str) -> usize {
    let last = kinds.len() - 1;
    RequestKind::place_of(&kinds[..last], word, target).unwrap_or(last)
}
