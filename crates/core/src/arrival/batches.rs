//! `batches(PROCESS, size=LAW)`: several arrivals at a time.

use std::sync::Arc;

use thinktime_file::error::Invalid;
use thinktime_file::units::Dimension;

use super::gaps::{Gaps, Place};
use crate::distribution::Distribution;
use crate::files::Files;
use crate::journey::Count;
use crate::notation::{Arguments, Call, Term};
use crate::random::Stream;

const USAGE: &str = "batches(poisson, size=geometric(4))";

/// Arrivals at a rate of 1, of which several come together.
#[derive(Clone, Debug)]
pub(super) struct Batches {
    /// The process by which batches come.
    process: Arc<Gaps>,
    /// The number of arrivals of a batch, 1 or more, and its mean.
    size: Count,
    mean_size: f64,
}

impl Batches {
    /// The process of a call, and its rate in arrivals a second if the call has one.
    ///
    /// # Errors
    /// If an argument is missing, no process, or a law without a finite mean.
    pub(super) fn parse(call: &Call, files: &dyn Files) -> Result<(Batches, Option<f64>), Invalid> {
        let mut arguments = Arguments::new(call, USAGE, &["process", "size"])?;
        let Term::Call(inner) = arguments.required("process")? else {
            return Err(arguments.error("needs a process before the size"));
        };
        if ["trace", "batches"].contains(&inner.name.as_str()) {
            return Err(arguments.error("goes with random processes alone"));
        }
        let (process, rate) = Gaps::of_call(&inner, files)?;
        let law = Distribution::from_term(&arguments.required("size")?, files)?;
        arguments.finish()?;
        let law = law.expect(Dimension::Number)?;
        if !law.second_moment().is_finite() {
            return Err(Invalid::new(format!("`{law}` needs a finite mean and variance")));
        }
        let size = Count::from_one(law);
        let mean_size = size.mean();
        let batches = Batches { process: Arc::new(process), size, mean_size };
        Ok((batches, rate.map(|rate| rate * mean_size)))
    }

    /// The limit of Var N(t) / E N(t), at most: for batches of size S that come with the dispersion
    /// I, it is (E[S²] + (I - 1) E[S]²) / E[S].
    pub(super) fn dispersion(&self) -> Option<f64> {
        let squares = (self.process.dispersion()? - 1.0) * self.mean_size * self.mean_size;
        Some((self.size.second_moment_max() + squares).max(0.0) / self.mean_size)
    }

    /// The place before the first arrival.
    pub(super) fn begin(&self, stream: &mut Stream) -> Place {
        self.process.begin(stream)
    }

    /// The time until the next arrival.
    pub(super) fn gap(&self, place: &mut Place, stream: &mut Stream) -> f64 {
        if place.left > 0 {
            place.left -= 1;
            return 0.0;
        }
        place.left = self.size.draw(stream) - 1;
        self.process.gap(place, stream) * self.mean_size
    }
}
