//! Recorders of the rows of event loops.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;

use serde::{Deserialize, Serialize};
use thinktime_core::attempt::Page as EndedPage;
use thinktime_core::program::CheckCounts;
use thinktime_core::record::{Collector, EndPhase, Row, RowSink, StopRule};
use thinktime_core::time::Nanos;

use crate::generator::plan::RunProgress;

/// Takes the rows of one event loop.
pub(crate) trait Recorder {
    /// Takes a row.
    fn add(&mut self, row: &Row, phase: EndPhase);
    /// Takes a page that has ended.
    fn page(&mut self, page: &EndedPage);
    /// The number of requests that count and have ended.
    fn requests(&self) -> u64;
    /// The numbers of checks that held so far, and of those that did not.
    fn checks(&mut self, so_far: CheckCounts);
    /// No row that comes later ended before this time. The progress is that of the same moment.
    fn complete_up_to(&mut self, now: Nanos, progress: RunProgress);
    /// The time from which no further request is to begin, once enough is known.
    fn end_of_requests(&mut self, now: Nanos) -> Option<Nanos>;
}

/// Records rows into the result.
pub(crate) struct ResultRecorder<'a> {
    pub(crate) collector: Collector,
    rule: StopRule,
    sink: &'a mut dyn RowSink,
}

impl<'a> ResultRecorder<'a> {
    pub(crate) fn new(
        collector: Collector,
        rule: StopRule,
        sink: &'a mut dyn RowSink,
    ) -> ResultRecorder<'a> {
        ResultRecorder { collector, rule, sink }
    }

    /// Writes the rows that were taken.
    pub(crate) fn flush(&mut self) {
        self.sink.flush();
    }
}

impl Recorder for ResultRecorder<'_> {
    #[inline]
    fn add(&mut self, row: &Row, phase: EndPhase) {
        self.collector.add(row, phase);
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

    fn complete_up_to(&mut self, _now: Nanos, _progress: RunProgress) {
        self.flush();
    }

    fn end_of_requests(&mut self, now: Nanos) -> Option<Nanos> {
        self.rule.is_precise(&self.collector, now).then_some(now)
    }
}

/// Rows and ended pages on their way from a loop to the merger, and the time up to which they are
/// complete. The loop's counters come in the same message: those of a loop that is lost after it
/// are those of its rows.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RowBatch {
    pub(crate) part: usize,
    pub(crate) rows: Vec<(Row, EndPhase)>,
    pub(crate) ended: Vec<EndedPage>,
    pub(crate) complete_up_to: Nanos,
    pub(crate) progress: RunProgress,
    /// How often the loop's checks have held so far, if it reports them.
    pub(crate) checks: Option<CheckCounts>,
}

/// A message of a loop to the merger; a loop's number is that of its share.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum LoopMessage {
    /// Rows, and the loop's progress with them.
    Rows(RowBatch),
    /// The loop of this number has ended, unless somebody takes its share over.
    End(usize),
}

impl LoopMessage {
    /// The number of the loop.
    pub(crate) fn part(&self) -> usize {
        match self {
            LoopMessage::Rows(batch) => batch.part,
            LoopMessage::End(part) => *part,
        }
    }
}

/// The time from which the loops of a run begin no further request, once their merger has set it.
#[derive(Debug)]
pub(crate) struct CommonEnd(AtomicU64);

impl CommonEnd {
    pub(crate) fn new() -> CommonEnd {
        CommonEnd(AtomicU64::new(Nanos::MAX.0))
    }

    pub(crate) fn set(&self, at: Nanos) {
        self.0.fetch_min(at.0, Ordering::Relaxed);
    }

    fn get(&self) -> Option<Nanos> {
        Some(Nanos(self.0.load(Ordering::Relaxed))).filter(|at| !at.is_never())
    }
}

/// Sends the rows of one of several loops to the thread that merges them.
pub(crate) struct Relay<'a> {
    pub(crate) part: usize,
    pub(crate) rows: Vec<(Row, EndPhase)>,
    pub(crate) ended: Vec<EndedPage>,
    pub(crate) messages: Sender<LoopMessage>,
    pub(crate) checks: Option<CheckCounts>,
    end: &'a CommonEnd,
}

impl Relay<'_> {
    pub(crate) fn new(part: usize, messages: Sender<LoopMessage>, end: &CommonEnd) -> Relay<'_> {
        Relay { part, rows: Vec::new(), ended: Vec::new(), messages, checks: None, end }
    }
}

impl Recorder for Relay<'_> {
    #[inline]
    fn add(&mut self, row: &Row, phase: EndPhase) {
        self.rows.push((*row, phase));
    }

    fn page(&mut self, page: &EndedPage) {
        self.ended.push(*page);
    }

    /// The merger counts them.
    fn requests(&self) -> u64 {
        0
    }

    fn checks(&mut self, so_far: CheckCounts) {
        self.checks = Some(so_far);
    }

    fn complete_up_to(&mut self, now: Nanos, progress: RunProgress) {
        let room = self.rows.len();
        let rows = std::mem::replace(&mut self.rows, Vec::with_capacity(room));
        // The receiver is gone only if the merger has panicked.
        let ended = std::mem::take(&mut self.ended);
        let (part, checks) = (self.part, self.checks.take());
        let batch = RowBatch { part, rows, ended, complete_up_to: now, progress, checks };
        self.messages.send(LoopMessage::Rows(batch)).ok();
    }

    fn end_of_requests(&mut self, _now: Nanos) -> Option<Nanos> {
        self.end.get()
    }
}
