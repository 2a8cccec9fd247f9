//! `rates(counts.csv, column=count, every=1min)`.

use std::sync::Arc;

use thinktime_file::error::Invalid;
use thinktime_file::time::Nanos;
use thinktime_file::units::Dimension;

use super::Shape;
use crate::files::Files;
use crate::notation::{Arguments, Call, word_of};

/// Rates or counts of intervals of the same length, from a file, relative to their mean. After the
/// last interval there are no arrivals.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rates {
    every_s: f64,
    /// The integral of the factor, in seconds, up to the beginning of each interval and to the end.
    upto_s: Arc<[f64]>,
}

impl Shape for Rates {
    const USAGE: &'static str = "rates(FILE, column=NAME, every=1min)";

    fn parse(call: &Call, files: &dyn Files) -> Result<Self, Invalid> {
        let mut arguments = Arguments::new(call, Self::USAGE, &["file", "column", "every"])?;
        let Some(name) = word_of(arguments.required("file")?) else {
            return Err(arguments.error("needs the name of a file"));
        };
        let column = arguments.optional("column").and_then(word_of);
        let every_s = arguments.number("every", Dimension::Time)?;
        if every_s <= 0.0 {
            return Err(arguments.error("needs intervals that last longer than 0s"));
        }
        let rates = files.numbers(&name, column.as_deref())?.without_stamps(&name)?.numbers;
        if let Some(bad) = rates.iter().find(|rate| !(**rate >= 0.0 && rate.is_finite())) {
            return Err(Invalid::new(format!("{name}: `{bad}` is not a rate of 0 or more")));
        }
        let mean = rates.iter().sum::<f64>() / rates.len() as f64;
        if !(mean > 0.0 && mean.is_finite()) {
            return Err(Invalid::new(format!("{name}: holds no rate above 0")));
        }
        let steps = rates.iter().scan(0.0, |upto_s, rate| {
            *upto_s += rate / mean * every_s;
            Some(*upto_s)
        });
        Ok(Rates { every_s, upto_s: std::iter::once(0.0).chain(steps).collect() })
    }

    fn advance(&self, from: Nanos, amount_s: f64) -> Nanos {
        let wanted = self.integral(from.as_secs_f64()) + amount_s;
        let after = self.upto_s.partition_point(|upto_s| *upto_s < wanted);
        match after
            .checked_sub(1)
            .and_then(|at| Some((at, self.upto_s[at], self.upto_s.get(after)?)))
        {
            Some((at, begin, end)) => {
                let within = (wanted - begin) / (end - begin);
                from.max(Nanos::from_secs_f64((at as f64 + within) * self.every_s))
            }
            None if after == 0 => from,
            None => Nanos::MAX,
        }
    }

    /// As long as the file lasts.
    fn mean_factor(&self) -> f64 {
        1.0
    }

    fn most_before_start(&self) -> f64 {
        (self.upto_s[1] - self.upto_s[0]) / self.every_s
    }
}

impl Rates {
    /// The integral of the factor up to this time, in seconds.
    fn integral(&self, time_s: f64) -> f64 {
        let place = time_s / self.every_s;
        let at = place as usize;
        match self.upto_s.get(at..at.saturating_add(2)) {
            Some([begin, end]) => begin + (end - begin) * place.fract(),
            _ => self.upto_s[self.upto_s.len() - 1],
        }
    }
}
