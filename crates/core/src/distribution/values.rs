//! Helpers of the laws for reading and writing their parameters.

use thinktime_file::error::Invalid;
use thinktime_file::units::{Dimension, Quantity, format_quantity};

use super::Entry;
use crate::notation::{Call, Label, Term};

/// Weights that sum to 1 within this count as exact.
const WEIGHT_SLACK: f64 = 1e-9;

impl Entry {
    /// A message about a law, with its right form.
    pub(super) fn error(&self, what: &str) -> Invalid {
        Invalid::new(format!("`{}` {what}; write it as {}", self.name, self.usage))
    }

    /// A parameter that must be above zero and finite.
    pub(super) fn positive(&self, name: &str, value: f64) -> Result<f64, Invalid> {
        if value > 0.0 && value.is_finite() {
            return Ok(value);
        }
        Err(self.error(&format!("needs a positive `{name}`, not {value}")))
    }

    /// A whole number from 1 to `most`.
    pub(super) fn count(&self, name: &str, value: f64, most: f64) -> Result<f64, Invalid> {
        if value >= 1.0 && value <= most && value.fract() == 0.0 {
            return Ok(value);
        }
        Err(self
            .error(&format!("needs a whole number from 1 to {most:e} for `{name}`, not {value}")))
    }

    /// The common dimension of all values: bare numbers go with any.
    pub(super) fn common_dimension(
        &self,
        dimensions: impl IntoIterator<Item = Dimension>,
    ) -> Result<Dimension, Invalid> {
        let mut common = Dimension::Number;
        for dimension in dimensions {
            if common == Dimension::Number {
                common = dimension;
            } else if dimension != common && dimension != Dimension::Number {
                return Err(self.error(&format!(
                    "has both {} and {}",
                    common.words(),
                    dimension.words()
                )));
            }
        }
        Ok(common)
    }

    /// The arguments `weight: term`, with positive weights that sum to 1.
    pub(super) fn weighted<'a>(&self, call: &'a Call) -> Result<Vec<(f64, &'a Term)>, Invalid> {
        let parts = call
            .arguments
            .iter()
            .map(|argument| match argument.label {
                Label::Weight(weight) if weight.dimension == Dimension::Number => {
                    Ok((self.positive("weight", weight.value)?, &argument.term))
                }
                Label::Weight(_) => Err(self.error("needs weights without a unit")),
                _ => Err(self.error("needs a weight before each argument")),
            })
            .collect::<Result<Vec<_>, _>>()?;
        let sum: f64 = parts.iter().fold(0.0, |sum, (weight, _)| sum + weight);
        if (sum - 1.0).abs() > WEIGHT_SLACK {
            let shown = (sum * 1e9).round() / 1e9;
            return Err(self.error(&format!("needs weights that sum to 1, not {shown}")));
        }
        Ok(parts)
    }
}

/// A value as it is written in a notation.
pub(super) fn written(value: f64, dimension: Dimension) -> String {
    format_quantity(Quantity { value, dimension })
}
