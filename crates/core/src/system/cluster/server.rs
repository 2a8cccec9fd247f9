//! One server of a cluster: its past, its cache, and its answers to probes.

use std::collections::{BTreeMap, VecDeque};

use thinktime_file::time::Nanos;

use super::ServerSummary;
use super::part::Part;
use crate::policy::dispatch::Probe;
use crate::policy::replacement::Cache;
use crate::system::clock::Clock;
use crate::system::machine::MachineSummary;
use crate::system::node::Detail;
use crate::system::station::StationSummary;

/// A server reports the median of this many requests, the last to end.
const LATELY: usize = 16;

/// A server's event for the switch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Notice {
    pub(super) server: usize,
    pub(super) event: ServerEvent,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum ServerEvent {
    /// A request has ended, after this time.
    Ended(Nanos),
    /// The answer to a probe.
    Probed(Probe),
    /// Whether it accepts requests from now on.
    Open(bool),
}

/// A server, without its stations or its machine.
#[derive(Debug)]
pub(super) struct Server {
    /// Apart, so that a policy that looks at many servers reads little memory.
    cache: Option<Box<Cache>>,
    in_progress: u32,
    /// By the number of requests that a request found here, the response times of the last of them,
    /// the oldest first; `None` if there are no probes.
    lately: Option<BTreeMap<u32, VecDeque<Nanos>>>,
    requests: u64,
    looked_up: u64,
    hits: u64,
    by_class: Vec<u64>,
    /// It has failed, and accepts no requests.
    pub(super) failed: bool,
    pub(super) clock: Clock,
    /// The averages up to the last change of speed; `None` if there was no such change.
    past: Option<Averages>,
}

/// The figures of a server's stations, or of the machine that it is.
type Averages = (Vec<StationSummary>, Option<MachineSummary>);

impl Server {
    /// A server without a past, and with an empty cache; `probed` if probes will ask for its state.
    pub(super) fn new(classes: usize, cache: Option<Cache>, probed: bool) -> Server {
        Server {
            cache: cache.map(Box::new),
            in_progress: 0,
            lately: probed.then(BTreeMap::new),
            requests: 0,
            looked_up: 0,
            hits: 0,
            by_class: vec![0; classes],
            failed: false,
            clock: Clock::new(),
            past: None,
        }
    }

    /// A request comes; gives the number that it finds here.
    pub(super) fn begin(&mut self, class: Option<u32>) -> u32 {
        self.requests += 1;
        if let Some(class) = class {
            self.by_class[class as usize] += 1;
        }
        self.in_progress += 1;
        self.in_progress - 1
    }

    /// Whether its cache holds a target of this size; afterwards it does.
    pub(super) fn holds(&mut self, now: Nanos, target: u64, size: u64) -> bool {
        let Some(cache) = &mut self.cache else { return false };
        let hit = cache.ask(now, target, size);
        self.looked_up += 1;
        self.hits += u64::from(hit);
        hit
    }

    /// A request ends that found this many.
    pub(super) fn end(&mut self, found: u32, response: Nanos) {
        self.in_progress -= 1;
        let Some(lately) = self.lately.as_mut().filter(|_| !self.failed) else { return };
        let lately = lately.entry(found).or_default();
        if lately.len() == LATELY {
            lately.pop_front();
        }
        lately.push_back(response);
    }

    /// Its answer to a probe: the median is of requests that found as many as are present now, or
    /// nearly as many. A failed server does not answer.
    pub(super) fn answer(&self) -> Option<Probe> {
        if self.failed {
            return None;
        }
        let (now, lately) = (self.in_progress, self.lately.as_ref()?);
        let below = lately.range(..=now).next_back();
        let above = lately.range(now..).next();
        let nearest = below.into_iter().chain(above).min_by_key(|(found, _)| found.abs_diff(now));
        let response = nearest.map_or(Nanos::ZERO, |(_, lately)| median(lately));
        Some(Probe { in_progress: now, response })
    }

    pub(super) fn begin_measuring(&mut self, now: Nanos, parts: &mut [Part]) {
        let own = self.clock.own(now);
        parts.iter_mut().for_each(|part| part.begin_measuring(own));
        (self.requests, self.looked_up, self.hits) = (0, 0, 0);
        self.by_class.fill(0);
        self.past = None;
    }

    /// It fails: the contents of its cache are lost, and all that it could report.
    pub(super) fn fail(&mut self) {
        self.failed = true;
        self.cache.iter_mut().for_each(|cache| cache.clear());
        self.lately.iter_mut().for_each(BTreeMap::clear);
    }

    /// From now on it works at this speed.
    pub(super) fn set_speed(&mut self, now: Nanos, speed: f64, parts: &mut [Part]) {
        let own = self.clock.own(now);
        // Averages are by the time of all, which the parts do not know.
        self.past = Some(self.averages(now, parts, Detail::Whole));
        parts.iter_mut().for_each(|part| part.begin_measuring(own));
        self.clock.set_speed(now, speed);
    }

    /// The figures of its parts up to now.
    fn averages(&self, now: Nanos, parts: &[Part], detail: Detail) -> Averages {
        let (own, speed) = (self.clock.own(now), self.clock.speed());
        let (mut stations, machines): (Vec<_>, Vec<_>) =
            parts.iter().map(|part| part.figures(own, detail)).unzip();
        stations.iter_mut().for_each(|one| one.duration_s /= speed);
        let mut machine = machines.into_iter().flatten().next();
        machine.iter_mut().for_each(|one| one.duration_s /= speed);
        if let Some((past, past_machine)) = &self.past {
            stations.iter_mut().zip(past).for_each(|(lately, past)| lately.join(past));
            machine.iter_mut().zip(past_machine).for_each(|(lately, past)| lately.join(past));
        }
        (stations, machine)
    }

    pub(super) fn summary(&self, now: Nanos, parts: &[Part], detail: Detail) -> ServerSummary {
        let (stations, machine) = self.averages(now, parts, detail);
        ServerSummary {
            stations,
            machine,
            requests: self.requests,
            looked_up: self.looked_up,
            hits: self.hits,
            by_class: self.by_class.clone(),
        }
    }
}

/// The median of 1 to [`LATELY`] times.
fn median(times: &VecDeque<Nanos>) -> Nanos {
    let mut sorted = [Nanos::ZERO; LATELY];
    let sorted = &mut sorted[..times.len()];
    sorted.iter_mut().zip(times).for_each(|(to, from)| *to = *from);
    sorted.sort_unstable();
    sorted[times.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_of_requests_that_found_as_many() {
        let mut server = Server::new(1, None, true);
        let answers = |server: &Server, in_progress, response| {
            assert_eq!(server.answer(), Some(Probe { in_progress, response: Nanos(response) }));
        };
        answers(&server, 0, 0);
        let found: Vec<u32> = (0..3).map(|_| server.begin(Some(0))).collect();
        assert_eq!(found, [0, 1, 2]);
        for (found, response) in [(0, 10), (0, 30), (0, 20), (4, 90)] {
            server.end(found, Nanos(response));
            server.begin(Some(0));
        }
        // Three are here: nearer to four than to none.
        answers(&server, 3, 90);
        server.end(4, Nanos(70));
        server.end(4, Nanos(80));
        answers(&server, 1, 20);
        server.fail();
        assert_eq!(server.answer(), None);
    }
}
