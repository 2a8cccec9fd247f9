//! Distributions of times, sizes and counts, all written and read in one notation.
//!
//! One law is one file plus one line in `laws!` below, from which parsing, docs and tests follow.

mod bounded_pareto;
mod constant;
mod discrete;
mod empirical;
mod equilibrium;
mod erlang;
mod exponential;
mod gamma;
mod geometric;
mod hyperexponential;
mod inverse_gaussian;
mod law;
mod logarithm;
mod lognormal;
mod mix;
mod numeric;
mod pareto;
mod phase_type;
mod poisson;
mod special;
pub(crate) mod streams;
mod truncated;
mod uniform;
mod values;
mod weibull;
mod window;
mod zipf;

#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

pub use equilibrium::{Equilibrium, Tail};
pub use law::{Entry, Law};
pub use special::gamma_tails;
pub use streams::Streams;

use thinktime_file::error::{Invalid, unknown};
use thinktime_file::units::{Dimension, Quantity};

use crate::files::{Files, NoFiles};
use crate::notation::{Call, Term};

macro_rules! laws {
    ($($module:ident :: $law:ident),+ $(,)?) => {
        #[derive(Clone, Debug, PartialEq)]
        enum AnyLaw { $($law($module::$law)),+ }

        /// The entries of all laws, in the order of the documentation.
        pub const ENTRIES: &[Entry] = &[$(<$module::$law as Law>::ENTRY),+];

        fn parse_call(call: &Call, files: &dyn Files) -> Result<Distribution, Invalid> {
            $(if call.name == <$module::$law as Law>::ENTRY.name {
                let (law, dimension) = <$module::$law as Law>::parse(call, files)?;
                return Ok(Distribution { law: AnyLaw::$law(law), dimension });
            })+
            Err(unknown("distribution", &call.name, ENTRIES.iter().map(|entry| entry.name)))
        }

        /// Applies an expression to the law that is held.
        macro_rules! each_law {
            ($any:expr, $held:ident => $body:expr) => {
                match $any { $(AnyLaw::$law($held) => $body),+ }
            };
        }

        impl AnyLaw {
            fn scaled(&self, factor: f64) -> Option<AnyLaw> {
                match self { $(AnyLaw::$law(law) => law.scaled(factor).map(AnyLaw::$law)),+ }
            }
        }
    };
}

// The list: one line a law.
laws! {
    constant::Constant,
    uniform::Uniform,
    exponential::Exponential,
    hyperexponential::Hyperexponential,
    erlang::Erlang,
    phase_type::PhaseType,
    gamma::Gamma,
    lognormal::Lognormal,
    pareto::Pareto,
    bounded_pareto::BoundedPareto,
    weibull::Weibull,
    inverse_gaussian::InverseGaussian,
    geometric::Geometric,
    poisson::Poisson,
    zipf::Zipf,
    discrete::Discrete,
    mix::Mix,
    truncated::Truncated,
    empirical::Empirical,
}

mod draws; // after the list, for `each_law!`

/// A distribution with the dimension of its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    law: AnyLaw,
    dimension: Dimension,
}

impl Distribution {
    /// A law of bare numbers, as parts of other laws are held.
    fn bare(law: AnyLaw) -> Distribution {
        Distribution { law, dimension: Dimension::Number }
    }

    /// Parses the notation, as in `h2(10ms, cv2=8)`. A bare quantity is a constant.
    ///
    /// # Errors
    /// When the name is unknown or an argument is missing, unknown or out of its range.
    pub fn parse(text: &str, files: &dyn Files) -> Result<Distribution, Invalid> {
        match Quantity::parse(text) {
            Ok(quantity) => Distribution::from_term(&Term::Quantity(quantity), files),
            // A text that begins with a number is not a call: then the unit is wrong.
            Err(error) if text.trim_start().starts_with(|c: char| c.is_ascii_digit()) => Err(error),
            Err(_) => parse_call(&Call::parse(text)?, files),
        }
    }

    /// The distribution in an argument of another notation.
    ///
    /// # Errors
    /// As [`Distribution::parse`].
    pub fn from_term(term: &Term, files: &dyn Files) -> Result<Distribution, Invalid> {
        match term {
            Term::Call(call) => parse_call(call, files),
            Term::Quantity(quantity) => {
                let law = constant::Constant::new(quantity.value)?;
                Ok(Distribution { law: AnyLaw::Constant(law), dimension: quantity.dimension })
            }
        }
    }

    /// Always `value`, in the base unit.
    ///
    /// # Errors
    /// When the value is not finite.
    pub fn constant(value: f64, dimension: Dimension) -> Result<Distribution, Invalid> {
        Ok(Distribution { law: AnyLaw::Constant(constant::Constant::new(value)?), dimension })
    }

    /// Exponential times with this mean, in seconds.
    ///
    /// # Errors
    /// When the mean is not a positive finite number.
    pub fn exponential_time(mean_s: f64) -> Result<Distribution, Invalid> {
        let law = exponential::Exponential::new(mean_s)?;
        Ok(Distribution { law: AnyLaw::Exponential(law), dimension: Dimension::Time })
    }

    /// Counts of the Poisson law with this mean.
    ///
    /// # Errors
    /// When the mean is not above 0, or too large for counts.
    pub(crate) fn poisson_count(mean: f64) -> Result<Distribution, Invalid> {
        Ok(Distribution::bare(AnyLaw::Poisson(poisson::Poisson::new(mean)?)))
    }

    /// The dimension of the values; a bare number if no argument had a unit.
    #[must_use]
    pub fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// This distribution if its values have the dimension `wanted`, and are 0 or more.
    ///
    /// # Errors
    /// When its values have another dimension, or can be negative.
    pub fn expect(self, wanted: Dimension) -> Result<Distribution, Invalid> {
        if self.dimension != wanted && self.dimension != Dimension::Number {
            return Err(Invalid::new(format!(
                "`{self}` gives {}, wanted {}",
                self.dimension.words(),
                wanted.words()
            )));
        }
        if self.range().0 < 0.0 {
            return Err(Invalid::new(format!("`{self}` can be negative")));
        }
        Ok(Distribution { dimension: wanted, ..self })
    }

    /// E[X], which may be infinite.
    #[must_use]
    pub fn mean(&self) -> f64 {
        each_law!(&self.law, law => law.mean())
    }

    /// E[X²], which may be infinite.
    #[must_use]
    pub fn second_moment(&self) -> f64 {
        each_law!(&self.law, law => law.second_moment())
    }

    /// C² = Var X / E[X]², the squared coefficient of variation; NaN if the mean is zero or
    /// infinite.
    #[must_use]
    pub fn cv2(&self) -> f64 {
        let mean = self.mean();
        (self.second_moment() / (mean * mean) - 1.0).max(0.0)
    }

    /// P(X <= x).
    #[must_use]
    pub fn cdf(&self, x: f64) -> f64 {
        each_law!(&self.law, law => law.cdf(x))
    }

    /// The smallest x with P(X <= x) >= u, for u strictly between 0 and 1.
    #[must_use]
    pub fn quantile(&self, u: f64) -> f64 {
        each_law!(&self.law, law => law.quantile(u))
    }

    /// P(X > x), with all digits if it is small.
    #[must_use]
    pub fn survival(&self, x: f64) -> f64 {
        each_law!(&self.law, law => law.survival(x))
    }

    /// The smallest x with P(X > x) <= q.
    fn upper_quantile(&self, q: f64) -> f64 {
        each_law!(&self.law, law => law.upper_quantile(q))
    }

    fn conditional(&self, lo: f64, hi: f64) -> Option<Distribution> {
        each_law!(&self.law, law => law.conditional(lo, hi))
    }

    fn window_moments(&self, lo: f64, hi: f64) -> Option<(f64, f64)> {
        each_law!(&self.law, law => law.window_moments(lo, hi))
    }

    fn notation(&self, dimension: Dimension) -> String {
        each_law!(&self.law, law => law.notation(dimension))
    }

    fn between(&self, lo: f64, hi: f64) -> f64 {
        each_law!(&self.law, law => law.between(lo, hi))
    }

    fn mass(&self, lo: f64, hi: f64) -> f64 {
        each_law!(&self.law, law => law.mass(lo, hi))
    }

    /// The smallest and the largest possible value; the largest may be infinite.
    #[must_use]
    pub fn range(&self) -> (f64, f64) {
        each_law!(&self.law, law => law.range())
    }

    /// (probability, mean) of each phase if the law is a mixture of exponentials; else `None`.
    #[must_use]
    pub fn phases(&self) -> Option<Vec<(f64, f64)>> {
        each_law!(&self.law, law => law.phases())
    }

    /// Whether all probability sits on single points (atoms).
    #[must_use]
    pub fn is_discrete(&self) -> bool {
        each_law!(&self.law, law => law.is_discrete())
    }

    /// The distribution of `factor` times X, for a positive factor.
    ///
    /// # Errors
    /// When the law's family does not contain it: counts and files have no scale.
    pub fn scaled(&self, factor: f64) -> Result<Distribution, Invalid> {
        if !(factor > 0.0 && factor.is_finite()) {
            return Err(Invalid::new(format!("`{self}` cannot be scaled by {factor}")));
        }
        let wrong = || Invalid::new(format!("`{self}` cannot be written as stretched by {factor}"));
        Ok(Distribution { law: self.law.scaled(factor).ok_or_else(wrong)?, ..*self })
    }
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.notation(self.dimension))
    }
}

impl FromStr for Distribution {
    type Err = Invalid;
    fn from_str(text: &str) -> Result<Distribution, Invalid> {
        Distribution::parse(text, &NoFiles)
    }
}
