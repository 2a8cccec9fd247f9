//! The run over time: a row a second and kind of request, in bounded memory.

use crate::client::Fate;
use crate::record::Row;
use crate::time::Nanos;

/// What happened in one interval to one kind of request.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cell {
    /// Requests scheduled in the interval.
    pub scheduled: u64,
    /// Requests that succeeded in the interval.
    pub completed: u64,
    /// Requests that failed for good in the interval.
    pub failed: u64,
    /// The sum of the response times of those completed, in seconds.
    pub response_sum_s: f64,
    /// The largest of them.
    pub response_max_s: f64,
}

impl Cell {
    fn join(&self, later: &Cell) -> Cell {
        Cell {
            scheduled: self.scheduled + later.scheduled,
            completed: self.completed + later.completed,
            failed: self.failed + later.failed,
            response_sum_s: self.response_sum_s + later.response_sum_s,
            response_max_s: self.response_max_s.max(later.response_max_s),
        }
    }
}

/// Intervals of one second. Beyond [`INTERVALS_MAX`] of them neighbours are joined: the interval
/// doubles and memory stays the same.
#[derive(Clone, Debug)]
pub struct Timeline {
    interval: Nanos,
    kinds: usize,
    cells: Vec<Cell>,
}

const INTERVALS_MAX: usize = 4096;

impl Timeline {
    /// For so many kinds of request.
    #[must_use]
    pub fn new(kinds: usize) -> Timeline {
        Timeline { interval: Nanos(1_000_000_000), kinds, cells: Vec::new() }
    }

    /// Adds the end of an attempt.
    #[inline]
    pub fn add(&mut self, row: &Row) {
        if row.fate == Fate::Retried {
            return;
        }
        let kind = row.attempt.kind as usize;
        let end = self.cell(row.done, kind);
        let cell = &mut self.cells[end];
        match row.error {
            None => {
                let response_s = row.done.since(row.attempt.request_scheduled).as_secs_f64();
                cell.completed += 1;
                cell.response_sum_s += response_s;
                cell.response_max_s = cell.response_max_s.max(response_s);
            }
            Some(_) => cell.failed += 1,
        }
        let begin = self.cell(row.attempt.request_scheduled, kind);
        self.cells[begin].scheduled += 1;
    }

    #[inline]
    fn cell(&mut self, at: Nanos, kind: usize) -> usize {
        let mut interval = (at.0 / self.interval.0) as usize;
        while interval >= INTERVALS_MAX {
            self.double();
            interval = (at.0 / self.interval.0) as usize;
        }
        let place = interval * self.kinds + kind;
        if place >= self.cells.len() {
            self.cells.resize((interval + 1) * self.kinds, Cell::default());
        }
        place
    }

    fn double(&mut self) {
        self.interval = self.interval + self.interval;
        let kinds = self.kinds;
        let mut joined = Vec::with_capacity(self.cells.len() / 2 + kinds);
        for pair in self.cells.chunks(2 * kinds) {
            let (first, second) = pair.split_at(kinds);
            for (kind, cell) in first.iter().enumerate() {
                joined.push(second.get(kind).map_or(*cell, |later| cell.join(later)));
            }
        }
        self.cells = joined;
    }

    /// The length of an interval.
    #[must_use]
    pub fn interval(&self) -> Nanos {
        self.interval
    }

    /// (start of the interval, kind of request, what happened), in the order of time.
    pub fn cells(&self) -> impl Iterator<Item = (Nanos, usize, &Cell)> {
        let (kinds, interval) = (self.kinds, self.interval);
        self.cells
            .iter()
            .enumerate()
            .map(move |(at, cell)| (Nanos((at / kinds) as u64 * interval.0), at % kinds, cell))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::{Attempt, Ticket};

    fn row(scheduled_s: u64, done_s: u64) -> Row {
        let scheduled = Nanos(scheduled_s * 1_000_000_000);
        let attempt = Attempt {
            ticket: Ticket::from_word(0),
            session: 0,
            index: 0,
            attempt: 1,
            kind: 0,
            scheduled,
            request_scheduled: scheduled,
        };
        Row::ended(attempt, Fate::Over, Nanos(done_s * 1_000_000_000))
    }

    #[test]
    fn long_runs_join_seconds_without_losing_any_request() {
        let mut timeline = Timeline::new(1);
        for second in 0..10_000 {
            timeline.add(&row(second, second + 2));
        }
        assert_eq!(timeline.interval(), Nanos(4_000_000_000));
        let total =
            |of: fn(&Cell) -> u64| timeline.cells().map(|(_, _, cell)| of(cell)).sum::<u64>();
        assert_eq!((total(|cell| cell.scheduled), total(|cell| cell.completed)), (10_000, 10_000));
        let (at, _, cell) = timeline.cells().nth(10).unwrap();
        assert_eq!((at.as_secs_f64(), cell.scheduled), (40.0, 4));
    }
}
