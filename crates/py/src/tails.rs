//! `Tail`: the bins above a threshold, with laws of their own; and `closest_tail`.

use pyo3::prelude::*;
use thinktime_log::fits;

use crate::errors::InputError;

/// Values above a threshold, counted in bins, in order.
///
/// With y = ln(x / threshold) a law's density is e^{-a y - b y²} up to a factor: a Pareto law of
/// shape a if b is 0, and a lognormal one if it is positive.
#[pyclass(frozen, module = "thinktime._core")]
pub(crate) struct Tail {
    seen: fits::Tail,
}

#[pymethods]
impl Tail {
    /// The bins from `place` on, with bounds `lower` and `upper`, above 0. `bound` is the end of
    /// values, or infinite.
    #[new]
    fn new(
        lower: Vec<f64>,
        upper: Vec<f64>,
        count: Vec<f64>,
        place: usize,
        bound: f64,
    ) -> PyResult<Tail> {
        let seen = if of_one_length(&lower, &upper, &count) && place < lower.len() {
            fits::Tail::of(&lower, &upper, &count, place, bound)
        } else {
            None
        };
        let seen = seen.ok_or_else(|| InputError::new_err("there is no such tail"))?;
        Ok(Tail { seen })
    }

    /// The logarithm of the probability of each bin.
    fn logs(&self, a: f64, b: f64) -> Vec<f64> {
        self.seen.logs(a, b)
    }

    /// Σ count ln P(bin).
    fn log_likelihood(&self, py: Python<'_>, a: f64, b: f64) -> f64 {
        py.detach(|| self.seen.log_likelihood(a, b))
    }

    /// The largest difference between the two distribution functions, at bounds of bins.
    fn distance(&self, a: f64, b: f64) -> f64 {
        self.seen.distance(a, b)
    }
}

/// The first of the tails at `places` whose distance from the most likely Pareto law is at most
/// `enough` there; the closest if none is. None without any tail.
///
/// The result is its index, the law's shape, one over the variance of that, and the distance.
#[pyfunction]
pub(crate) fn closest_tail(
    py: Python<'_>,
    bins: (Vec<f64>, Vec<f64>, Vec<f64>),
    bound: f64,
    places: Vec<usize>,
    enough: Vec<f64>,
) -> PyResult<Option<(usize, f64, f64, f64)>> {
    let (lower, upper, count) = &bins;
    let inside = places.iter().all(|place| *place < lower.len());
    if !of_one_length(lower, upper, count) || places.len() != enough.len() || !inside {
        return Err(InputError::new_err("lower, upper and count are columns of one length"));
    }
    let found = py.detach(|| fits::closest((lower, upper, count), bound, &places, &enough));
    Ok(found.map(|one| (one.place, one.shape, one.information, one.distance)))
}

fn of_one_length(lower: &[f64], upper: &[f64], count: &[f64]) -> bool {
    lower.len() == upper.len() && lower.len() == count.len()
}
