//! From requests to sessions: when each user came, and for how long.
//!
//! A session is a run of a user's requests with every gap at or below a timeout.
//!
//! Source: Schroeder, Wierman, Harchol-Balter, 'Open Versus Closed: A Cautionary Tale' (NSDI 2006),
//! section 7.

mod figures;
mod series;
mod starts;
mod tally;
mod user;

pub use figures::{EDGES, Lengths, Minutes, SessionFigures};
pub use series::MINUTE_NS;
pub use starts::BLOCK_NS;
pub use tally::{Bin, Tally};
use user::{Part, User};

use crate::columns::{ColumnView, UNKNOWN};

/// The rules that make sessions of requests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// A longer gap ends a session, in nanoseconds.
    pub timeout_ns: i64,
    /// Whether objects are joined with the page that embeds them.
    pub pages: bool,
    /// An object that comes later than this after the request before, in nanoseconds, is not part
    /// of a page unless its referrer says so.
    pub page_gap_ns: i64,
}

impl Default for Rules {
    /// As in the paper, with pages: half an hour; 10 s.
    fn default() -> Rules {
        Rules { timeout_ns: 1_800_000_000_000, pages: true, page_gap_ns: 10_000_000_000 }
    }
}

/// Gaps up to this length are recorded with every timeout, for the curve of sessions against it.
const HORIZON_NS: i64 = 10_000_000_000_000;

/// One request for the building of sessions.
#[derive(Clone, Copy, Debug)]
struct Visit {
    time_ns: i64,
    /// None if it is not logged.
    duration_us: Option<u32>,
    path: u32,
    referrer: u32,
    /// Whether pages embed such a path.
    object: bool,
    /// The page number that the user's requests of one page share, if the log names pages.
    page: Option<u32>,
}

/// Makes sessions of the requests that `mine` selects by their places.
#[must_use]
pub fn sessions(
    seen: &ColumnView<'_>,
    rules: &Rules,
    mine: impl Fn(usize) -> bool,
) -> SessionFigures {
    let mut sessions = Sessions {
        rules: *rules,
        users: vec![None; seen.users],
        figures: SessionFigures::default(),
    };
    let log = (seen.time_ns.first(), seen.time_ns.last());
    if let (Some(first), Some(last)) = log {
        (sessions.figures.start_ns, sessions.figures.end_ns) = (*first, *last);
    }
    for row in (0..seen.time_ns.len()).filter(|row| mine(*row)) {
        let visit = Visit {
            time_ns: seen.time_ns[row],
            duration_us: Some(seen.duration_us[row]).filter(|time| *time != UNKNOWN),
            path: seen.path[row],
            referrer: seen.referrer[row],
            object: seen.objects[seen.path[row] as usize],
            page: seen.page.get(row).copied().filter(|page| *page != UNKNOWN),
        };
        sessions.visit(seen.user[row] as usize, &visit);
        sessions.figures.answer(seen, row);
    }
    sessions.finish()
}

/// Makes sessions of visits.
#[derive(Debug)]
struct Sessions {
    rules: Rules,
    /// The users so far, by their numbers.
    users: Vec<Option<User>>,
    figures: SessionFigures,
}

impl Sessions {
    fn visit(&mut self, number: usize, visit: &Visit) {
        let (mut user, begins) = self.user(number, visit);
        let think = micros(visit.time_ns.saturating_sub(user.end));
        let part = user.take(visit, &self.rules);
        self.figures.request(visit, part == Part::Page);
        if !begins {
            self.figures.think(think, part == Part::Page);
        }
        self.users[number] = Some(user);
    }

    /// The user with the visit's session, and whether the visit begins it.
    fn user(&mut self, number: usize, visit: &Visit) -> (User, bool) {
        let Some(user) = self.users[number] else {
            self.figures.users += 1;
            self.figures.first_visits += 1;
            return (User::new(visit), true);
        };
        let (gap, timeout) = (visit.time_ns.saturating_sub(user.last), self.rules.timeout_ns);
        if gap <= HORIZON_NS.max(timeout) {
            self.figures.gaps.add(micros(gap));
        } else {
            self.figures.first_visits += 1;
        }
        if gap <= timeout {
            return (user, false);
        }
        self.figures.session(&user, timeout, false);
        (User::new(visit), true)
    }

    /// Ends all sessions.
    fn finish(mut self) -> SessionFigures {
        let (end, timeout) = (self.figures.end_ns, self.rules.timeout_ns);
        let edge = self.figures.edge(timeout);
        for user in self.users.iter().flatten() {
            if end.saturating_sub(user.last) <= timeout {
                self.figures.stays(user);
            }
            self.figures.session(user, timeout, end.saturating_sub(user.start) <= edge);
        }
        self.figures.settle_edges(edge);
        self.figures
    }
}

/// Whole microseconds; 0 for negative values.
fn micros(nanoseconds: i64) -> u64 {
    nanoseconds.max(0).unsigned_abs() / 1000
}

#[cfg(test)]
mod tests;
