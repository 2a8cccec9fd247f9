//! The figures of pages: a base and its objects, until the last of them is over.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::attempt::Page;
use crate::statistics::{BatchMeans, Tally, TimeFigures};

/// The pages of a run, by the kind of their base.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Pages {
    /// By kind, those without a failure, and the number of the others; empty until the first page.
    by_kind: Vec<(Tally, u64)>,
    /// Of page response times in nanoseconds.
    batches: BatchMeans,
}

impl Pages {
    pub(super) fn add(&mut self, page: &Page) {
        let kind = page.kind as usize;
        if kind >= self.by_kind.len() {
            self.by_kind.resize_with(kind + 1, Default::default);
        }
        let (tally, failed) = &mut self.by_kind[kind];
        if page.failed {
            *failed += 1;
            return;
        }
        let response = page.done.since(page.scheduled);
        tally.add(response);
        self.batches.add(response.0 as f64);
    }

    pub(super) fn merge(&mut self, other: &Pages) {
        if self.by_kind.len() < other.by_kind.len() {
            self.by_kind.resize_with(other.by_kind.len(), Default::default);
        }
        for (mine, theirs) in self.by_kind.iter_mut().zip(&other.by_kind) {
            mine.0.merge(&theirs.0);
            mine.1 += theirs.1;
        }
    }

    /// The page response times of those whose base is of one of these kinds.
    pub(super) fn times(&self, kinds: Range<usize>) -> Tally {
        let mut tally = Tally::default();
        let of = self.by_kind.iter().take(kinds.end).skip(kinds.start);
        of.for_each(|(pages, _)| tally.merge(pages));
        tally
    }

    /// The figures of the pages whose base is of one of these kinds; `None` if there are no such
    /// pages.
    pub(super) fn figures(&self, kinds: Range<usize>) -> Option<PageFigures> {
        let whole = kinds.start == 0 && kinds.end >= self.by_kind.len();
        let of = self.by_kind.get(kinds.start..kinds.end.min(self.by_kind.len()))?;
        let failed = of.iter().map(|(_, failed)| failed).sum::<u64>();
        let tally = self.times(kinds);
        let interval = self.batches.interval_95().filter(|_| whole);
        let response_time_s = tally.figures(interval.map(|one| one.half_width * 1e-9));
        let pages = tally.count() + failed;
        (pages > 0).then_some(PageFigures { pages, failed, response_time_s })
    }
}

/// Figures of pages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PageFigures {
    pub(super) pages: u64,
    /// Of these, the ones with a request that failed for good. Their times are in no distribution.
    pub(super) failed: u64,
    pub(super) response_time_s: TimeFigures,
}
