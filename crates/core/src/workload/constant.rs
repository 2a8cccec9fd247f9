//! Laws of one value.

use thinktime_file::units::Dimension;

use crate::distribution::Distribution;

pub(super) fn constant(value: f64) -> Distribution {
    Distribution::constant(value, Dimension::Number).expect("it is a finite number")
}
