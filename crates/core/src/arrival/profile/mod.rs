//! Rate profiles: the rate over time, as a factor of the workload's `rate`.
//!
//! One profile is one file plus one line in the list below.

mod constant;
mod ramp;
mod sine;
mod steps;

use crate::error::{Invalid, unknown};
use crate::notation::Call;
use crate::time::Nanos;

/// What each profile can say of itself.
trait Shape: Sized {
    /// The form in which it is written.
    const USAGE: &'static str;

    /// Builds the profile from its arguments.
    fn parse(call: &Call) -> Result<Self, Invalid>;

    /// The time t' >= `from` at which the integral of the factor from `from` to t' reaches
    /// `amount_s` (seconds at factor 1); [`Nanos::MAX`] when it never does.
    fn advance(&self, from: Nanos, amount_s: f64) -> Nanos;

    /// The long-run mean of the factor.
    fn mean_factor(&self) -> f64;
}

macro_rules! profiles {
    ($($module:ident :: $shape:ident),+ $(,)?) => {
        /// The rate over time, as a factor of the workload's rate.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Profile(AnyShape);

        #[derive(Clone, Debug, PartialEq)]
        enum AnyShape { $($shape($module::$shape)),+ }

        /// The forms of all profiles.
        pub const PROFILES: &[&str] = &[$(<$module::$shape as Shape>::USAGE),+];

        impl Profile {
            /// Parses `constant`, `ramp(from=0, to=1, over=10min)`, `steps(0s: 1, 5min: 2)` or
            /// `sine(period=20min, low=1/3)`.
            ///
            /// # Errors
            /// When the name is unknown, or an argument missing or out of its range.
            pub fn parse(text: &str) -> Result<Profile, Invalid> {
                let call = Call::parse(text)?;
                $(if call.name == name(<$module::$shape as Shape>::USAGE) {
                    return Ok(Profile(AnyShape::$shape(<$module::$shape>::parse(&call)?)));
                })+
                Err(unknown("profile", &call.name, PROFILES.iter().map(|usage| name(usage))))
            }

            /// The time at which `amount_s` seconds' worth of the full rate has passed since
            /// `from`; [`Nanos::MAX`] when it never will.
            #[inline]
            #[must_use]
            pub fn advance(&self, from: Nanos, amount_s: f64) -> Nanos {
                match &self.0 { $(AnyShape::$shape(shape) => shape.advance(from, amount_s)),+ }
            }

            /// The long-run mean of the factor; where the profile ends in a plateau, that.
            #[must_use]
            pub fn mean_factor(&self) -> f64 {
                match &self.0 { $(AnyShape::$shape(shape) => shape.mean_factor()),+ }
            }
        }
    };
}

profiles! {
    constant::Constant,
    ramp::Ramp,
    steps::Steps,
    sine::Sine,
}

impl Default for Profile {
    fn default() -> Profile {
        Profile(AnyShape::Constant(constant::Constant))
    }
}

fn name(usage: &str) -> &str {
    usage.split('(').next().unwrap_or(usage)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn examples() -> Vec<Profile> {
        PROFILES.iter().map(|usage| Profile::parse(usage).unwrap()).collect()
    }

    proptest! {
        /// Going twice is going once by the sum, up to the rounding to nanoseconds.
        #[test]
        fn advancing_adds_up(start_s in 0.0..3000.0f64, a in 0.0..500.0f64, b in 0.0..500.0f64) {
            for profile in examples() {
                let start = Nanos::from_secs_f64(start_s);
                let twice = profile.advance(profile.advance(start, a), b);
                let once = profile.advance(start, a + b);
                let difference = twice.since(once).0.max(once.since(twice).0);
                prop_assert!(difference < 50_000, "{profile:?}: {twice} against {once}");
                prop_assert!(once >= start);
            }
        }
    }

    #[test]
    fn mistakes_are_named() {
        let message = |text: &str| Profile::parse(text).unwrap_err().to_string();
        assert!(message("sinus(period=1s)").contains("did you mean `sine`?"));
        assert!(message("ramp(from=-1, to=1, over=1s)").contains("0 or more"));
        assert!(message("ramp(from=0, to=0, over=1s)").contains("both 0"));
        assert!(message("steps(5s: 1)").contains("begin at 0s"));
        assert!(message("steps(0s: 1, 0s: 2)").contains("in order"));
        assert!(message("steps(0s: 0)").contains("all 0"));
        assert!(message("sine(period=0s, low=1)").contains("more than 0"));
        assert!(message("sine(period=1s, low=2)").contains("0 to 1"));
    }
}
