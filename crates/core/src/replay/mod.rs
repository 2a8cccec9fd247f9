//! Replaying the requests of a log: at their own times, or session by session.
//!
//! A workload whose arrivals are the `trace(FILE)` of a log sends the log's requests instead of
//! drawn ones. Its sessions are programs ([`crate::program`]). In an open model each request is
//! one; else a session is a run of one user's requests with gaps up to a timeout. A request takes
//! 32 bytes, and sessions are chains through them, so that logs of ten million requests fit into
//! memory.

mod log;
mod sessions;
mod settings;
mod spread;
mod texts;

use std::sync::Arc;

pub use log::{LogOptions, LogRequest, RequestLog, user_number};
use log::{NONE, Request};
pub(crate) use settings::Settings;
use thinktime_file::error::Invalid;
use thinktime_file::time::Nanos;
use thinktime_file::workload::Model;

use crate::data::DataTable;
use crate::program::{Extent, ProgramSource, Programs};
use crate::random::{Purpose, StreamFamily};
use crate::share::Share;
use sessions::ReplaySessions;

/// A log that is ready to be replayed; clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Replay {
    inner: Arc<Recording>,
}

/// The state that clones share.
#[derive(Debug)]
struct Recording {
    log: RequestLog,
    /// The first request of each session, in the order of time; of an open model every request.
    firsts: Option<Vec<u32>>,
    settings: Settings,
    /// Whether clients think between requests.
    thinks: bool,
    /// The part that was left out, in words.
    warning: Option<String>,
}

impl PartialEq for Replay {
    fn eq(&self, other: &Replay) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}

impl Replay {
    /// Replays a log by a model. `kind_of` gives the kind of a request by its method and target.
    ///
    /// # Errors
    /// When the log holds no request that can be replayed.
    pub(crate) fn new(
        mut log: RequestLog,
        settings: Settings,
        model: Model,
        kind_of: impl Fn(&str, &str) -> usize,
    ) -> Result<Replay, Invalid> {
        let warning = log.exclusion_words(&settings.file);
        if log.requests.is_empty() {
            let file = if log.path.is_empty() { &settings.file } else { &log.path };
            let found = log.exclusion_words(file);
            let found = found.unwrap_or_else(|| format!("{file}: holds no request"));
            return Err(Invalid::new(format!("{found}; so there is nothing to replay")));
        }
        log.requests.shrink_to_fit();
        // Mostly it is nearly in order, which makes the sort fast.
        log.requests.sort_by_key(|request| request.time_ns);
        spread::spread(&mut log.requests, log.resolution_ns);
        for request in &mut log.requests {
            let kind = kind_of(request.method.word(), log.targets.get(request.target));
            request.kind = u16::try_from(kind).unwrap_or(u16::MAX);
        }
        let timeout = settings.timeout();
        let firsts = (model != Model::Open).then(|| chain(&mut log, timeout));
        log.targets.close();
        log.users.close();
        let thinks = model == Model::PartlyOpen;
        Ok(Replay { inner: Arc::new(Recording { log, firsts, settings, thinks, warning }) })
    }

    /// The first session from number `from` on that is replayed with this seed.
    pub(crate) fn next_session(&self, from: usize, seed: u64) -> Option<usize> {
        self.inner.next_session(from, seed)
    }

    /// The beginning of the session, counted from the log's first request.
    pub(crate) fn begin(&self, session: usize) -> Nanos {
        let recording = &self.inner;
        recording.scaled(recording.since_start(recording.first(session)))
    }

    /// Sessions a second, over the time that the log covers; infinite if that time is zero.
    pub(crate) fn session_rate(&self) -> f64 {
        let recording = &self.inner;
        let last = recording.log.requests.len() - 1;
        let span_s = recording.scaled(recording.since_start(last)).as_secs_f64();
        recording.sessions() as f64 * recording.settings.users / span_s
    }

    /// The mean time between a response and the session's next request, in seconds.
    pub(crate) fn mean_think_s(&self) -> f64 {
        let recording = &self.inner;
        let inner = recording.log.requests.iter().filter(|request| request.next != NONE);
        let (count, sum) = inner.fold((0_u64, 0.0), |(count, sum), request| {
            (count + 1, sum + recording.think(request).as_secs_f64())
        });
        if count == 0 { 0.0 } else { sum / count as f64 }
    }

    /// The number of users in the log.
    pub(crate) fn users(&self) -> usize {
        self.inner.log.users.len()
    }
}

impl ProgramSource for Replay {
    fn programs(&self, seed: u64, data: &Arc<[DataTable]>) -> Box<dyn Programs> {
        self.programs_of_share(seed, data, Share::WHOLE)
    }

    fn programs_of_share(
        &self,
        seed: u64,
        _data: &Arc<[DataTable]>,
        share: Share,
    ) -> Box<dyn Programs> {
        Box::new(ReplaySessions::new(Arc::clone(&self.inner), seed, share))
    }

    fn extent(&self, seed: u64) -> Option<Extent> {
        let recording = &self.inner;
        let chosen = |request: &&Request| recording.chosen(request.user, seed);
        let all = || (0..recording.sessions()).map(|session| recording.first(session));
        let begins = all().filter(|first| recording.chosen(recording.request(*first).user, seed));
        Some(Extent {
            sessions: begins.count() as u64,
            requests: recording.log.requests.iter().filter(chosen).count() as u64,
        })
    }
}

impl Recording {
    fn request(&self, number: usize) -> &Request {
        &self.log.requests[number]
    }

    fn sessions(&self) -> usize {
        self.firsts.as_ref().map_or(self.log.requests.len(), Vec::len)
    }

    /// The number of the session's first request.
    fn first(&self, session: usize) -> usize {
        self.firsts.as_ref().map_or(session, |firsts| firsts[session] as usize)
    }

    fn next_session(&self, from: usize, seed: u64) -> Option<usize> {
        let user = |session: usize| self.request(self.first(session)).user;
        (from..self.sessions()).find(|session| self.chosen(user(*session), seed))
    }

    /// Whether the user is replayed with this seed: all sessions of a user are, or none.
    fn chosen(&self, user: u32, seed: u64) -> bool {
        let share = self.settings.users;
        let users = || StreamFamily::new(seed, Purpose::Users);
        share >= 1.0 || users().stream(self.log.users.name(user)).uniform() < share
    }

    /// The time from the log's first request to this one.
    fn since_start(&self, number: usize) -> Nanos {
        gap(self.request(0), self.request(number))
    }

    /// The time between the response to a request and the session's next one.
    fn think(&self, request: &Request) -> Nanos {
        if !self.thinks || request.next == NONE {
            return Nanos::ZERO;
        }
        self.scaled(gap(request, self.request(request.next as usize)).since(request.duration))
    }

    /// A time of the log, scaled for the replay.
    fn scaled(&self, time: Nanos) -> Nanos {
        match self.settings.speed() {
            1.0 => time,
            speed => Nanos((time.0 as f64 / speed).round() as u64),
        }
    }
}

/// The time between the arrivals of two requests; zero if the second one is the earlier.
fn gap(one: &Request, other: &Request) -> Nanos {
    Nanos(u64::try_from(i128::from(other.time_ns) - i128::from(one.time_ns)).unwrap_or(0))
}

/// Makes sessions of requests in the order of time: gives the first one of each.
fn chain(log: &mut RequestLog, timeout: Nanos) -> Vec<u32> {
    let mut firsts = Vec::new();
    // By user, the last request so far.
    let mut last = vec![NONE; log.users.len()];
    for at in 0..log.requests.len() {
        let request = log.requests[at];
        let before = std::mem::replace(&mut last[request.user as usize], at as u32);
        match log.requests.get_mut(before as usize) {
            Some(before) if gap(before, &request) <= timeout => before.next = at as u32,
            _ => firsts.push(at as u32),
        }
    }
    firsts.shrink_to_fit();
    firsts
}

#[cfg(test)]
mod tests;
