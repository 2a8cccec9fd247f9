//! The objectives that a run is checked against.

use super::file::SloTable;
use crate::error::Invalid;
use crate::schema::Scalar;
use crate::units::{parse_share, parse_time};
use crate::words;

/// Objectives: upper limits of response times and of the share of failed requests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Slo {
    /// (name as in the summary, upper limit in seconds), as in ("p99", 0.25).
    pub response_time_s: Vec<(&'static str, f64)>,
    /// The largest share of requests that may fail.
    pub errors: Option<f64>,
}

/// An objective that was not met.
#[derive(Clone, Debug, PartialEq)]
pub struct Breach {
    /// What was measured, what was wanted.
    pub message: String,
}

impl Slo {
    pub(super) fn from_table(table: &SloTable) -> Result<Slo, (&'static str, Invalid)> {
        let limits: [(&'static str, &Option<Scalar>); 6] = [
            ("mean", &table.mean),
            ("p50", &table.p50),
            ("p90", &table.p90),
            ("p95", &table.p95),
            ("p99", &table.p99),
            ("p99.9", &table.p999),
        ];
        let mut response_time_s = Vec::new();
        for (name, scalar) in limits {
            if let Some(scalar) = scalar {
                let limit = parse_time(&scalar.text()).map_err(|error| (name, error))?;
                response_time_s.push((name, limit));
            }
        }
        let errors = match &table.errors {
            Some(scalar) => Some(parse_share(&scalar.text()).map_err(|error| ("errors", error))?),
            None => None,
        };
        Ok(Slo { response_time_s, errors })
    }

    /// The objectives that were not met, given the measured times by name and the share of
    /// requests that failed. A time that was not measured counts as not met.
    pub fn breaches(
        &self,
        measured_s: impl Fn(&str) -> Option<f64>,
        error_share: f64,
    ) -> Vec<Breach> {
        let times = self.response_time_s.iter().filter_map(|(name, limit)| {
            let Some(value) = measured_s(name) else {
                let most = words::time(*limit);
                return Some(format!("{name} was not measured, wanted {most} or less"));
            };
            let (found, most) = words::times_apart(value, *limit);
            (value > *limit).then(|| format!("{name} is {found}, wanted {most} or less"))
        });
        let errors = self.errors.filter(|limit| error_share > *limit).map(|limit| {
            let (found, most) = words::percents_apart(error_share, limit);
            format!("{found} of requests failed, wanted {most} or less")
        });
        times.chain(errors).map(|message| Breach { message }).collect()
    }
}
