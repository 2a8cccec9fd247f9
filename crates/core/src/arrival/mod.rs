//! Arrival processes: the times at which sessions come.
//!
//! Every process is a law of the gaps between arrivals, stretched by a rate that may change over
//! time. A gap is drawn on the scale where the rate is 1; the profile says when that much of the
//! expected number of arrivals has passed. For exponential gaps this is the exact non-homogeneous
//! Poisson process (Cinlar, Introduction to Stochastic Processes, 1975, ch. 4.7); for constant
//! gaps the arrivals are as even as the profile allows.

mod ends;
mod gaps;
mod markov;
mod profile;

pub use profile::{PROFILES, Profile};

use thinktime_file::error::Invalid;
use thinktime_file::time::Nanos;
use thinktime_file::units::parse_rate;
use thinktime_file::workload::ArrivalsTable;

use crate::distribution::streams::MANY;
use crate::files::Files;
use crate::random::{Purpose, Stream};
use crate::replay::Replay;
use gaps::{Gaps, Place};

/// The arrivals of sessions: a law of gaps, a rate and its profile.
#[derive(Clone, Debug)]
pub struct ArrivalProcess {
    gaps: Gaps,
    /// Arrivals a second at the profile's factor 1.
    rate: f64,
    profile: Profile,
}

impl ArrivalProcess {
    /// Checks the table; an error comes with the key that it is about.
    pub(crate) fn from_table(
        table: &ArrivalsTable,
        files: &dyn Files,
    ) -> Result<ArrivalProcess, (&'static str, Invalid)> {
        let rate = match &table.rate {
            None => None,
            Some(scalar) => match parse_rate(&scalar.text()).map_err(|error| (".rate", error))? {
                0.0 => return Err((".rate", Invalid::new("must be more than 0"))),
                rate => Some(rate),
            },
        };
        let process = table.process.as_deref().unwrap_or(ArrivalsTable::PROCESS);
        let (gaps, own_rate) = Gaps::parse(process, files).map_err(|error| (".process", error))?;
        let rate = rate
            .or(own_rate)
            .ok_or_else(|| ("", Invalid::new("needs a `rate`, as in rate = \"12/s\"")))?;
        let profile = match &table.profile {
            None => Profile::default(),
            Some(text) => Profile::parse(text, files).map_err(|error| (".profile", error))?,
        };
        Ok(ArrivalProcess { gaps, rate, profile })
    }

    /// The beginnings of a log's sessions; the first request of the log is at the start of the run.
    pub(crate) fn of_log(replay: Replay) -> ArrivalProcess {
        let rate = replay.session_rate();
        ArrivalProcess { gaps: Gaps::Log(replay), rate, profile: Profile::default() }
    }

    /// The rate in arrivals a second at a factor of 1 of the profile.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// The long-run mean rate in arrivals a second; the plateau's, if the profile ends in one.
    #[must_use]
    pub fn mean_rate(&self) -> f64 {
        self.rate * self.mean_factor()
    }

    /// The long-run mean of the profile's factor.
    #[must_use]
    pub fn mean_factor(&self) -> f64 {
        self.profile.mean_factor()
    }

    /// The largest rate before the start of the run, in arrivals a second. See
    /// [`ArrivalProcess::share_before_start`].
    pub(crate) fn rate_before_start(&self) -> f64 {
        self.rate * self.profile.most_before_start()
    }

    /// The rate this many seconds before the start, as a share of the largest one then.
    pub(crate) fn share_before_start(&self, age_s: f64) -> f64 {
        self.profile.before_start(age_s) / self.profile.most_before_start()
    }

    /// Whether the rate changed before the start.
    pub(crate) fn varied_before_start(&self) -> bool {
        self.profile.varied_before_start()
    }

    /// The limit of Var N(t) / E N(t) for the number N(t) of arrivals up to t, at most, if the rate
    /// is constant: 1 for a Poisson process, and C² of the gaps if these are independent. `None` if
    /// a file gives the times.
    #[must_use]
    pub fn dispersion(&self) -> Option<f64> {
        self.gaps.dispersion()
    }

    /// The same; `None` also if the rate changes by a profile.
    pub(crate) fn steady_dispersion(&self) -> Option<f64> {
        self.dispersion().filter(|_| self.profile == Profile::default())
    }

    /// Whether a file gives the times of sessions.
    pub(crate) fn is_trace(&self) -> bool {
        matches!(self.gaps, Gaps::Trace(_) | Gaps::Log(_))
    }

    /// Whether arrivals are a Poisson process of constant rate.
    #[must_use]
    pub fn is_poisson(&self) -> bool {
        self.profile == Profile::default() && self.gaps.is_poisson()
    }

    /// The arrivals of a seed, beginning at the start of the run.
    #[must_use]
    pub fn arrivals(&self, seed: u64) -> Arrivals {
        let mut stream = Stream::new(seed, 0, Purpose::Arrival);
        let within = self.gaps.begin(&mut stream);
        Arrivals {
            process: self.clone(),
            seed,
            stream,
            within,
            number: 0,
            ahead: [Nanos::ZERO; MANY],
            place: MANY,
        }
    }
}

/// The arrivals of one seed, one after another.
#[derive(Clone, Debug)]
pub struct Arrivals {
    process: ArrivalProcess,
    seed: u64,
    stream: Stream,
    within: Place,
    /// The number of arrivals drawn so far, including the sessions of a log that are left out.
    number: usize,
    /// Times drawn ahead, and the place of the next one.
    ahead: [Nanos; MANY],
    place: usize,
}

impl Arrivals {
    /// The time of the next arrival; [`Nanos::MAX`] when there are no more.
    #[inline(always)]
    pub fn next_arrival(&mut self) -> Nanos {
        if self.place >= MANY {
            self.draw();
        }
        let next = self.ahead[self.place];
        self.place += 1;
        next
    }

    #[inline(never)]
    fn draw(&mut self) {
        let Arrivals { process, seed, stream, within, number, ahead, place } = self;
        *place = 0;
        let mut gaps = [0.0; MANY];
        let mut given = MANY;
        match &process.gaps {
            Gaps::Drawn(law) => law.fill(stream, &mut gaps),
            Gaps::Trace(trace) => {
                let left = &trace[(*number).min(trace.len())..];
                given = left.len().min(MANY);
                gaps[..given].copy_from_slice(&left[..given]);
            }
            memory @ (Gaps::Markov(_) | Gaps::Batches(_)) => {
                gaps.fill_with(|| memory.gap(within, stream));
            }
            Gaps::Log(replay) => {
                return ahead.fill_with(|| next_of_log(replay, number, *seed));
            }
        }
        *number += given;
        let last = ahead[MANY - 1];
        *ahead = process.profile.advance_all(last, &gaps.map(|gap| gap / process.rate));
        ahead[given..].fill(Nanos::MAX);
    }
}

fn next_of_log(replay: &Replay, number: &mut usize, seed: u64) -> Nanos {
    let Some(session) = replay.next_session(*number, seed) else { return Nanos::MAX };
    *number = session + 1;
    replay.begin(session)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::NoFiles;
    use thinktime_file::schema::Scalar;
    use thinktime_file::workload::Model;

    fn process(rate: Option<&str>, process: &str, profile: Option<&str>) -> ArrivalProcess {
        let table = ArrivalsTable {
            model: Model::Open,
            rate: rate.map(|text| Scalar::Text(text.to_owned())),
            process: Some(process.to_owned()),
            clients: None,
            profile: profile.map(str::to_owned),
            start: None,
        };
        ArrivalProcess::from_table(&table, &NoFiles).unwrap()
    }

    fn count_in(process: &ArrivalProcess, from_s: f64, to_s: f64) -> f64 {
        let mut arrivals = process.arrivals(5);
        let (from, to) = (Nanos::from_secs_f64(from_s), Nanos::from_secs_f64(to_s));
        let times = std::iter::from_fn(|| Some(arrivals.next_arrival()));
        times.take_while(|t| *t < to).filter(|t| *t >= from).count() as f64
    }

    #[test]
    fn even_arrivals_are_even() {
        let mut arrivals = process(Some("4/s"), "even", None).arrivals(1);
        assert_eq!(arrivals.next_arrival(), Nanos(250_000_000));
        assert_eq!(arrivals.next_arrival(), Nanos(500_000_000));
    }

    #[test]
    fn a_renewal_process_has_its_own_rate_unless_one_is_given() {
        assert!((process(None, "erlang(4, 50ms)", None).mean_rate() - 20.0).abs() < 1e-9);
        assert!((process(Some("5/s"), "erlang(4, 50ms)", None).mean_rate() - 5.0).abs() < 1e-9);
    }

    #[test]
    fn what_is_no_process_is_told_what_would_be_one() {
        let why = |text: &str| Gaps::parse(text, &NoFiles).unwrap_err().to_string();
        assert!(why("poison").ends_with("did you mean `poisson`?"));
        assert!(why("burst").contains("`poisson`, `even`, `mmpp`, `map`, `batches`, `trace`"));
        assert!(why("batches(trace(a.csv), size=2)").contains("random processes alone"));
        assert!(why("batches(poisson, size=pareto(shape=1.5, scale=1))").contains("variance"));
        assert!(why("batches(poisson)").contains("needs `size`"));
    }

    /// Counts over a long time are within 4.5 standard deviations of the rate's integral (false
    /// alarm 7e-6 each; the seed is fixed).
    #[test]
    fn counts_follow_the_profile() {
        let within = |count: f64, expected: f64| (count - expected).abs() < 4.5 * expected.sqrt();
        let steps = process(Some("100/s"), "poisson", Some("steps(0s: 1, 100s: 3)"));
        assert!(within(count_in(&steps, 0.0, 100.0), 10_000.0));
        assert!(within(count_in(&steps, 100.0, 200.0), 30_000.0));
        let ramp = process(Some("100/s"), "poisson", Some("ramp(from=0, to=1, over=200s)"));
        assert!(within(count_in(&ramp, 0.0, 200.0), 10_000.0));
        assert!(within(count_in(&ramp, 200.0, 300.0), 10_000.0));
        let sine = process(Some("300/s"), "poisson", Some("sine(period=40s, low=1/3)"));
        assert!(within(count_in(&sine, 0.0, 400.0), 80_000.0));
        // The first half of each period is the busier one: mean factor 2/3 + 2/(3 pi).
        let first_half = 300.0 * 20.0 * (2.0 / 3.0 + 2.0 / (3.0 * std::f64::consts::PI));
        assert!(within(count_in(&sine, 0.0, 20.0), first_half));
    }

    /// All arrivals of a trace of the times 3 s, 4 s and 8 s, in seconds.
    fn traced(call: &str, rate: Option<&str>) -> Result<Vec<f64>, String> {
        struct Times;
        impl Files for Times {
            fn read(&self, _name: &str) -> Result<String, Invalid> {
                Ok("4\n3\n8\n".to_owned())
            }
        }
        let table = ArrivalsTable {
            model: Model::Open,
            rate: rate.map(|text| Scalar::Text(text.to_owned())),
            process: Some(call.to_owned()),
            clients: None,
            profile: None,
            start: None,
        };
        let process = ArrivalProcess::from_table(&table, &Times).map_err(|(_, error)| error);
        let mut arrivals = process.map_err(|error| error.to_string())?.arrivals(1);
        let times = std::iter::from_fn(|| Some(arrivals.next_arrival()));
        Ok(times.take_while(|time| !time.is_never()).map(Nanos::as_secs_f64).collect())
    }

    #[test]
    fn a_trace_begins_where_it_says() {
        let near = |found: Vec<f64>, expected: [f64; 3]| {
            assert!(found.len() == 3, "{found:?}");
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-8), "{found:?}");
        };
        near(traced("trace(a.csv)", None).unwrap(), [2.5, 3.5, 7.5]);
        near(traced("trace(a.csv, begin=0s)", None).unwrap(), [3.0, 4.0, 8.0]);
        near(traced("trace(a.csv, begin=2s)", None).unwrap(), [1.0, 2.0, 6.0]);
        // Three arrivals in 8 s are 0.375/s; at twice that rate all arrive twice as fast.
        near(traced("trace(a.csv, begin=0s)", Some("0.75/s")).unwrap(), [1.5, 2.0, 4.0]);
        // With an end at 16 s they are 0.1875/s, and 0.375/s is twice that.
        near(traced("trace(a.csv, begin=0s, end=16s)", None).unwrap(), [3.0, 4.0, 8.0]);
        near(traced("trace(a.csv, begin=0s, end=16s)", Some("0.375/s")).unwrap(), [1.5, 2.0, 4.0]);
        let error = traced("trace(a.csv, begin=5s)", None).unwrap_err();
        assert!(error.contains("an arrival at 3 s, before its `begin` at 5 s"), "{error}");
        let error = traced("trace(a.csv, begin=0s, end=5s)", None).unwrap_err();
        assert!(error.contains("an arrival at 8 s, after its `end` at 5 s"), "{error}");
    }

    #[test]
    fn a_rate_that_falls_to_nothing_ends_the_arrivals() {
        let process = process(Some("10/s"), "even", Some("ramp(from=1, to=0, over=10s)"));
        let mut arrivals = process.arrivals(1);
        let times: Vec<Nanos> = (0..60).map(|_| arrivals.next_arrival()).collect();
        assert_eq!(times.iter().filter(|t| !t.is_never()).count(), 50);
        assert!(times.windows(2).all(|pair| pair[0] <= pair[1]));
    }
}
