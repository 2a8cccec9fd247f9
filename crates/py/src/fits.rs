//! `Likelihood`: the likelihood of a family's laws, and the most likely one; `law_tails` and
//! `law_clipped_means` of such a law.

use pyo3::prelude::*;
use thinktime_log::fits::{self, Bins, Family, Law, Scale, Search};

use crate::errors::InputError;
use crate::tails::{Tail, closest_tail};

/// The likelihood of laws, given the number of values in each of some bins, in order.
///
/// P(bin) is the probability of up to `upper` less that of up to `lower`, given that values are up
/// to `limit`. If `step` is not 0, values are differences of two stamps that were rounded down to
/// multiples of it, and bounds and limit are counted in steps. A law is the name of its family and
/// its parameters. If no such law exists, the log-likelihood is no number.
#[pyclass(frozen, module = "thinktime._core")]
pub(crate) struct Likelihood {
    seen: fits::Likelihood,
}

#[pymethods]
impl Likelihood {
    #[new]
    fn new(
        lower: Vec<f64>,
        upper: Vec<f64>,
        count: Vec<f64>,
        limit: f64,
        step: f64,
    ) -> PyResult<Likelihood> {
        if lower.len() != upper.len() || lower.len() != count.len() || lower.is_empty() {
            return Err(InputError::new_err("lower, upper and count are columns of one length"));
        }
        Ok(Likelihood { seen: fits::Likelihood::new(Bins { lower, upper, count, limit, step }) })
    }

    /// P(bin) for each bin; empty if no such law exists.
    fn masses(&self, family: &str, p: Vec<f64>) -> PyResult<Vec<f64>> {
        Ok(law(family, &p)?.map(|law| self.seen.masses(&law)).unwrap_or_default())
    }

    /// Σ count ln P(bin).
    fn log_likelihood(&self, family: &str, p: Vec<f64>) -> PyResult<f64> {
        Ok(law(family, &p)?.map_or(f64::NAN, |law| self.seen.log_likelihood(&law)))
    }

    /// The share of values to which the law gives no probability at all.
    fn impossible(&self, family: &str, p: Vec<f64>) -> PyResult<f64> {
        Ok(law(family, &p)?.map_or(1.0, |law| self.seen.impossible(&law)))
    }

    /// The largest difference between the two distribution functions, at bounds of bins.
    fn distance(&self, family: &str, p: Vec<f64>) -> PyResult<f64> {
        Ok(law(family, &p)?.map_or(1.0, |law| self.seen.distance(&law)))
    }

    /// The parameters near `p` that are locally the most likely, with those that are not `searched`
    /// fixed. The search ends once a step promises less than `least` of log-likelihood a value, and
    /// after `most` steps. `ranges` has the bounds of each parameter.
    #[allow(clippy::too_many_arguments, reason = "they are those of the search")]
    fn climbed(
        &self,
        py: Python<'_>,
        family: &str,
        p: Vec<f64>,
        ranges: Vec<(f64, f64)>,
        searched: Vec<usize>,
        least: f64,
        most: usize,
    ) -> PyResult<Vec<f64>> {
        let scales = scales(ranges);
        let search = self.search(family, &p, &scales, &searched)?;
        Ok(py.detach(|| fits::maximize(&search, &p, least, most)))
    }
}

impl Likelihood {
    fn search<'a>(
        &'a self,
        family: &str,
        p: &[f64],
        scales: &'a [Scale],
        searched: &'a [usize],
    ) -> PyResult<Search<'a>> {
        let family = named(family)?;
        if p.len() != scales.len() || searched.iter().any(|place| *place >= p.len()) {
            return Err(InputError::new_err("each parameter has a range"));
        }
        Ok(Search { likelihood: &self.seen, family, scales, searched })
    }
}

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Likelihood>()?;
    module.add_function(wrap_pyfunction!(law_tails, module)?)?;
    module.add_function(wrap_pyfunction!(law_clipped_means, module)?)?;
    module.add_class::<Tail>()?;
    module.add_function(wrap_pyfunction!(closest_tail, module)?)?;
    module.add_function(wrap_pyfunction!(bounded, module)?)?;
    module.add_function(wrap_pyfunction!(unbounded, module)?)
}

/// P(X <= x) and P(X > x) for each x; the smaller has full precision.
#[pyfunction]
fn law_tails(family: &str, p: Vec<f64>, x: Vec<f64>) -> PyResult<(Vec<f64>, Vec<f64>)> {
    let law = law(family, &p)?;
    let tails = |x: &f64| law.as_ref().map_or((f64::NAN, f64::NAN), |law| law.tails(*x));
    Ok(x.iter().map(tails).unzip())
}

/// E[min(X, x)] for each x >= 0.
#[pyfunction]
fn law_clipped_means(family: &str, p: Vec<f64>, x: Vec<f64>) -> PyResult<Vec<f64>> {
    let law = law(family, &p)?;
    let mean = |x: &f64| law.as_ref().map_or(f64::NAN, |law| law.clipped_mean(*x));
    Ok(x.iter().map(mean).collect())
}

/// A number without bounds as one between `low` and `high`, either of which may be infinite.
#[pyfunction]
fn bounded(free: f64, low: f64, high: f64) -> f64 {
    Scale { low, high }.bounded(free)
}

/// The number without bounds whose `bounded` is the value, which is moved inside.
#[pyfunction]
fn unbounded(value: f64, low: f64, high: f64) -> f64 {
    Scale { low, high }.unbounded(value)
}

fn scales(ranges: Vec<(f64, f64)>) -> Vec<Scale> {
    ranges.into_iter().map(|(low, high)| Scale { low, high }).collect()
}

fn named(family: &str) -> PyResult<Family> {
    Family::named(family)
        .ok_or_else(|| InputError::new_err(format!("no family of laws is called `{family}`")))
}

/// None if the family has no such law.
fn law(family: &str, p: &[f64]) -> PyResult<Option<Law>> {
    Ok(named(family)?.law(p))
}
