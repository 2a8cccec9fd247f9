//! Servers' reports of their own state, in answer to probes.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;
use thinktime_file::time::Nanos;

/// A server reports the median of this many requests, the last to end.
const LATELY: usize = 16;

/// A larger number from a server is not believed.
const SECONDS_MAX: f64 = 1e9;

/// A server's answer to a probe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Probe {
    /// Its requests in progress.
    pub in_progress: u32,
    /// The median response time of recently ended requests.
    pub response: Nanos,
}

impl Probe {
    /// As it is sent: `{"in_progress": 3, "response_s": 0.012}`.
    #[must_use]
    pub fn to_json(self) -> String {
        let Probe { in_progress, response } = self;
        format!("{{\"in_progress\": {in_progress}, \"response_s\": {}}}", response.as_secs_f64())
    }

    /// Reads a server's answer, which may contain more. `response_s` may be null or left out if it
    /// is not known yet. `None` if it is not such an answer.
    #[must_use]
    pub fn from_json(bytes: &[u8]) -> Option<Probe> {
        let answer: Value = serde_json::from_slice(bytes).ok()?;
        let in_progress = u32::try_from(answer.get("in_progress")?.as_u64()?).ok()?;
        let seconds = match answer.get("response_s") {
            None | Some(Value::Null) => 0.0,
            Some(value) => value.as_f64()?,
        };
        let response =
            (0.0..=SECONDS_MAX).contains(&seconds).then(|| Nanos::from_secs_f64(seconds))?;
        Some(Probe { in_progress, response })
    }
}

/// A server's records of its own requests for answers to probes.
#[derive(Clone, Debug, Default)]
pub struct SelfReport {
    in_progress: u32,
    /// By the number of requests that a request found there, the response times of the last of
    /// them, the oldest first.
    lately: BTreeMap<u32, VecDeque<Nanos>>,
}

impl SelfReport {
    /// A request comes; gives the number that it finds there.
    pub fn begin(&mut self) -> u32 {
        self.in_progress += 1;
        self.in_progress - 1
    }

    /// A request has ended that found this many, after this time.
    pub fn end(&mut self, found: u32, response: Nanos) {
        self.in_progress -= 1;
        let lately = self.lately.entry(found).or_default();
        if lately.len() == LATELY {
            lately.pop_front();
        }
        lately.push_back(response);
    }

    /// The answer: the median is of requests that found as many as are present now, or nearly as
    /// many.
    #[must_use]
    pub fn answer(&self) -> Probe {
        let now = self.in_progress;
        let below = self.lately.range(..=now).next_back();
        let above = self.lately.range(now..).next();
        let nearest = below.into_iter().chain(above).min_by_key(|(found, _)| found.abs_diff(now));
        let mut sorted: Vec<Nanos> =
            nearest.map_or(Vec::new(), |(_, lately)| lately.iter().copied().collect());
        sorted.sort_unstable();
        let response = sorted.get(sorted.len() / 2).copied().unwrap_or_default();
        Probe { in_progress: now, response }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_is_read_and_other_things_are_no_answer() {
        let told = |in_progress, nanos| Some(Probe { in_progress, response: Nanos(nanos) });
        for probe in [told(3, 12_000_000), told(0, 0), told(u32::MAX, 123_456_789_012)] {
            assert_eq!(Probe::from_json(probe.unwrap().to_json().as_bytes()), probe);
        }
        let more = br#"{"in_progress": 0, "response_s": null, "more": []}"#;
        assert_eq!(Probe::from_json(more), told(0, 0));
        assert_eq!(Probe::from_json(br#"{"in_progress": 7}"#), told(7, 0));
        for wrong in [
            "",
            "3",
            "{}",
            "[]",
            "null",
            "{\"in_progress\": -1}",
            "{\"in_progress\": 1.5}",
            "{\"in_progress\": 5000000000}",
            "{\"in_progress\": \"3\"}",
            "{\"in_progress\": 3, \"response_s\": -1}",
            "{\"in_progress\": 3, \"response_s\": 1e300}",
            "{\"in_progress\": 3, \"response_s\": \"12ms\"}",
            "{\"in_progress\": 3, \"response_s\": 1e15}",
        ] {
            assert_eq!(Probe::from_json(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
