//! The keys of a station whose speed varies, checked.

use thinktime_file::error::Invalid;
use thinktime_file::schema::Scalar;
use thinktime_file::system::{FailureTable, StationTable};
use thinktime_file::units::Dimension;

use crate::distribution::Distribution;
use crate::files::Files;
use crate::notation::{Arguments, Call, Label};
use crate::system::finite_mean::finite_mean;
use crate::system::read::ReadResult;

/// How the speed of a station depends on its state and on time.
#[derive(Clone, Debug, PartialEq)]
pub struct PaceModel {
    /// The total speed with 1, 2, ... requests present, in units of one server; the last one is
    /// that with more. Empty if each busy server has a speed of 1.
    pub(super) rates: Vec<f64>,
    pub(super) failure: Option<FailureLaw>,
    pub(super) setup: Option<SetupLaw>,
}

/// Failures of a whole station, and their repairs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FailureLaw {
    /// The time from a repair to the next failure.
    pub(super) after: Distribution,
    pub(super) repair: Distribution,
    /// Whether that time counts only while the station works.
    pub(super) by_work: bool,
}

/// A station that is off when it has been empty for a while.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SetupLaw {
    /// The time from a request's arrival, if the station is off, to the beginning of service.
    pub(super) time: Distribution,
    /// How long it stays on when it is empty; `None` for no time.
    pub(super) idle: Option<Distribution>,
}

/// The largest speed, beside which a nanosecond of the demand still counts.
const RATE_MAX: f64 = 1000.0;
/// The shortest mean time between two failures: a station that is empty for long may have billions
/// of shorter ones.
const AFTER_LEAST_S: f64 = 1e-3;

impl PaceModel {
    /// The keys of a table; `None` if the speed never varies.
    pub(in crate::system) fn from_table(
        table: &StationTable,
        files: &dyn Files,
    ) -> ReadResult<Option<PaceModel>> {
        let rates = table.rate.as_deref().map(rates).transpose();
        // Without a table every server has the speed 1.
        let rates = rates.map_err(|error| ("rate".to_owned(), error))?.unwrap_or_default();
        let failure = table.failure.as_ref().map(|one| FailureLaw::from_table(one, files));
        let (failure, setup) = (failure.transpose()?, SetupLaw::from_table(table, files)?);
        let varies = !rates.is_empty() || failure.is_some() || setup.is_some();
        if varies && table.queue_timeout.is_some() {
            let message = "does not go with `rate`, `failure` or `setup` yet: leave it out, or \
                           give the request of the workload a `timeout`";
            return Err(("queue_timeout".to_owned(), Invalid::new(message)));
        }
        Ok(varies.then_some(PaceModel { rates, failure, setup }))
    }

    /// The speed in the long run with very many requests, in units of one server, if the station
    /// has this many servers.
    pub(in crate::system) fn long_run(&self, servers: f64) -> f64 {
        let rate = self.rates.last().copied().unwrap_or(servers);
        self.failure.as_ref().map_or(rate, |failure| rate * failure.availability())
    }
}

impl FailureLaw {
    fn from_table(table: &FailureTable, files: &dyn Files) -> ReadResult<FailureLaw> {
        let (after, repair) = (
            time("failure.after", &table.after, files)?,
            time("failure.repair", &table.repair, files)?,
        );
        if after.mean() < AFTER_LEAST_S {
            let message = format!("`{after}` needs a mean of at least 1ms");
            return Err(("failure.after".to_owned(), Invalid::new(message)));
        }
        let by_work = match table.clock.as_deref().unwrap_or(FailureTable::CLOCK) {
            "time" => false,
            "work" => true,
            other => {
                let message = format!(
                    "must be \"time\", if it may also fail while it is empty, or \"work\", not \
                     `{other}`"
                );
                return Err(("failure.clock".to_owned(), Invalid::new(message)));
            }
        };
        Ok(FailureLaw { after, repair, by_work })
    }

    /// The mean time from one failure to the next, without breaks.
    pub(super) fn cycle_s(&self) -> f64 {
        self.after.mean() + self.repair.mean()
    }

    /// The part of time at work in which the station is up, in the long run.
    fn availability(&self) -> f64 {
        self.after.mean() / self.cycle_s()
    }
}

impl SetupLaw {
    fn from_table(table: &StationTable, files: &dyn Files) -> ReadResult<Option<SetupLaw>> {
        let law = |key, scalar: &Option<Scalar>| {
            scalar.as_ref().map(|scalar| time(key, scalar, files)).transpose()
        };
        let (setup, idle) = (law("setup", &table.setup)?, law("idle_for", &table.idle_for)?);
        match (setup, idle) {
            (Some(time), idle) => Ok(Some(SetupLaw { time, idle })),
            (None, None) => Ok(None),
            (None, Some(_)) => {
                let message = "goes with `setup`, the time that the station needs to turn on again";
                Err(("idle_for".to_owned(), Invalid::new(message)))
            }
        }
    }
}

/// A law of times with a finite mean.
fn time(key: &str, scalar: &Scalar, files: &dyn Files) -> ReadResult<Distribution> {
    let law =
        Distribution::parse(&scalar.text(), files).and_then(|law| law.expect(Dimension::Time));
    law.and_then(finite_mean).map_err(|error| (key.to_owned(), error))
}

const RATE: &str = "table(SPEED, SPEED, ...)";

/// The speeds of `table(1, 1.5, 1.8)`.
fn rates(text: &str) -> Result<Vec<f64>, Invalid> {
    let wrong = |what: &str| {
        Invalid::new(format!(
            "`{text}` {what}: write it as {RATE}, the total speed with 1, 2, ... requests \
             present, in units of one server"
        ))
    };
    let call = Call::parse(text).map_err(|_| wrong("is not a table of speeds"))?;
    if call.name != "table" || call.arguments.is_empty() {
        return Err(wrong("is not a table of speeds"));
    }
    if call.arguments.iter().any(|one| one.label != Label::None) {
        return Err(wrong("has a label"));
    }
    let one = |argument: &crate::notation::Argument| {
        let alone = Call { name: call.name.clone(), arguments: vec![argument.clone()] };
        let speed = Arguments::new(&alone, RATE, &["speed"])?.number("speed", Dimension::Number)?;
        let usual = speed > 0.0 && speed <= RATE_MAX;
        if usual {
            Ok(speed)
        } else {
            Err(wrong("has a speed that is not above 0 and at most 1000"))
        }
    };
    call.arguments.iter().map(one).collect()
}
