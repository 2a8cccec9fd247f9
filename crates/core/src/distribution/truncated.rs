//! `truncated(DIST, lo=, hi=)`.

use thinktime_file::error::Invalid;
use thinktime_file::units::{Dimension, Quantity};

use super::values::written;
use super::window::Window;
use super::{AnyLaw, Distribution, Entry, Law};
use crate::files::Files;
use crate::notation::{Arguments, Call, Term};
use crate::random::Stream;

/// Less probability than this counts as zero: parts of it would vanish.
const LEAST_MASS: f64 = 1e-250;

/// A law given that its value lies within bounds, inclusive.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Truncated {
    /// The whole law and the bounds as written; a bound that is left out is infinite.
    law: Box<Distribution>,
    lo: f64,
    hi: f64,
    within: Within,
}

/// The form of the law within the bounds.
#[derive(Clone, Debug, PartialEq)]
enum Within {
    /// As a law with another form: a Pareto law within bounds is a bounded one, a mix is a mix of
    /// its parts within the bounds.
    Known(Box<Distribution>),
    /// As a window on the whole law.
    Window(Box<Window>),
}

impl Truncated {
    /// `None` if the law has no probability within the bounds.
    fn new(law: &Distribution, lo: f64, hi: f64) -> Option<Truncated> {
        if law.mass(lo, hi) < LEAST_MASS {
            return None;
        }
        let (least, most) = law.range();
        let within = if lo <= least && most <= hi {
            Within::Known(Box::new(Distribution::bare(law.law.clone())))
        } else if let Some(known) = law.conditional(lo, hi) {
            Within::Known(Box::new(known))
        } else {
            Within::Window(Box::new(Window::new(law, lo.max(least), hi.min(most))))
        };
        let law = Box::new(Distribution::bare(law.law.clone()));
        Some(Truncated { law, lo, hi, within })
    }
}

/// A law given that its value lies in `lo..=hi`, in its simplest form.
pub(super) fn restricted(law: &Distribution, lo: f64, hi: f64) -> Option<Distribution> {
    if let Some(known) = law.conditional(lo, hi) {
        return Some(known);
    }
    Some(Distribution::bare(AnyLaw::Truncated(Truncated::new(law, lo, hi)?)))
}

/// Takes the bound `name` if it is given.
fn optional_bound(arguments: &mut Arguments<'_>, name: &str) -> Result<Option<Quantity>, Invalid> {
    match arguments.optional(name) {
        None => Ok(None),
        Some(Term::Quantity(quantity)) if quantity.value.is_finite() => Ok(Some(quantity)),
        Some(_) => Err(arguments.error(&format!("needs a number for `{name}`"))),
    }
}

impl Law for Truncated {
    const ENTRY: Entry = Entry {
        name: "truncated",
        usage: "truncated(DIST, lo=1ms, hi=10s)",
        example: "truncated(lognormal(mu=-5, sigma=1), lo=1ms, hi=50ms)",
        summary: "a distribution limited to two bounds, of which one may be left out",
        source: "Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions 1, ch. 12",
    };

    fn parse(call: &Call, files: &dyn Files) -> Result<(Self, Dimension), Invalid> {
        let mut arguments = Arguments::new(call, Self::ENTRY.usage, &["law", "lo", "hi"])?;
        let law = Distribution::from_term(&arguments.required("law")?, files)?;
        let lo = optional_bound(&mut arguments, "lo")?;
        let hi = optional_bound(&mut arguments, "hi")?;
        arguments.finish()?;
        let measured = [lo, hi].into_iter().flatten().map(|bound| bound.dimension);
        let dimensions = measured.chain([law.dimension]).collect::<Vec<_>>();
        let dimension = Self::ENTRY.common_dimension(dimensions)?;
        if lo.is_none() && hi.is_none() {
            return Err(Self::ENTRY.error("needs `lo` or `hi`"));
        }
        let lo = lo.map_or(f64::NEG_INFINITY, |lo| lo.value);
        let hi = hi.map_or(f64::INFINITY, |hi| hi.value);
        if lo > hi {
            return Err(Self::ENTRY.error("needs `lo` not above `hi`"));
        }
        let truncated = Truncated::new(&law, lo, hi).ok_or_else(|| {
            Self::ENTRY.error(&format!("leaves nothing of `{law}` between its bounds"))
        })?;
        Ok((truncated, dimension))
    }

    fn notation(&self, dimension: Dimension) -> String {
        let bound = |name: &str, value: f64| {
            if value.is_infinite() {
                return String::new();
            }
            format!(", {name}={}", written(value, dimension))
        };
        let (lo, hi) = (bound("lo", self.lo), bound("hi", self.hi));
        format!("truncated({}{lo}{hi})", self.law.notation(dimension))
    }

    fn mean(&self) -> f64 {
        match &self.within {
            Within::Known(known) => known.mean(),
            Within::Window(window) => window.mean(),
        }
    }

    fn second_moment(&self) -> f64 {
        match &self.within {
            Within::Known(known) => known.second_moment(),
            Within::Window(window) => window.second_moment(),
        }
    }

    fn tail_index(&self) -> f64 {
        if self.hi < f64::INFINITY { f64::INFINITY } else { self.law.tail_index() }
    }

    fn cdf(&self, x: f64) -> f64 {
        match &self.within {
            Within::Known(known) => known.cdf(x),
            Within::Window(window) => window.cdf(&self.law, x),
        }
    }

    fn survival(&self, x: f64) -> f64 {
        match &self.within {
            Within::Known(known) => known.survival(x),
            Within::Window(window) => window.survival(&self.law, x),
        }
    }

    fn mass(&self, lo: f64, hi: f64) -> f64 {
        match &self.within {
            Within::Known(known) => known.mass(lo, hi),
            Within::Window(window) => window.mass(&self.law, lo, hi),
        }
    }

    #[inline]
    fn quantile(&self, u: f64) -> f64 {
        match &self.within {
            Within::Known(known) => known.quantile(u),
            Within::Window(window) => window.at(&self.law, u, 1.0 - u),
        }
    }

    fn upper_quantile(&self, q: f64) -> f64 {
        match &self.within {
            Within::Known(known) => known.upper_quantile(q),
            Within::Window(window) => window.at(&self.law, 1.0 - q, q),
        }
    }

    fn range(&self) -> (f64, f64) {
        match &self.within {
            Within::Known(known) => known.range(),
            Within::Window(window) => window.range(),
        }
    }

    fn is_discrete(&self) -> bool {
        self.law.is_discrete()
    }

    fn scaled(&self, factor: f64) -> Option<Self> {
        let law = self.law.scaled(factor).ok()?;
        Truncated::new(&law, self.lo * factor, self.hi * factor)
    }

    fn conditional(&self, lo: f64, hi: f64) -> Option<Distribution> {
        match &self.within {
            Within::Known(known) => restricted(known, lo, hi),
            Within::Window(window) => {
                let (least, most) = window.range();
                restricted(&self.law, lo.max(least), hi.min(most))
            }
        }
    }

    /// As many uniforms as the law within the bounds takes: one, or a mix's.
    #[inline]
    fn sample(&self, stream: &mut Stream) -> f64 {
        match &self.within {
            Within::Known(known) => known.sample(stream),
            Within::Window(_) => self.quantile(stream.uniform()),
        }
    }
}
