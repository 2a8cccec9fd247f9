//! The sessions of a log as programs.

use std::rc::Rc;
use std::sync::Arc;

use thinktime_file::time::Nanos;

use super::Recording;
use super::log::NONE;
use crate::program::{Action, Event, Programs, Report};
use crate::request::Call;
use crate::share::Share;

/// The live sessions, and those still to come.
#[derive(Debug)]
pub(super) struct ReplaySessions {
    recording: Arc<Recording>,
    seed: u64,
    /// The share of sessions that is replayed: every n-th one, in order of arrival.
    share: Share,
    /// The number of the first session that is not examined yet.
    from: usize,
    /// The next session to begin.
    next: Option<usize>,
    /// By slot: the session's request, sent or to come.
    current: Vec<u32>,
    /// Live sessions that have not sent their last request.
    unfinished: u64,
}

impl ReplaySessions {
    pub(super) fn new(recording: Arc<Recording>, seed: u64, share: Share) -> ReplaySessions {
        let (current, unfinished) = (Vec::new(), 0);
        let mut all =
            ReplaySessions { recording, seed, share, from: 0, next: None, current, unfinished };
        all.next = share.first(|| all.following());
        all
    }

    /// The next session that is replayed, in this share or another.
    fn following(&mut self) -> Option<usize> {
        let found = self.recording.next_session(self.from, self.seed);
        self.from = found.map_or(self.recording.sessions(), |session| session + 1);
        found
    }

    /// The session asks for its request.
    fn ask(&mut self, slot: usize) -> Action {
        let request = self.recording.request(self.current[slot] as usize);
        if request.next == NONE {
            self.unfinished -= 1;
        }
        Action::Request(request.kind.into())
    }
}

impl Programs for ReplaySessions {
    /// A session that begins takes the share's next one: sessions arrive in the order of the log.
    fn begin(&mut self, _now: Nanos, slot: usize, _session: u64, _turn: u32) -> Action {
        let Some(session) = self.next else { return Action::End };
        self.next = self.share.next(|| self.following());
        self.current.resize(self.current.len().max(slot + 1), NONE);
        self.current[slot] = self.recording.first(session) as u32;
        self.unfinished += 1;
        self.ask(slot)
    }

    fn resume(&mut self, _now: Nanos, slot: usize, event: Event<'_>) -> Action {
        if let Event::Answered(_) = event {
            let request = self.recording.request(self.current[slot] as usize);
            if request.next == NONE {
                return Action::End;
            }
            let think = self.recording.think(request);
            self.current[slot] = request.next;
            if think > Nanos::ZERO {
                return Action::Think(think);
            }
        }
        self.ask(slot)
    }

    fn woken(&mut self) -> Option<usize> {
        None
    }

    fn end(&mut self, _now: Nanos, slot: usize) {
        let request = self.recording.request(self.current[slot] as usize);
        self.unfinished -= u64::from(request.next != NONE);
    }

    fn call(&self, slot: usize) -> Option<Rc<Call>> {
        let request = self.recording.request(*self.current.get(slot)? as usize);
        Some(Rc::new(Call {
            method: request.method,
            target: self.recording.log.targets.get(request.target).to_owned(),
            headers: Vec::new(),
            body: Vec::new(),
            cuts: Vec::new(),
            binary: false,
            expect: None,
            grpc: None,
            sql: None,
        }))
    }

    fn exhausted(&self) -> bool {
        self.next.is_none() && self.unfinished == 0
    }

    fn report(&self) -> Report {
        let mut report = Report::default();
        if let Some(warning) = &self.recording.warning {
            report.warn(warning);
        }
        report
    }
}
