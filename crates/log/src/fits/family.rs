//! The families of laws, and the meaning of their parameters.

use super::law::Law;
use super::normal;
use super::part::Part;

macro_rules! families {
    ($($family:ident $name:literal $count:literal),+ $(,)?) => {
        /// Laws of one form.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Family { $(#[doc = $name] $family),+ }

        impl Family {
            /// All of them.
            pub const ALL: &'static [Family] = &[$(Family::$family),+];

            /// Its name in the notation; parts of a mix are joined by `+`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Family::$family => $name),+ }
            }

            /// The number of its parameters.
            #[must_use]
            pub fn parameters(self) -> usize {
                match self { $(Family::$family => $count),+ }
            }
        }
    };
}

families! {
    Constant "const" 1,
    Exponential "exp" 1,
    Geometric "geometric" 1,
    Poisson "poisson" 1,
    Erlang "erlang" 2,
    Uniform "uniform" 2,
    Pareto "pareto" 2,
    Lognormal "lognormal" 2,
    Weibull "weibull" 2,
    Gamma "gamma" 2,
    Hyperexponential "h2" 2,
    InverseGaussian "inverse_gaussian" 2,
    BoundedPareto "bounded_pareto" 3,
    CutLognormal "cut lognormal" 3,
    ExponentialLognormal "exp+lognormal" 4,
    LognormalPareto "lognormal+pareto" 5,
    CutLognormalPareto "cut lognormal+pareto" 5,
}

impl Family {
    /// The family of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Family> {
        Family::ALL.iter().copied().find(|family| family.name() == name)
    }

    /// The law with these parameters, in the order of the notation; a mix has the weight of its
    /// first law before them. None if no such law exists.
    #[must_use]
    pub fn law(self, p: &[f64]) -> Option<Law> {
        if p.len() != self.parameters() || !p.iter().all(|one| one.is_finite()) {
            return None;
        }
        let mix = |first, second| Some(Law { first, second: Some((p[0], second)) });
        let first = match self {
            Family::ExponentialLognormal => {
                return mix(Part::Exponential { mean: p[1] }, lognormal(p[2], p[3]));
            }
            Family::LognormalPareto => return mix(lognormal(p[1], p[2]), pareto(p[3], p[4])),
            Family::CutLognormalPareto => {
                return mix(cut_lognormal(p[1], p[2], p[4]), pareto(p[3], p[4]));
            }
            Family::Constant => Part::Constant(p[0]),
            Family::Exponential => Part::Exponential { mean: p[0] },
            Family::Geometric => geometric(p[0]),
            Family::Poisson => Part::Poisson { mean: p[0] },
            Family::Erlang => Part::Gamma { shape: p[0], scale: p[1] / p[0] },
            Family::Uniform => Part::Uniform { low: p[0], high: p[1] },
            Family::Pareto => pareto(p[0], p[1]),
            Family::Lognormal => lognormal(p[0], p[1]),
            Family::Weibull => weibull(p[0], p[1]),
            Family::Gamma => Part::Gamma { shape: p[0], scale: p[1] },
            Family::Hyperexponential => hyperexponential(p[0], p[1]),
            Family::InverseGaussian => Part::InverseGaussian { mu: p[0], lambda: p[1] },
            Family::BoundedPareto => bounded_pareto(p[0], p[1], p[2]),
            Family::CutLognormal => cut_lognormal(p[0], p[1], p[2]),
        };
        Some(Law { first, second: None })
    }
}

fn lognormal(mu: f64, sigma: f64) -> Part {
    Part::Lognormal { mu, sigma }
}

fn pareto(shape: f64, scale: f64) -> Part {
    Part::Pareto { shape, scale }
}

/// All values are 1 if the mean is.
fn geometric(mean: f64) -> Part {
    let rate = if mean > 1.0 { -(-1.0 / mean).ln_1p() } else { 690.0 };
    Part::Geometric { mean, rate }
}

/// The smallest share of a truncated law stays away from 0.
fn cut_lognormal(mu: f64, sigma: f64, high: f64) -> Part {
    let (kept, beyond) = normal::tails((high.ln() - mu) / sigma);
    Part::CutLognormal { mu, sigma, high, beyond, kept: kept.max(1e-300) }
}

fn bounded_pareto(shape: f64, low: f64, high: f64) -> Part {
    Part::BoundedPareto { shape, low, high, kept: -(-shape * (high / low).ln()).exp_m1() }
}

fn weibull(shape: f64, scale: f64) -> Part {
    Part::Weibull { shape, scale, mean: scale * libm::tgamma(1.0 + 1.0 / shape) }
}

/// Two phases with balanced means: the mean is m / (2 pᵢ) with probability pᵢ, and
/// p₁ = (1 + √((C² - 1) / (C² + 1))) / 2 (Allen, *Probability, Statistics, and Queueing Theory*,
/// 1990, 3.2.9).
fn hyperexponential(mean: f64, cv2: f64) -> Part {
    let root = ((cv2 - 1.0) / (cv2 + 1.0)).sqrt();
    let shares = [0.5 * (1.0 + root), 1.0 / ((cv2 + 1.0) * (1.0 + root))];
    Part::Hyperexponential(shares.map(|share| (share, 0.5 * mean / share)))
}
