//! Where an event loop writes down how attempts ended.

use std::sync::mpsc::Sender;

use serde::{Deserialize, Serialize};
use thinktime_core::attempt::Page as EndedPage;
use thinktime_core::program::CheckCounts;
use thinktime_core::record::{Collector, Ended, Row, RowSink};
use thinktime_core::time::Nanos;

use super::plan::RunProgress;

/// Takes the rows of one event loop.
pub(super) trait Ledger {
    /// Takes a row.
    fn add(&mut self, row: &Row, ended: Ended);
    /// Takes a page that is over.
    fn page(&mut self, page: &EndedPage);
    /// The number of requests that count and are over.
    fn requests(&self) -> u64;
    /// So many checks have held so far, and so many have not.
    fn checks(&mut self, so_far: CheckCounts);
    /// No row that comes later ended before this time.
    fn complete_up_to(&mut self, now: Nanos);
}

/// The book that becomes the result.
pub(super) struct Book<'a, S> {
    pub(super) collector: Collector,
    sink: &'a mut S,
}

impl<'a, S: RowSink> Book<'a, S> {
    pub(super) fn new(collector: Collector, sink: &'a mut S) -> Book<'a, S> {
        Book { collector, sink }
    }
}

impl<S: RowSink> Ledger for Book<'_, S> {
    #[inline]
    fn add(&mut self, row: &Row, ended: Ended) {
        self.collector.add(row, ended);
        self.sink.row(row);
    }

    fn page(&mut self, page: &EndedPage) {
        self.collector.add_page(page);
        self.sink.page(page);
    }

    fn requests(&self) -> u64 {
        self.collector.requests()
    }

    fn checks(&mut self, so_far: CheckCounts) {
        self.sink.checks(&so_far);
    }

    fn complete_up_to(&mut self, _now: Nanos) {
        self.sink.flush();
    }
}

/// Rows and ended pages on their way from a loop to the book, and the time up to which they are
/// complete.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Page {
    pub(super) part: usize,
    pub(super) rows: Vec<(Row, Ended)>,
    pub(super) ended: Vec<EndedPage>,
    pub(super) complete_up_to: Nanos,
    /// How often the loop's checks have held so far, if it tells.
    pub(super) checks: Option<CheckCounts>,
}

/// What a loop tells the keeper of its book; a loop's number is that of its share.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Told {
    /// Rows, and how far they go.
    Page(Page),
    /// How far the loop of this number is.
    Progress(usize, RunProgress),
    /// Nothing more comes from the loop of this number, unless somebody takes its share over.
    Gone(usize),
}

impl Told {
    /// The number of the loop.
    pub(super) fn part(&self) -> usize {
        match self {
            Told::Page(page) => page.part,
            Told::Progress(part, _) | Told::Gone(part) => *part,
        }
    }
}

/// Hands the rows of one of several loops on to the thread that keeps the book.
pub(super) struct Relay {
    pub(super) part: usize,
    pub(super) rows: Vec<(Row, Ended)>,
    pub(super) ended: Vec<EndedPage>,
    pub(super) told: Sender<Told>,
    pub(super) checks: Option<CheckCounts>,
}

impl Relay {
    pub(super) fn new(part: usize, told: Sender<Told>) -> Relay {
        Relay { part, rows: Vec::new(), ended: Vec::new(), told, checks: None }
    }
}

impl Ledger for Relay {
    #[inline]
    fn add(&mut self, row: &Row, ended: Ended) {
        self.rows.push((*row, ended));
    }

    fn page(&mut self, page: &EndedPage) {
        self.ended.push(*page);
    }

    /// The keeper of the book knows.
    fn requests(&self) -> u64 {
        0
    }

    fn checks(&mut self, so_far: CheckCounts) {
        self.checks = Some(so_far);
    }

    fn complete_up_to(&mut self, now: Nanos) {
        let room = self.rows.len();
        let rows = std::mem::replace(&mut self.rows, Vec::with_capacity(room));
        // Nobody takes it any more only where the keeper has panicked.
        let ended = std::mem::take(&mut self.ended);
        let (part, checks) = (self.part, self.checks.take());
        let page = Page { part, rows, ended, complete_up_to: now, checks };
        self.told.send(Told::Page(page)).ok();
    }
}
