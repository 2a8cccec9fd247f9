//! `Distribution`.

use pyo3::prelude::*;
use thinktime_core::distribution;
use thinktime_core::random::{Purpose, Stream};

use crate::disk_files::DiskFiles;
use crate::errors::{InputError, invalid};
use crate::parameters::seed_of;

/// A distribution in Thinktime's notation, as in `h2(10ms, cv2=8)`.
///
/// Times are in seconds, sizes in bytes.
#[pyclass(frozen, module = "thinktime")]
pub(crate) struct Distribution {
    pub(crate) law: distribution::Distribution,
}

impl From<&distribution::Distribution> for Distribution {
    fn from(law: &distribution::Distribution) -> Distribution {
        Distribution { law: law.clone() }
    }
}

#[pymethods]
impl Distribution {
    #[new]
    fn new(notation: &str) -> PyResult<Distribution> {
        let files = DiskFiles::default();
        distribution::Distribution::parse(notation, &files)
            .map(|law| Distribution { law })
            .map_err(|error| invalid(&error))
    }

    /// E[X]; may be infinite.
    #[getter]
    fn mean(&self) -> f64 {
        self.law.mean()
    }

    /// E[X²]; may be infinite.
    #[getter]
    fn second_moment(&self) -> f64 {
        self.law.second_moment()
    }

    /// C² = Var X / E[X]², the squared coefficient of variation.
    #[getter]
    fn cv2(&self) -> f64 {
        self.law.cv2()
    }

    /// The smallest and the largest possible value.
    #[getter]
    fn range(&self) -> (f64, f64) {
        self.law.range()
    }

    /// (probability, mean) pairs if the law is a mixture of exponentials; else None.
    #[getter]
    fn phases(&self) -> Option<Vec<(f64, f64)>> {
        self.law.phases()
    }

    /// Whether all probability sits on single values (atoms): the law has no density.
    #[getter]
    fn discrete(&self) -> bool {
        self.law.is_discrete()
    }

    /// P(X <= x).
    fn cdf(&self, x: f64) -> f64 {
        self.law.cdf(x)
    }

    /// P(X > x), with full precision for small values.
    fn survival(&self, x: f64) -> f64 {
        self.law.survival(x)
    }

    /// The smallest x with P(X <= x) >= u, for 0 < u < 1.
    fn quantile(&self, u: f64) -> PyResult<f64> {
        if u > 0.0 && u < 1.0 {
            return Ok(self.law.quantile(u));
        }
        Err(InputError::new_err(format!("a quantile lies between 0 and 1, not at {u}")))
    }

    /// This many independent draws, the same for the same seed.
    #[pyo3(signature = (count, seed = 1))]
    fn sample(&self, count: usize, #[pyo3(from_py_with = seed_of)] seed: u64) -> Vec<f64> {
        let mut stream = Stream::new(seed, 0, Purpose::Demand);
        (0..count).map(|_| self.law.sample(&mut stream)).collect()
    }

    fn __str__(&self) -> String {
        self.law.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Distribution('{}')", self.law)
    }

    fn __eq__(&self, other: &Distribution) -> bool {
        self.law == other.law
    }
}
