//! Requests that starve: those that began long before the end of the measured time and did not
//! finish in it.

use serde::{Deserialize, Serialize};
use thinktime_file::time::Nanos;

use crate::words;

/// The requests in progress when the measured time ended.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Starvation {
    /// The time of each in the system so far; for those that finished later, the whole response
    /// time.
    times: Vec<Nanos>,
}

/// More are not kept: then it is overload and not starvation.
const KEPT_MAX: usize = 1 << 20;
/// A request that takes longer than this share of the measured time starves.
const LONG: f64 = 0.1;
/// The share of all response times together from which it is reported.
const WORTH: f64 = 0.05;

impl Starvation {
    /// A request was not finished when the measured time ended.
    #[inline]
    pub fn add(&mut self, time: Nanos) {
        if self.times.len() < KEPT_MAX {
            self.times.push(time);
        }
    }

    /// Adds those of another replication.
    pub fn merge(&mut self, other: &Starvation) {
        other.times.iter().for_each(|time| self.add(*time));
    }

    /// The report on them, in words, beside `count` finished requests with this mean, which include
    /// them if `finished` says so. `measured_s` is the length of one replication.
    #[must_use]
    pub fn words(
        &self,
        measured_s: f64,
        count: u64,
        mean_s: f64,
        finished: bool,
    ) -> Option<String> {
        let seconds = self.times.iter().map(|time| time.as_secs_f64());
        let long: Vec<f64> = seconds.filter(|time| *time > LONG * measured_s).collect();
        let (number, sum) = (long.len(), long.iter().sum::<f64>());
        let longest = long.iter().fold(0.0, |a: f64, b| a.max(*b));
        let all = mean_s * count as f64;
        // Starving requests do so beside others that are served: else the run is short.
        let served = count.saturating_sub(if finished { number as u64 } else { 0 });
        let little = sum < WORTH * (all + if finished { 0.0 } else { sum });
        if number == 0 || little || number as u64 > served {
            return None;
        }
        let rest = (all - sum) / (count as f64 - number as f64).max(1.0);
        let (longest, number) = (words::time(longest), words::count(number as u64));
        Some(if finished {
            let count = words::count(count);
            format!(
                "{number} of {count} requests starve: they were under way for more than a tenth of \
                 the run, the longest for {longest}, and finished only because no more came; the \
                 mean of the others is {}",
                words::time(rest)
            )
        } else {
            format!(
                "{number} requests starve: they had been under way for more than a tenth of the \
                 run, the longest for {longest}, and never finished; they are in no figure, which \
                 makes the averages look better than they are"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_unfinished_requests_are_named() {
        let mut starved = Starvation::default();
        (0..3).for_each(|_| starved.add(Nanos(50_000_000_000)));
        starved.add(Nanos(1000));
        let words = starved.words(100.0, 1000, 0.2, true).unwrap();
        assert!(words.starts_with("3 of 1,000 requests starve"), "{words}");
        assert!(words.contains("the others is 50.2 ms"), "{words}");
        assert!(starved.words(100.0, 1000, 0.2, false).unwrap().contains("never finished"));
        // Three responses of 50 s are little beside a million of 0.2 s.
        assert_eq!(starved.words(100.0, 1_000_000, 0.2, true), None);
        // Most requests: the run was short.
        assert_eq!(starved.words(100.0, 5, 30.0, true), None);
        assert_eq!(starved.words(100.0, 2, 0.2, false), None);
        assert_eq!(Starvation::default().words(100.0, 10, 0.2, true), None);
    }
}
