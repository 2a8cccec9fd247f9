//! The gaps between arrivals, in units of the mean gap.

use std::sync::Arc;

use thinktime_file::error::{Invalid, nearest};
use thinktime_file::units::Dimension;

use super::markov::Markov;
use crate::distribution::{Distribution, ENTRIES};
use crate::files::Files;
use crate::journey::Count;
use crate::notation::{Arguments, Call, Term};
use crate::random::Stream;
use crate::replay::Replay;
use crate::times::{Trace, trace};

/// The names of all processes.
const NAMES: [&str; 6] = ["poisson", "even", "mmpp", "map", "batches", "trace"];

/// The gaps between arrivals, in units of the mean gap.
#[derive(Clone, Debug)]
pub(super) enum Gaps {
    /// Drawn from a law of mean 1, independent of one another.
    Drawn(Distribution),
    /// Those of a rate that follows a hidden chain.
    Markov(Markov),
    /// Those of arrivals of which several come together.
    Batches(Batches),
    /// Those of a trace, the first one from the start of the run; then no more.
    Trace(Arc<[f64]>),
    /// Those of a log's sessions, to the nanosecond.
    Log(Replay),
}

/// The place of one seed's arrivals within a process with a memory.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    /// The state of the hidden chain.
    pub(super) state: usize,
    /// The number of arrivals of the batch that are still to come.
    pub(super) left: u64,
}

impl Gaps {
    /// The gaps of a process, and the rate that the notation itself gives.
    ///
    /// # Errors
    /// If the text is no process, or a file cannot be read.
    pub(super) fn parse(process: &str, files: &dyn Files) -> Result<(Gaps, Option<f64>), Invalid> {
        if let Some(found) = trace(process, files)? {
            return trace_gaps(found);
        }
        match Call::parse(process) {
            Ok(call) if !call.name.starts_with(|c: char| c.is_ascii_digit()) => {
                Gaps::of_call(&call, files)
            }
            _ => renewal(Distribution::parse(process, files)),
        }
    }

    /// As [`Gaps::parse`], of a random process.
    pub(super) fn of_call(call: &Call, files: &dyn Files) -> Result<(Gaps, Option<f64>), Invalid> {
        if let Some(markov) = Markov::parse(call) {
            return markov.map(|(markov, rate)| (Gaps::Markov(markov), Some(rate)));
        }
        match call.name.as_str() {
            "poisson" if call.arguments.is_empty() => Ok((Gaps::poisson(), None)),
            "even" => Ok((Gaps::Drawn(Distribution::constant(1.0, Dimension::Time)?), None)),
            "batches" => {
                Batches::parse(call, files).map(|(batches, rate)| (Gaps::Batches(batches), rate))
            }
            name => match nearest(name, NAMES).filter(|_| !is_law(name)) {
                Some(near) => {
                    Err(Invalid::new(format!("unknown process `{name}`: did you mean `{near}`?")))
                }
                None => renewal(Distribution::from_term(&Term::Call(call.clone()), files)),
            },
        }
    }

    /// Those of a Poisson process.
    pub(super) fn poisson() -> Gaps {
        Gaps::Drawn(poisson_gaps())
    }

    pub(super) fn is_poisson(&self) -> bool {
        matches!(self, Gaps::Drawn(law) if *law == poisson_gaps())
    }

    /// The limit of Var N(t) / E N(t) for the number N(t) of arrivals up to t, at most; C² of
    /// independent gaps (Cox and Lewis, The Statistical Analysis of Series of Events, 1966, section
    /// 4.5). `None` for files.
    pub(super) fn dispersion(&self) -> Option<f64> {
        match self {
            Gaps::Drawn(law) => Some(law.cv2()),
            Gaps::Markov(markov) => Some(markov.dispersion()),
            Gaps::Batches(batches) => batches.dispersion(),
            Gaps::Trace(_) | Gaps::Log(_) => None,
        }
    }

    /// The place before the first arrival.
    pub(super) fn begin(&self, stream: &mut Stream) -> Place {
        match self {
            Gaps::Markov(markov) => Place { state: markov.state(stream), left: 0 },
            Gaps::Batches(batches) => batches.begin(stream),
            _ => Place::default(),
        }
    }

    /// The next gap of a random process.
    pub(super) fn gap(&self, place: &mut Place, stream: &mut Stream) -> f64 {
        match self {
            Gaps::Drawn(law) => law.sample(stream),
            Gaps::Markov(markov) => markov.gap(&mut place.state, stream),
            Gaps::Batches(batches) => batches.gap(place, stream),
            Gaps::Trace(_) | Gaps::Log(_) => unreachable!("files are read, not drawn"),
        }
    }
}

fn poisson_gaps() -> Distribution {
    Distribution::exponential_time(1.0).expect("1 is a positive mean")
}

fn is_law(name: &str) -> bool {
    ENTRIES.iter().any(|entry| entry.name == name)
}

/// Independent gaps of a law.
fn renewal(law: Result<Distribution, Invalid>) -> Result<(Gaps, Option<f64>), Invalid> {
    let law = law.map_err(|error| {
        let known = NAMES.map(|name| format!("`{name}`")).join(", ");
        Invalid::new(format!("{error}; a process is one of {known}, or the law of the gaps"))
    })?;
    let law = law.expect(Dimension::Time)?;
    let mean = law.mean();
    if !(mean > 0.0 && mean.is_finite()) {
        return Err(Invalid::new(format!("`{law}` needs a positive, finite mean")));
    }
    Ok((Gaps::Drawn(law.scaled(1.0 / mean)?), Some(1.0 / mean)))
}

/// Arrival times, in any order, as gaps. If the trace gives the start of the run, the first gap
/// begins there. Else it has the mean length, so that n arrivals last n mean gaps. If the trace
/// gives its end, too, the rate is that of all the time up to there.
fn trace_gaps(trace: Trace) -> Result<(Gaps, Option<f64>), Invalid> {
    let Trace { mut times, begin_s, end_s } = trace;
    times.sort_by(f64::total_cmp);
    let (first, last) = (times[0], times[times.len() - 1]);
    if let Some(begin_s) = begin_s.filter(|begin_s| *begin_s > first) {
        return Err(Invalid::new(format!(
            "the trace has an arrival at {first} s, before its `begin` at {begin_s} s"
        )));
    }
    if let Some(end_s) = end_s.filter(|end_s| *end_s < last) {
        return Err(Invalid::new(format!(
            "the trace has an arrival at {last} s, after its `end` at {end_s} s"
        )));
    }
    let until = end_s.unwrap_or(last);
    let (mean, first_gap) = match begin_s {
        Some(begin_s) if until > begin_s => {
            let mean = (until - begin_s) / times.len() as f64;
            (mean, (first - begin_s) / mean)
        }
        None if last > first => ((last - first) / (times.len() - 1) as f64, 1.0),
        _ => return Err(Invalid::new("a trace needs arrivals at two different times at least")),
    };
    let gaps = times.windows(2).map(|pair| (pair[1] - pair[0]) / mean);
    Ok((Gaps::Trace(std::iter::once(first_gap).chain(gaps).collect()), Some(1.0 / mean)))
}

const BATCHES: &str = "batches(poisson, size=geometric(4))";

/// Arrivals at a rate of 1, of which several come together.
#[derive(Clone, Debug)]
pub(super) struct Batches {
    /// The process by which batches come.
    process: Arc<Gaps>,
    /// The number of arrivals of a batch, 1 or more, and its mean.
    size: Count,
    mean_size: f64,
}

impl Batches {
    /// The process of a call, and its rate in arrivals a second if the call has one.
    ///
    /// # Errors
    /// If an argument is missing, no process, or a law without a finite mean.
    fn parse(call: &Call, files: &dyn Files) -> Result<(Batches, Option<f64>), Invalid> {
        let mut arguments = Arguments::new(call, BATCHES, &["process", "size"])?;
        let Term::Call(inner) = arguments.required("process")? else {
            return Err(arguments.error("needs a process before the size"));
        };
        if ["trace", "batches"].contains(&inner.name.as_str()) {
            return Err(arguments.error("goes with random processes alone"));
        }
        let (process, rate) = Gaps::of_call(&inner, files)?;
        let law = Distribution::from_term(&arguments.required("size")?, files)?;
        arguments.finish()?;
        let law = law.expect(Dimension::Number)?;
        if !law.second_moment().is_finite() {
            return Err(Invalid::new(format!("`{law}` needs a finite mean and variance")));
        }
        let size = Count::from_one(law);
        let mean_size = size.mean();
        let batches = Batches { process: Arc::new(process), size, mean_size };
        Ok((batches, rate.map(|rate| rate * mean_size)))
    }

    /// The limit of Var N(t) / E N(t), at most: for batches of size S that come with the dispersion
    /// I, it is (E[S²] + (I - 1) E[S]²) / E[S].
    fn dispersion(&self) -> Option<f64> {
        let squares = (self.process.dispersion()? - 1.0) * self.mean_size * self.mean_size;
        Some((self.size.second_moment_max() + squares).max(0.0) / self.mean_size)
    }

    /// The place before the first arrival.
    fn begin(&self, stream: &mut Stream) -> Place {
        self.process.begin(stream)
    }

    /// The time until the next arrival.
    fn gap(&self, place: &mut Place, stream: &mut Stream) -> f64 {
        if place.left > 0 {
            place.left -= 1;
            return 0.0;
        }
        place.left = self.size.draw(stream) - 1;
        self.process.gap(place, stream) * self.mean_size
    }
}
