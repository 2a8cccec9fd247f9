//! One user's session, as far as it has come.

use super::Rules;
use super::visit::Visit;

/// A user that was seen not long ago.
#[derive(Clone, Copy, Debug)]
pub(super) struct User {
    /// When the session began.
    pub(super) start: i64,
    /// When the last request arrived.
    pub(super) last: i64,
    /// When the last response ended, as far as that is logged.
    pub(super) end: i64,
    pub(super) requests: u64,
    pub(super) pages: u64,
    /// Whether the session may go on.
    pub(super) open: bool,
    /// Whether it is known to be no person.
    pub(super) program: bool,
    /// The page that was asked for last.
    page: u64,
    /// The path of the first request.
    first_path: u64,
    /// Whether all requests were for it.
    one_path: bool,
    /// Whether all requests were such as health checks make.
    health: bool,
    /// Mean of the gaps in seconds, and the sum of squared distances from it.
    gap_mean: f64,
    gap_squares: f64,
}

/// What a request is within its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// It begins a page.
    Page,
    /// It is part of the page that was asked for before.
    Object,
}

/// A part of a page that is no object by its path comes this soon.
const CALL_NS: i64 = 1_000_000_000;
/// So many gaps must there be before they can be called regular.
const REGULAR_MIN: u64 = 20;
/// Gaps are regular if their standard deviation is less than this share of their mean.
const REGULAR: f64 = 0.1;

impl User {
    /// Who comes for the first time, or again after a while, with this request.
    pub(super) fn new(visit: &Visit, program: bool) -> User {
        User {
            start: visit.time_ns,
            last: visit.time_ns,
            end: visit.time_ns,
            requests: 0,
            pages: 0,
            open: true,
            program,
            page: 0,
            first_path: visit.path,
            one_path: true,
            health: true,
            gap_mean: 0.0,
            gap_squares: 0.0,
        }
    }

    /// Takes the session's next request.
    pub(super) fn take(&mut self, visit: &Visit, rules: &Rules) -> Part {
        let gap = visit.time_ns.saturating_sub(self.last).max(0);
        let part = self.part(visit, gap, rules);
        if part == Part::Page {
            self.page = visit.path;
            self.pages += 1;
        }
        if self.requests > 0 {
            let gap_s = gap as f64 * 1e-9;
            let from_mean = gap_s - self.gap_mean;
            self.gap_mean += from_mean / self.requests as f64;
            self.gap_squares += from_mean * (gap_s - self.gap_mean);
        }
        self.requests += 1;
        self.last = self.last.max(visit.time_ns);
        self.end = self.end.max(visit.time_ns.saturating_add_unsigned(visit.duration_ns));
        self.one_path &= visit.path == self.first_path;
        self.health &= visit.marks.health;
        part
    }

    fn part(&self, visit: &Visit, gap: i64, rules: &Rules) -> Part {
        let led_here = visit.referrer != 0 && visit.referrer == self.page;
        let object = visit.marks.object && (led_here || gap <= rules.page_gap_ns);
        let call = led_here && gap <= CALL_NS;
        let embedded = rules.pages && self.pages > 0 && (object || call);
        if embedded { Part::Object } else { Part::Page }
    }

    /// Whether this is a machine that looks whether the server lives: always the same request, of
    /// a kind that such machines make, at even distances.
    pub(super) fn is_health_check(&self) -> bool {
        let gaps = self.requests.saturating_sub(1);
        self.health
            && self.one_path
            && gaps >= REGULAR_MIN
            && (self.gap_squares / gaps as f64).sqrt() < REGULAR * self.gap_mean
    }
}
