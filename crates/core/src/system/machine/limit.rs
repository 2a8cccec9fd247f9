//! The CPU limit of a service, checked.

use thinktime_file::error::Invalid;
use thinktime_file::schema::Scalar;
use thinktime_file::time::Nanos;
use thinktime_file::units::parse_time;

use super::super::read::ReadResult;
use super::features::{Features, QueueNumber};

/// The CPU time that the threads of a service may use: `cpu.max` and `cpu.max.burst` of a control
/// group of Linux (`Documentation/admin-guide/cgroup-v2.rst`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The CPU time that each period adds to the pool; 1 ms at least.
    pub quota: Nanos,
    /// The time between two additions, 1 ms to 1 s.
    pub period: Nanos,
    /// How much the pool may hold beyond the quota, 0 to the quota.
    pub burst: Nanos,
}

/// The keys of a table that give a limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct LimitKeys<'a> {
    pub(super) cpu_limit: Option<&'a Scalar>,
    pub(super) quota: Option<&'a Scalar>,
    pub(super) period: Option<&'a Scalar>,
    pub(super) burst: Option<&'a Scalar>,
}

/// The least quota and the least period: `min_cfs_quota_period` of the kernel.
const LEAST: Nanos = Nanos(1_000_000);
/// The longest period: `max_cfs_quota_period` of the kernel.
const LONGEST_PERIOD: Nanos = Nanos(1_000_000_000);
/// The period without `period`: that of the kernel, and of Kubernetes.
const PERIOD: Nanos = Nanos(100_000_000);
/// More cores than any machine has; quotas stay far below the end of [`Nanos`].
const MOST_CORES: f64 = 1e6;

fn wrong<T>(key: &str, message: impl Into<String>) -> ReadResult<T> {
    Err((key.to_owned(), Invalid::new(message)))
}

impl Limit {
    /// A limit in cores, as in `700m`, in periods of 100 ms.
    ///
    /// # Errors
    /// If that is no number of cores, or less than 1 ms in a period.
    pub fn of_cores(text: &str) -> Result<Limit, Invalid> {
        let quota = quota_of(text, PERIOD).and_then(|quota| enough("cpu_limit", quota));
        let quota = quota.map_err(|(_, error)| error)?;
        Ok(Limit { quota, period: PERIOD, burst: Nanos::ZERO })
    }

    /// The cores that it is worth in the long run.
    #[must_use]
    pub fn cores(&self) -> f64 {
        self.quota.as_secs_f64() / self.period.as_secs_f64()
    }

    /// The limit that the keys give; `None` if they give none.
    pub(super) fn read(keys: LimitKeys<'_>, features: &Features) -> ReadResult<Option<Limit>> {
        if keys.cpu_limit.is_some() && keys.quota.is_some() {
            return wrong("quota", "does not go with cpu_limit, which is a quota in cores");
        }
        let given = [("cpu_limit", keys.cpu_limit), ("quota", keys.quota)];
        let Some((key, value)) = given.into_iter().find_map(|(key, it)| Some((key, it?))) else {
            let lonely = [("period", keys.period), ("burst", keys.burst)];
            return match lonely.into_iter().find(|(_, value)| value.is_some()) {
                Some((key, _)) => wrong(key, "needs a limit: cpu_limit, or quota"),
                None => Ok(None),
            };
        };
        check_features(key, features)?;
        let period = time("period", keys.period)?.unwrap_or(PERIOD);
        if !(LEAST..=LONGEST_PERIOD).contains(&period) {
            return wrong("period", "must be from 1ms to 1s");
        }
        let quota = match keys.quota {
            // It is given, and so never 0 by default.
            Some(_) => time("quota", keys.quota)?.unwrap_or_default(),
            None => quota_of(&value.text(), period)?,
        };
        let quota = enough(key, quota)?;
        // The kernel's default: nothing is saved up.
        let burst = time("burst", keys.burst)?.unwrap_or_default();
        if burst > quota {
            return wrong("burst", "must be at most the quota");
        }
        Ok(Some(Limit { quota, period, burst }))
    }
}

/// Runtime is given to the run queues of cores, which not all schedulers have.
fn check_features(key: &str, features: &Features) -> ReadResult<()> {
    if features.time_sharing.levels().is_none() {
        return wrong(key, "does not go with processor sharing, where all tasks run at once");
    }
    if features.run_queues.number == QueueNumber::One {
        return wrong(key, "does not go with one run queue: each core's queue has its own runtime");
    }
    Ok(())
}

fn time(key: &str, value: Option<&Scalar>) -> ReadResult<Option<Nanos>> {
    let parse = |scalar: &Scalar| parse_time(&scalar.text()).map(Nanos::from_secs_f64);
    value.map(parse).transpose().map_err(|error| (key.to_owned(), error))
}

fn enough(key: &str, quota: Nanos) -> ReadResult<Nanos> {
    if quota < LEAST {
        return wrong(key, "gives less than 1ms in a period, the least that Linux takes");
    }
    Ok(quota)
}

/// What a number of cores is in each period.
fn quota_of(text: &str, period: Nanos) -> ReadResult<Nanos> {
    Ok(Nanos((cores(text)? * period.0 as f64).round() as u64))
}

/// A number of cores as Kubernetes writes it: `1.5`, or thousandths as in `700m`.
fn cores(text: &str) -> ReadResult<f64> {
    let (digits, unit) = match text.strip_suffix('m') {
        Some(thousandths) => (thousandths, 1e-3),
        None => (text, 1.0),
    };
    let plain = !digits.is_empty() && digits.bytes().all(|at| at.is_ascii_digit() || at == b'.');
    match digits.parse::<f64>() {
        Ok(number) if plain && number > 0.0 && number * unit <= MOST_CORES => Ok(number * unit),
        _ => wrong(
            "cpu_limit",
            format!("`{text}` is no number of cores: write \"1.5\", or \"700m\" for 0.7 of one"),
        ),
    }
}
