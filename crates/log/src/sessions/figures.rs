//! Results about a log's sessions: tallies, series, counts.

use std::collections::BTreeMap;

use super::Visit;
use super::series::Series;
use super::starts::Starts;
use super::tally::Tally;
use super::user::User;
use crate::columns::{ColumnView, METHODS, UNKNOWN};

/// Results about a log's sessions. Times are in nanoseconds since 1970; tallies of times in whole
/// microseconds.
#[derive(Debug, Default)]
pub struct SessionFigures {
    /// The time of the log's first request, of any user.
    pub start_ns: i64,
    /// The time of the log's last request.
    pub end_ns: i64,
    /// Requests.
    pub requests: u64,
    /// Requests that begin a page.
    pub pages: u64,
    /// Different users.
    pub users: u64,
    /// Sessions.
    pub sessions: u64,
    /// Sessions that began soon after the log did, and may have begun before it.
    pub cut_at_start: u64,
    /// Sessions that might have continued after the log's end.
    pub cut_at_end: u64,
    /// First visits of users, and first ones after a gap longer than [`Learned::gaps`] holds.
    pub first_visits: u64,
    /// Gaps between requests of a user, within sessions and between them, up to 10,000 s or the
    /// timeout, whichever is longer.
    pub gaps: Tally,
    /// From a response (its request if durations are not logged) to the session's next request.
    pub thinks: Tally,
    /// The same before requests that begin a page.
    pub page_thinks: Tally,
    /// The same before requests that do not.
    pub object_gaps: Tally,
    /// Lengths of sessions that the log's begin and end hardly cut: those that began later than the
    /// timeout after its begin, and earlier than that before its end. The margin is an eighth of
    /// the log if that is shorter.
    pub lengths: Lengths,
    /// The sum of all sessions' lengths in seconds, from the first to the last request.
    pub session_seconds: f64,
    /// For the sessions that may continue after the log's end and last for half of it or more:
    /// their number, their requests, and their lengths in seconds.
    pub staying: (u64, u64, f64),
    /// Response sizes in bytes.
    pub bytes: Tally,
    /// Durations of requests in microseconds.
    pub durations: Tally,
    /// Requests by status; 0 for none.
    pub statuses: BTreeMap<u16, u64>,
    /// Requests by the methods of [`METHODS`].
    pub methods: [u64; METHODS.len()],
    /// Sessions that began in the log's first timeout, and at its end.
    early: Vec<User>,
    late: Vec<User>,
    request_series: Series,
    session_series: Series,
    change_series: Series,
    starts: Starts,
}

/// An edge is at most this part of the log.
pub const EDGES: i64 = 8;

/// How long sessions were.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lengths {
    /// The number of sessions.
    pub sessions: u64,
    /// All their requests.
    pub requests: u64,
    /// Requests a session.
    pub by_requests: Tally,
    /// Pages a session.
    pub by_pages: Tally,
}

impl Lengths {
    fn add(&mut self, user: &User) {
        self.sessions += 1;
        self.requests += user.requests;
        self.by_requests.add(user.requests);
        self.by_pages.add(user.pages);
    }
}

/// Counts by the minute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Minutes {
    /// The first minute's begin, in nanoseconds since 1970.
    pub start_ns: i64,
    /// Requests of each minute.
    pub requests: Vec<i64>,
    /// Sessions that began in it.
    pub sessions: Vec<i64>,
    /// Sessions under way at its end: begun, and with a later request.
    pub active: Vec<i64>,
}

impl SessionFigures {
    /// A request.
    #[inline]
    pub(super) fn request(&mut self, visit: &Visit, page: bool) {
        self.requests += 1;
        self.pages += u64::from(page);
        if let Some(took) = visit.duration_us {
            self.durations.add(u64::from(took));
        }
        self.request_series.add(visit.time_ns, 1);
    }

    /// Adds the response of this row.
    #[inline]
    pub(super) fn answer(&mut self, seen: &ColumnView<'_>, row: usize) {
        if seen.bytes[row] != UNKNOWN {
            self.bytes.add(u64::from(seen.bytes[row]));
        }
        *self.statuses.entry(seen.status[row]).or_default() += 1;
        self.methods[usize::from(seen.method[row])] += 1;
    }

    /// Adds a request that is not the session's first, this many microseconds after the last.
    #[inline]
    pub(super) fn think(&mut self, think_us: u64, page: bool) {
        self.thinks.add(think_us);
        if page { &mut self.page_thinks } else { &mut self.object_gaps }.add(think_us);
    }

    /// Ends a session.
    pub(super) fn session(&mut self, user: &User, timeout_ns: i64, late: bool) {
        self.sessions += 1;
        let early = user.start.saturating_sub(self.start_ns) <= timeout_ns;
        self.cut_at_start += u64::from(early);
        match (early, late) {
            (_, true) => self.late.push(*user),
            (true, false) => self.early.push(*user),
            (false, false) => self.lengths.add(user),
        }
        self.session_seconds += (user.last - user.start) as f64 * 1e-9;
        self.session_series.add(user.start, 1);
        self.change_series.add(user.start, 1);
        self.change_series.add(user.last, -1);
        self.starts.add(user.start);
    }

    /// Ends a session that may continue after the log's end.
    pub(super) fn stays(&mut self, user: &User) {
        self.cut_at_end += 1;
        let length = user.last.saturating_sub(user.start);
        if length >= self.end_ns.saturating_sub(self.start_ns) / 2 {
            self.staying.0 += 1;
            self.staying.1 += user.requests;
            self.staying.2 += length as f64 * 1e-9;
        }
    }

    /// The length of the log's edges: the timeout, but at most this part of the log.
    pub(super) fn edge(&self, timeout_ns: i64) -> i64 {
        timeout_ns.min(self.end_ns.saturating_sub(self.start_ns) / EDGES)
    }

    /// Counts the sessions that began in the log's first timeout and beyond its edge; if there are
    /// none, all that began at an edge.
    pub(super) fn settle_edges(&mut self, edge_ns: i64) {
        let (early, late) = (std::mem::take(&mut self.early), std::mem::take(&mut self.late));
        let beyond = |user: &&User| user.start.saturating_sub(self.start_ns) > edge_ns;
        early.iter().filter(beyond).for_each(|user| self.lengths.add(user));
        // The edges make up most of the log: then the tally has cut sessions, or nothing.
        if self.lengths.requests.saturating_mul(2) < self.requests {
            let within = |user: &&User| user.start.saturating_sub(self.start_ns) <= edge_ns;
            early.iter().filter(within).chain(&late).for_each(|user| self.lengths.add(user));
        }
    }

    /// Counts by the minute, over all minutes that hold a request.
    #[must_use]
    pub fn minutes(&self) -> Minutes {
        let (first, minutes) = self.request_series.span();
        let changes = self.change_series.aligned(first, minutes);
        let active = changes.iter().scan(0, |active, change| {
            *active += change;
            Some(*active)
        });
        Minutes {
            start_ns: first.saturating_mul(super::MINUTE_NS),
            requests: self.request_series.aligned(first, minutes),
            sessions: self.session_series.aligned(first, minutes),
            active: active.collect(),
        }
    }

    /// When sessions began, in order, by whole minutes, and the number of minutes of which one was
    /// kept.
    #[must_use]
    pub fn starts(&mut self) -> (Vec<i64>, u64) {
        std::mem::take(&mut self.starts).finish()
    }
}
