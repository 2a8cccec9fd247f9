//! Scales without bounds, on which parameters are searched for: logarithms, and logarithms of odds.

/// The range of a parameter, as a pair; either bound may be infinite.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// The lower bound.
    pub low: f64,
    /// The upper one.
    pub high: f64,
}

/// No logarithm is larger.
const FURTHEST: f64 = 690.0;

impl Scale {
    /// A number without bounds as one within the range.
    #[must_use]
    pub fn bounded(self, free: f64) -> f64 {
        let Scale { low, high } = self;
        if low.is_infinite() {
            return free.clamp(-1e6, 1e6);
        }
        let free = free.clamp(-FURTHEST, FURTHEST);
        if high.is_infinite() {
            low + free.exp()
        } else {
            low + (high - low) / (1.0 + (-free).exp())
        }
    }

    /// The number whose [`Scale::bounded`] is the value, which is moved inside.
    #[must_use]
    pub fn unbounded(self, value: f64) -> f64 {
        let Scale { low, high } = self;
        if low.is_infinite() {
            return value;
        }
        if high.is_infinite() {
            return (value - low).max(1e-300).ln();
        }
        let share = if high > low { (value - low) / (high - low) } else { 0.5 };
        let share = share.clamp(1e-290, 1.0 - 1e-9);
        (share / (1.0 - share)).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_within_its_range_comes_back() {
        for (low, high) in [(f64::NEG_INFINITY, f64::INFINITY), (2.0, f64::INFINITY), (2.0, 9.0)] {
            for value in [2.5, 3.0, 8.9] {
                let scale = Scale { low, high };
                assert!((scale.bounded(scale.unbounded(value)) - value).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn what_lies_outside_is_moved_inside() {
        let scale = Scale { low: 0.0, high: 1.0 };
        assert!(scale.bounded(scale.unbounded(5.0)) < 1.0);
        assert!(scale.bounded(scale.unbounded(-5.0)) >= 0.0);
        assert!(Scale { low: 0.0, high: f64::INFINITY }.bounded(1e9).is_finite());
    }
}
