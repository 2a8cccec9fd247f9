//! The pages of sessions, and the page of each request.

use std::collections::HashMap;

use super::Visits;
use super::latest::Latest;
use super::navigation::navigation_of;
use super::parents::Parents;
use super::users::{Row, Session};
use crate::columns::UNKNOWN;

/// Finds the visits of sessions, which come one by one, by users.
#[derive(Debug)]
pub(super) struct PageFinder {
    visits: Visits,
    parents: Parents,
    /// The latest page of each path in the session.
    latest: Latest,
    /// The pages of the session that comes in.
    log_pages: HashMap<u32, u32>,
    sessions: u32,
}

impl PageFinder {
    /// For a number of requests of a number of paths.
    pub(super) fn new(requests: usize, paths: usize) -> PageFinder {
        let visits = Visits {
            session: Vec::with_capacity(requests),
            retry: Vec::with_capacity(requests),
            embedded: Vec::with_capacity(requests),
            page: Vec::with_capacity(requests),
            ..Visits::default()
        };
        let (parents, latest) = (Parents::new(paths), Latest::new(paths));
        PageFinder { visits, parents, latest, log_pages: HashMap::new(), sessions: 0 }
    }

    /// Takes the next session.
    pub(super) fn take(&mut self, session: &Session<'_>) {
        let first = self.visits.base.len();
        let mut known = false;
        for (at, row) in session.rows.iter().enumerate() {
            let page = if row.base {
                self.open(session.first + at, row);
                let page = self.visits.base.len() - 1;
                if known {
                    self.latest.set(row.path, page as u32);
                }
                if row.log_page != UNKNOWN {
                    self.log_pages.insert(row.log_page, page as u32);
                }
                page
            } else {
                let page = self.page_of(row, session, first, &mut known);
                self.join(row, page, session);
                page
            };
            self.visits.session.push(self.sessions);
            self.visits.retry.push(row.retry);
            self.visits.embedded.push(!row.base && !row.retry);
            self.visits.page.push(page as u32);
        }
        self.sessions += 1;
        self.latest.forget();
        self.log_pages.clear();
        let bases = &self.visits.base[first..];
        self.parents.take(session, first, bases.iter().map(|base| row_of(session, *base)));
    }

    /// A page begins with a row.
    fn open(&mut self, place: usize, row: &Row) {
        self.visits.base.push(place as u32);
        self.visits.start_s.push(row.time_s);
        self.visits.end_s.push(row.end_s);
        self.visits.failed.push(row.failed);
    }

    /// The page of a row that begins none; those of the session begin with `first`.
    ///
    /// If its referrer is another page of the session, the row belongs to that one; an attempt
    /// belongs to its own page. `known` says whether the latest pages of paths are up to date: few
    /// sessions need them.
    fn page_of(
        &mut self,
        row: &Row,
        session: &Session<'_>,
        first: usize,
        known: &mut bool,
    ) -> usize {
        if let Some(page) = self.log_pages.get(&row.log_page) {
            return *page as usize;
        }
        let bases = &self.visits.base;
        let last = bases.len() - 1;
        let wanted = if row.retry { row.path } else { row.referrer };
        if wanted == UNKNOWN || wanted == row_of(session, bases[last]).path {
            return last;
        }
        if !*known {
            for (page, base) in bases.iter().enumerate().skip(first) {
                self.latest.set(row_of(session, *base).path, page as u32);
            }
            *known = true;
        }
        self.latest.get(wanted).map_or(last, |page| page as usize)
    }

    /// A row belongs to a page.
    fn join(&mut self, row: &Row, page: usize, session: &Session<'_>) {
        let end_s = &mut self.visits.end_s[page];
        *end_s = end_s.max(row.end_s);
        if row.retry && row.path == row_of(session, self.visits.base[page]).path {
            self.visits.failed[page] = row.failed;
        }
    }

    /// All visits of requests in this order.
    pub(super) fn finish(mut self, order: Vec<u32>) -> Visits {
        let navigation = navigation_of(&self.parents.finish());
        self.visits.journey = navigation.heads();
        Visits { order, previous: navigation.previous, opener: navigation.opener, ..self.visits }
    }
}

/// The row of a session with this index among those of all users.
fn row_of<'a>(session: &Session<'a>, place: u32) -> &'a Row {
    &session.rows[place as usize - session.first]
}
