//! Rate profiles: the rate over time, as a factor of the workload's `rate`.
//!
//! One profile is one file plus one line in the list below.

mod constant;
mod ramp;
mod rates;
mod sine;
mod steps;

use thinktime_file::error::{Invalid, unknown};
use thinktime_file::time::Nanos;

use crate::distribution::streams::MANY;
use crate::files::Files;
use crate::notation::Call;

/// The interface of each profile.
trait Shape: Sized {
    /// Its notation.
    const USAGE: &'static str;

    /// Builds the profile from its arguments; `files` reads the files that they name.
    fn parse(call: &Call, files: &dyn Files) -> Result<Self, Invalid>;

    /// The time t' >= `from` at which the integral of the factor from `from` to t' reaches
    /// `amount_s` (seconds at factor 1); [`Nanos::MAX`] when it never does.
    fn advance(&self, from: Nanos, amount_s: f64) -> Nanos;

    /// The times of all amounts, one after another, starting at `from`.
    fn advance_all(&self, from: Nanos, amounts_s: &[f64; MANY]) -> [Nanos; MANY] {
        let mut now = from;
        amounts_s.map(|amount_s| {
            if !now.is_never() {
                now = self.advance(now, amount_s);
            }
            now
        })
    }

    /// The long-run mean of the factor.
    fn mean_factor(&self) -> f64;

    /// The largest factor before the start of the run.
    fn most_before_start(&self) -> f64;

    /// The factor this many seconds before the start of the run; to be overridden if it varied.
    fn before_start(&self, _age_s: f64) -> f64 {
        self.most_before_start()
    }

    /// Whether the factor varied before the start.
    fn varied_before_start(&self) -> bool {
        false
    }
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
            /// Parses `constant`, `ramp(from=0, to=1, over=10min)`, `steps(0s: 1, 5min: 2)`,
            /// `sine(period=20min, low=1/3)` or `rates(FILE, column=NAME, every=1min)`.
            ///
            /// # Errors
            /// When the name is unknown, an argument is missing or out of its range, or a file
            /// cannot be read.
            pub fn parse(text: &str, files: &dyn Files) -> Result<Profile, Invalid> {
                let call = Call::parse(text)?;
                $(if call.name == name(<$module::$shape as Shape>::USAGE) {
                    return Ok(Profile(AnyShape::$shape(<$module::$shape>::parse(&call, files)?)));
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

            /// As [`Profile::advance`], one after another: the times of all amounts.
            pub(super) fn advance_all(
                &self,
                from: Nanos,
                amounts_s: &[f64; MANY],
            ) -> [Nanos; MANY] {
                match &self.0 { $(AnyShape::$shape(shape) => shape.advance_all(from, amounts_s)),+ }
            }

            /// The long-run mean of the factor; the plateau, if the profile ends in one.
            #[must_use]
            pub fn mean_factor(&self) -> f64 {
                match &self.0 { $(AnyShape::$shape(shape) => shape.mean_factor()),+ }
            }

            /// The largest factor before the start of the run. A profile that recurs is taken to
            /// have done so before the start as well, any other to have had its first factor.
            #[must_use]
            pub fn most_before_start(&self) -> f64 {
                match &self.0 { $(AnyShape::$shape(shape) => shape.most_before_start()),+ }
            }

            /// The factor this many seconds before the start of the run.
            #[must_use]
            pub fn before_start(&self, age_s: f64) -> f64 {
                match &self.0 { $(AnyShape::$shape(shape) => shape.before_start(age_s)),+ }
            }

            /// Whether the factor varied before the start.
            #[must_use]
            pub fn varied_before_start(&self) -> bool {
                match &self.0 { $(AnyShape::$shape(shape) => shape.varied_before_start()),+ }
            }
        }
    };
}

profiles! {
    constant::Constant,
    ramp::Ramp,
    steps::Steps,
    sine::Sine,
    rates::Rates,
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

    /// A file of rates for each minute, longer than an hour.
    struct Given;

    impl Files for Given {
        fn read(&self, name: &str) -> Result<String, Invalid> {
            match name {
                "none.csv" => Ok("0\n0".to_owned()),
                "bad.csv" => Ok("1\n-2".to_owned()),
                _ => Ok((0..200)
                    .map(|n| format!("{}\n", n % 7))
                    .fold("NAME\n".into(), |a, b| a + &b)),
            }
        }
    }

    #[test]
    fn rates_of_a_file_are_parts_of_their_mean() {
        let profile = Profile::parse("rates(x.csv, column=NAME, every=1min)", &Given).unwrap();
        let minute = |n: f64| Nanos::from_secs_f64(n * 60.0);
        // The first minute has no arrival; the second has one third of the mean of about 3.
        let mean = (0..200).map(|n| f64::from(n % 7)).sum::<f64>() / 200.0;
        assert_eq!(profile.advance(Nanos::ZERO, 30.0 / mean), minute(1.5));
        assert_eq!(profile.advance(minute(1.5), 30.0 / mean + 120.0 / mean), minute(3.0));
        assert!(profile.advance(Nanos::ZERO, 199.0 * 60.0) < minute(200.0));
        assert!(profile.advance(Nanos::ZERO, 201.0 * 60.0).is_never());
        assert!(profile.advance(minute(500.0), 1.0).is_never());
    }

    fn examples() -> Vec<Profile> {
        PROFILES.iter().map(|usage| Profile::parse(usage, &Given).unwrap()).collect()
    }

    proptest! {
        /// Two steps equal one step by their sum, up to the rounding to nanoseconds.
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
        let message = |text: &str| Profile::parse(text, &Given).unwrap_err().to_string();
        assert!(message("sinus(period=1s)").contains("did you mean `sine`?"));
        assert!(message("ramp(from=-1, to=1, over=1s)").contains("0 or more"));
        assert!(message("ramp(from=0, to=0, over=1s)").contains("both 0"));
        assert!(message("rates(none.csv, every=1min)").contains("no rate above 0"));
        assert!(message("rates(bad.csv, every=1min)").contains("not a rate of 0 or more"));
        assert!(message("rates(x.csv, every=0s)").contains("longer than 0s"));
        assert!(message("steps(5s: 1)").contains("begin at 0s"));
        assert!(message("steps(0s: 1, 0s: 2)").contains("in order"));
        assert!(message("steps(0s: 0)").contains("all 0"));
        assert!(message("sine(period=0s, low=1)").contains("more than 0"));
        assert!(message("sine(period=1s, low=2)").contains("0 to 1"));
    }
}
