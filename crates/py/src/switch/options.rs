//! The options of a switch from Python, beside its system: limits and times, by name.

use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use thinktime_core::units::parse_time;
use thinktime_switch::{CheckPath, Checks, Settings};

use crate::errors::{InputError, invalid};

/// More would not help.
const THREADS_MAX: u64 = 256;

/// The interval of health checks, and the longest wait for an answer.
const EVERY: Duration = Duration::from_secs(5);
const WITHIN: Duration = Duration::from_secs(1);

/// Settings, with their defaults.
pub(super) struct SwitchOptions {
    pub(super) settings: Settings,
    /// The path of health checks, if any.
    health: Option<String>,
    every: Option<Duration>,
    within: Option<Duration>,
    /// The path at which servers report their load.
    probe: Option<String>,
}

impl SwitchOptions {
    pub(super) fn new(given: &Bound<'_, PyDict>) -> PyResult<SwitchOptions> {
        let mut all = SwitchOptions {
            settings: Settings::default(),
            health: None,
            every: None,
            within: None,
            probe: None,
        };
        for (name, value) in given.iter() {
            all.set(&name.extract::<String>()?, &value)?;
        }
        Ok(all)
    }

    fn set(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let settings = &mut self.settings;
        let count = || whole(name, value, 1);
        let time = || duration(name, value);
        match name {
            "threads" => settings.threads = count()?.min(THREADS_MAX) as usize,
            "connections" => settings.connections_max = count()? as usize,
            "body_bytes" => settings.body_bytes_max = count()?,
            "waiting" => settings.waiting_max = count()? as usize,
            "failures" => settings.failures = few(count()?),
            "retries" => settings.retries = few(whole(name, value, 0)?),
            "behind_proxy" => settings.behind_proxy = value.extract()?,
            "wait" => settings.wait = time()?,
            "client" => settings.client = time()?,
            "connect" => settings.connect = time()?,
            "first_byte" => settings.first_byte = time()?,
            "idle" => settings.idle = time()?,
            "closed" => settings.closed_for = time()?,
            "drain" => settings.drain = time()?,
            "health" => self.health = value.extract()?,
            "health_every" => self.every = optional(name, value)?,
            "health_within" => self.within = optional(name, value)?,
            "probe" => self.probe = value.extract()?,
            _ => return Err(InputError::new_err(format!("a switch has no setting `{name}`"))),
        }
        Ok(())
    }

    pub(super) fn probe(&self) -> PyResult<Option<CheckPath>> {
        let question = self.probe.as_deref().map(CheckPath::new);
        question.transpose().map_err(|error| invalid(&error))
    }

    pub(super) fn checks(&self) -> PyResult<Option<Checks>> {
        let Some(path) = &self.health else {
            let times = [("health_every", self.every), ("health_within", self.within)];
            return match times.iter().find(|(_, given)| given.is_some()) {
                None => Ok(None),
                Some((name, _)) => Err(InputError::new_err(format!(
                    "{name} is a time of health checks: `health` says which path they ask for"
                ))),
            };
        };
        let (every, within) = (self.every.unwrap_or(EVERY), self.within.unwrap_or(WITHIN));
        Checks::new(path, every, within).map(Some).map_err(|error| invalid(&error))
    }
}

fn whole(name: &str, value: &Bound<'_, PyAny>, least: u64) -> PyResult<u64> {
    match value.extract::<u64>() {
        Ok(number) if (least..=1_000_000_000_000).contains(&number) => Ok(number),
        _ => Err(InputError::new_err(format!(
            "{name} is a whole number from {least} to 1000000000000, not {value}"
        ))),
    }
}

/// Larger values are as good as no limit.
fn few(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn optional(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<Duration>> {
    if value.is_none() { Ok(None) } else { duration(name, value).map(Some) }
}

fn duration(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Duration> {
    let text: String = value.extract()?;
    let seconds = parse_time(&text)
        .map_err(|error| InputError::new_err(format!("{name} = {text}: {error}")))?;
    if !(0.001..=86_400.0).contains(&seconds) {
        return Err(InputError::new_err(format!("{name} is a time from 1ms to 24h, not {text}")));
    }
    Ok(Duration::from_secs_f64(seconds))
}
