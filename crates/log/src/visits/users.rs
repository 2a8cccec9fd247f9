//! The requests by users and sessions, each with marks from those before it.

use std::collections::HashSet;
use std::ops::Range;

use super::embeds::Embeds;
use super::latest::Latest;
use super::{Requests, Rules};
use crate::columns::UNKNOWN;
use crate::ordering::order_by_number;

/// The longest delay of an embedded object by its ending, after the previous request.
const EMBEDDED_S: f64 = 10.0;

/// The longest delay of another attempt after a failure of the same request.
const RETRY_S: f64 = 60.0;

/// One request of a session.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// In seconds since the first request.
    pub(super) time_s: f64,
    /// When it was answered; its arrival if that is not logged.
    pub(super) end_s: f64,
    pub(super) path: u32,
    pub(super) referrer: u32,
    /// Whether pages embed such a path.
    pub(super) object: bool,
    pub(super) failed: bool,
    /// Whether it is another attempt.
    pub(super) retry: bool,
    /// Whether a page begins with it, as with the first one of each session.
    pub(super) base: bool,
    /// The page number that the user's requests of one page share; [`UNKNOWN`] if the log names no
    /// pages.
    pub(super) log_page: u32,
}

/// One session.
#[derive(Clone, Copy, Debug)]
pub(super) struct Session<'a> {
    pub(super) user: u32,
    /// The place of its first row among those of all users.
    pub(super) first: usize,
    pub(super) rows: &'a [Row],
}

/// Iterates over requests by users and time.
#[derive(Debug)]
pub(super) struct Users<'a> {
    requests: Requests<'a>,
    timeout_s: f64,
    /// The resolution of the stamps.
    step_ns: i64,
    /// Whether pages embed objects.
    pages: bool,
    /// Places of requests: those of each user are adjacent.
    order: Vec<u32>,
    latest: Latest,
    /// The rows of one user, and their places by time.
    rows: Vec<Row>,
    shown: Vec<(i64, u32)>,
}

impl<'a> Users<'a> {
    pub(super) fn new(requests: Requests<'a>, paths: usize, rules: &Rules) -> Users<'a> {
        Users {
            requests,
            timeout_s: rules.timeout_s,
            step_ns: (rules.resolution_s * 1e9).round_ties_even() as i64,
            pages: rules.pages,
            order: order_by_number(requests.user),
            latest: Latest::new(paths),
            rows: Vec::new(),
            shown: Vec::new(),
        }
    }

    /// The places of the requests by user and time.
    pub(super) fn into_order(self) -> Vec<u32> {
        self.order
    }

    /// Calls a function with each session in turn.
    pub(super) fn each(&mut self, embeds: &Embeds, mut visit: impl FnMut(&Session<'_>)) {
        let mut first = 0;
        while let Some(place) = self.order.get(first) {
            let user = self.requests.user[*place as usize];
            let of = |place: &&u32| self.requests.user[**place as usize] == user;
            let end = first + self.order[first..].iter().take_while(of).count();
            self.put_in_order(first..end, embeds);
            self.gather(first..end, embeds);
            let mut rows = std::mem::take(&mut self.rows);
            let timeout_s = self.timeout_s;
            for rows in rows.chunk_by_mut(|row, next| next.time_s - row.time_s <= timeout_s) {
                if self.requests.page.is_empty() {
                    mark_retries(rows, &mut self.latest);
                    mark_bases(rows);
                } else {
                    mark_pages_of_log(rows, self.pages);
                }
                visit(&Session { user, first, rows });
                first += rows.len();
            }
            self.rows = rows;
        }
    }

    /// Sorts the rows of a user.
    ///
    /// A page comes before its embedded objects, also if rounded stamps put it up to one step
    /// later.
    fn put_in_order(&mut self, own: Range<usize>, embeds: &Embeds) {
        let (requests, step_ns) = (self.requests, self.step_ns);
        let shown = |place: u32| {
            let at = place as usize;
            let object = embeds.holds(requests.path[at], requests.referrer[at]);
            (requests.time_ns[at].saturating_add(if object { step_ns } else { 0 }), place)
        };
        let order = &mut self.order[own];
        if order.is_sorted_by_key(|place| shown(*place)) {
            return;
        }
        self.shown.clear();
        self.shown.extend(order.iter().map(|place| shown(*place)));
        self.shown.sort_unstable();
        for (place, (_, sorted)) in order.iter_mut().zip(&self.shown) {
            *place = *sorted;
        }
    }

    /// Gathers the rows of a user; retries and bases are marked later.
    fn gather(&mut self, own: Range<usize>, embeds: &Embeds) {
        let requests = &self.requests;
        let begin_ns = requests.time_ns[0];
        self.rows.clear();
        self.rows.extend(self.order[own].iter().map(|place| {
            let at = *place as usize;
            let (path, referrer) = (requests.path[at], requests.referrer[at]);
            let time_s = requests.time_ns[at].saturating_sub(begin_ns) as f64 * 1e-9;
            Row {
                time_s,
                end_s: time_s + took_s(requests.duration_us[at]),
                path,
                referrer,
                object: embeds.holds(path, referrer),
                failed: has_failed(requests.status[at]),
                retry: false,
                base: false,
                log_page: requests.page.get(at).copied().unwrap_or(UNKNOWN),
            }
        }));
    }
}

fn took_s(duration_us: u32) -> f64 {
    if duration_us >= UNKNOWN - 1 { 0.0 } else { f64::from(duration_us) * 1e-6 }
}

fn has_failed(status: u16) -> bool {
    status >= 499 || status == 429 || status == 0
}

/// Marks repetitions soon after a failure.
fn mark_retries(rows: &mut [Row], latest: &mut Latest) {
    let Some(first) = rows.iter().position(|row| row.failed) else {
        return;
    };
    for at in first..rows.len() {
        let row = rows[at];
        if let Some(before) = latest.get(row.path) {
            let before = rows[before as usize];
            rows[at].retry = before.failed && row.time_s - before.end_s <= RETRY_S;
        }
        latest.set(row.path, at as u32);
    }
    latest.forget();
}

/// Marks the begins of pages.
///
/// Objects that come long after all else, and from no page, are pages of their own.
fn mark_bases(rows: &mut [Row]) {
    let mut asked = false;
    let mut before_s = f64::NEG_INFINITY;
    for row in rows {
        asked |= !row.object && !row.retry;
        let late = row.time_s - before_s > EMBEDDED_S && row.referrer == UNKNOWN;
        row.base = (!row.object || !asked || late) && !row.retry;
        before_s = row.time_s;
    }
}

/// Marks the begins of the pages that the log names: the first request of each.
///
/// Such a log also names further attempts, and has none of them here.
fn mark_pages_of_log(rows: &mut [Row], pages: bool) {
    let mut begun = HashSet::new();
    for row in rows {
        row.base = begun.insert(row.log_page) || !pages;
    }
}
