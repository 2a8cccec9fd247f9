//! How long a client waits for a response: a time, or a law of such times.

use thinktime_file::error::Invalid;
use thinktime_file::schema::Scalar;
use thinktime_file::time::Nanos;
use thinktime_file::units::{Dimension, parse_time};
use thinktime_file::workload::{RequestTable, RetryWhen};

use crate::distribution::Distribution;
use crate::files::Files;

/// The timeout, or the mean of its law with the law.
pub(super) fn timeout_of(
    table: &RequestTable,
    files: &dyn Files,
) -> Result<(Nanos, Option<Distribution>), Invalid> {
    let Some(scalar) = &table.timeout else { return Ok((Nanos::MAX, None)) };
    let text = scalar.text();
    if text.contains('(') {
        let law = Distribution::parse(&text, files)?.expect(Dimension::Time)?;
        let late = table.retry.as_ref().and_then(|retry| retry.when) == Some(RetryWhen::Late);
        if table.grpc.is_some() || late {
            let why = "must be a time, and no law, for gRPC, and with `when = \"late\"`";
            return Err(Invalid::new(why));
        }
        let mean = law.mean();
        if !(mean > 0.0 && mean.is_finite()) {
            return Err(Invalid::new(format!("`{law}` needs a mean above 0s that is finite")));
        }
        return Ok((Nanos::from_secs_f64(mean).max(Nanos(1)), Some(law)));
    }
    Ok((time_of(Some(scalar))?, None))
}

/// A time that the client waits; for ever if it is not given.
pub(super) fn time_of(given: Option<&Scalar>) -> Result<Nanos, Invalid> {
    let Some(scalar) = given else { return Ok(Nanos::MAX) };
    match parse_time(&scalar.text())? {
        0.0 => Err(Invalid::new("must be more than 0s")),
        seconds => Ok(Nanos::from_secs_f64(seconds)),
    }
}
