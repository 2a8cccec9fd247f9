//! `const(VALUE)`.

use thinktime_file::error::Invalid;
use thinktime_file::units::{Dimension, Quantity, format_quantity};

use super::{AnyLaw, Distribution, Entry, Law};
use crate::files::Files;
use crate::notation::{Arguments, Call};
use crate::random::Stream;

/// Always the same value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Constant {
    value: f64,
}

impl Constant {
    pub(super) fn new(value: f64) -> Result<Constant, Invalid> {
        if value.is_finite() {
            return Ok(Constant { value });
        }
        Err(Invalid::new(format!("a constant must be a finite number, not {value}")))
    }
}

impl Law for Constant {
    const ENTRY: Entry = Entry {
        name: "const",
        usage: "const(VALUE)",
        example: "const(5ms)",
        summary: "always the same value",
        source: "by definition",
    };

    fn parse(call: &Call, _files: &dyn Files) -> Result<(Self, Dimension), Invalid> {
        let mut arguments = Arguments::new(call, Self::ENTRY.usage, &["value"])?;
        let Quantity { value, dimension } = arguments.quantity("value")?;
        arguments.finish()?;
        Ok((Constant::new(value)?, dimension))
    }

    fn notation(&self, dimension: Dimension) -> String {
        format!("const({})", format_quantity(Quantity { value: self.value, dimension }))
    }

    fn mean(&self) -> f64 {
        self.value
    }

    fn second_moment(&self) -> f64 {
        self.value * self.value
    }

    fn cdf(&self, x: f64) -> f64 {
        if x >= self.value { 1.0 } else { 0.0 }
    }

    fn quantile(&self, _u: f64) -> f64 {
        self.value
    }

    fn range(&self) -> (f64, f64) {
        (self.value, self.value)
    }

    fn is_discrete(&self) -> bool {
        true
    }

    fn scaled(&self, factor: f64) -> Option<Self> {
        Some(Constant { value: self.value * factor })
    }

    fn conditional(&self, _lo: f64, _hi: f64) -> Option<Distribution> {
        Some(Distribution::bare(AnyLaw::Constant(self.clone())))
    }

    fn sample(&self, _stream: &mut Stream) -> f64 {
        self.value
    }
}
