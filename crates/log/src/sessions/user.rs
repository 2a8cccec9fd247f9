//! One user's session so far.

use super::{Rules, Visit};
use crate::columns::UNKNOWN;

/// A user that was seen recently.
#[derive(Clone, Copy, Debug)]
pub(super) struct User {
    /// When the session began.
    pub(super) start: i64,
    /// When the last request arrived.
    pub(super) last: i64,
    /// When the last response ended, if that is logged.
    pub(super) end: i64,
    pub(super) requests: u64,
    pub(super) pages: u64,
    /// The last requested page: its path, and its number if the log names pages.
    page: u32,
    number: Option<u32>,
}

/// The role of a request in its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// It begins a page.
    Page,
    /// It is part of the page that was requested before.
    Object,
}

/// The longest delay of a part of a page that is no object by its path.
const CALL_NS: i64 = 1_000_000_000;

impl User {
    /// A user whose first request, or first one after a while, is this.
    pub(super) fn new(visit: &Visit) -> User {
        User {
            start: visit.time_ns,
            last: visit.time_ns,
            end: visit.time_ns,
            requests: 0,
            pages: 0,
            page: UNKNOWN,
            number: None,
        }
    }

    /// Takes the session's next request.
    pub(super) fn take(&mut self, visit: &Visit, rules: &Rules) -> Part {
        let gap = visit.time_ns.saturating_sub(self.last).max(0);
        let part = self.part(visit, gap, rules);
        if part == Part::Page {
            self.page = visit.path;
            self.number = visit.page;
            self.pages += 1;
        }
        self.requests += 1;
        self.last = self.last.max(visit.time_ns);
        let took_ns = 1000 * i64::from(visit.duration_us.unwrap_or(0));
        self.end = self.end.max(visit.time_ns.saturating_add(took_ns));
        part
    }

    fn part(&self, visit: &Visit, gap: i64, rules: &Rules) -> Part {
        let led_here = visit.referrer != UNKNOWN && visit.referrer == self.page;
        let object = visit.object && (led_here || gap <= rules.page_gap_ns);
        let call = led_here && gap <= CALL_NS;
        let told = visit.page.map(|page| self.number == Some(page));
        let embedded = rules.pages && self.pages > 0 && told.unwrap_or(object || call);
        if embedded { Part::Object } else { Part::Page }
    }
}
