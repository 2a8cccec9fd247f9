//! The options of `simulate`.

use thinktime_file::error::Invalid;

use super::{Number, Share, Text, Time, ValuesByName, Whole, limit, options};
use crate::limit::Limit;
use crate::workload::Workload;

options! {
    /// What `simulate` may be told.
    SimulateOptions {
        /// Number of requests that begin after the warm-up; 1000000 if nothing else ends the
        /// simulation. A mix ends with the arrivals of its largest population if only closed
        /// or smaller ones continue.
        requests: Whole,
        /// Virtual time at which no more requests begin, as in 10min.
        duration: Time,
        /// Factor of the rates and clients of all populations, as in 2.
        scale: Number,
        /// The rate of sessions or, in an open model, requests, instead of the workload's. With
        /// several populations it is NAME=RATE; may be given several times.
        rate: ValuesByName,
        /// The clients of a closed model, instead of the workload's; with several populations
        /// likewise.
        clients: ValuesByName,
        /// The think time of a closed or partly-open model, instead of the workload's; with several
        /// populations likewise.
        think: ValuesByName,
        /// Hold this load (0 to 1): sets the rate, or solves for the think time.
        load: Number,
        /// Requests scheduled before this time do not count. auto finds how long the start makes a
        /// difference; it is the default unless a duration is given or a log or a trace of arrivals
        /// is replayed.
        warmup: Time,
        /// The seed, instead of the workload's.
        seed: Whole,
        /// Independent replications, on all cores; 1 by default.
        replications: Whole,
        /// Simulate until the half-width of the mean's 95 % interval is this share of the mean, as
        /// in 1%.
        precision: Share,
        /// Run the replications on a Ray cluster: ray for one on this machine, ray://HOST:PORT or
        /// auto for a running one.
        on: Text,
        /// Rows of requests.parquet: all, none, or 1/N of the sessions; by default all, or a share
        /// that keeps about a million.
        rows: Text,
    }
}

/// The default number of requests.
const REQUESTS: u64 = 1_000_000;

impl SimulateOptions {
    /// The end of the simulation, and the requests that count. A precision is sought for as long as
    /// it takes, unless an end is given; a log has its own, and so has a mix whose arrivals end:
    /// most of a million requests would be those of the closed populations, which continue.
    ///
    /// # Errors
    /// When the duration or the warm-up is not a time of 0 or more with a known unit, the duration
    /// is 0, or the number of requests is 0; the message names the option.
    pub fn limit(&self, workload: &Workload) -> Result<Limit, Invalid> {
        let replays = workload.extent().is_some();
        let endless = self.duration.is_some() || self.precision.is_some() || replays;
        let requests = self.requests.or((!endless).then_some(REQUESTS));
        let limit = limit(requests, self.duration.as_ref(), self.warmup.as_ref())?;
        let open_ended = self.duration.is_none() && self.requests.is_none();
        let mix_end = workload.mix_end().filter(|_| open_ended);
        Ok(Limit { until: mix_end.unwrap_or(limit.until), ..limit })
    }

    /// Whether the length of the warm-up is to be found. If the duration is given, the workload is
    /// a log or a trace, or the arrivals of a mix end, the start itself may be of interest: it
    /// counts by default.
    #[must_use]
    pub fn finds_warmup(&self, workload: &Workload) -> bool {
        let ends = workload.comes_to_an_end() || workload.replays() || workload.mix_end().is_some();
        let usual = self.duration.is_none() && !ends;
        self.warmup.as_ref().map_or(usual, Time::is_auto)
    }

    /// The number of replications.
    #[must_use]
    pub fn replications(&self) -> u32 {
        self.replications.map_or(1, |number| u32::try_from(number).unwrap_or(u32::MAX))
    }

    /// The precision that is sought.
    ///
    /// # Errors
    /// When it is not a share between 0 and 1.
    pub fn precision(&self) -> Result<Option<f64>, Invalid> {
        self.precision.as_ref().map(|share| share.value("precision")).transpose()
    }
}

#[cfg(test)]
mod tests {
    use thinktime_file::schema::Source;
    use thinktime_file::time::Nanos;

    use super::*;
    use crate::files::NoFiles;

    /// A million requests were nearly all those of the client that continues.
    #[test]
    fn a_mix_ends_with_its_arrivals_unless_an_end_is_given() {
        let text = "name = 'w'\n[[population]]\nname = 'a'\n[population.arrivals]\n\
                    model = 'open'\nrate = 10\nprofile = 'steps(0s: 1, 100s: 0)'\n\
                    [[population]]\nname = 'b'\n[population.arrivals]\nmodel = 'closed'\n\
                    clients = 1\n[population.session]\nthink = '1s'";
        let mix = Workload::parse(Source { file: "", text }, &NoFiles).unwrap();
        let until = |json: &str| {
            let options = SimulateOptions::from_json(json).unwrap();
            (options.limit(&mix).unwrap().until, options.finds_warmup(&mix))
        };
        let end_s = until("{}").0.as_secs_f64();
        assert!((end_s - 100.0).abs() < 1e-6, "{end_s}");
        assert!(!until("{}").1);
        assert_eq!(until(r#"{"duration":"300s"}"#).0, Nanos::from_secs_f64(300.0));
        assert_eq!(until(r#"{"requests":5000}"#).0, Nanos::MAX);
    }
}
