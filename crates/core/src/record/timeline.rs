//! The run over time: a row an interval and kind of request, in bounded memory.

use serde::{Deserialize, Serialize};
use thinktime_file::time::Nanos;

use crate::attempt::Fate;
use crate::record::Row;
use crate::record::served_batch::ServedBatch;

/// The events of one kind of request in one interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// Requests scheduled in the interval.
    pub scheduled: u64,
    /// Attempts scheduled in the interval: the first ones and the retries.
    pub attempts: u64,
    /// Requests that succeeded in the interval.
    pub completed: u64,
    /// Requests that failed for good in the interval.
    pub failed: u64,
    /// The sum of the response times of those completed, in nanoseconds.
    pub response_sum_ns: u128,
    /// The largest of them.
    pub response_max: Nanos,
}

impl Cell {
    /// Both together.
    #[must_use]
    pub fn join(&self, later: &Cell) -> Cell {
        Cell {
            scheduled: self.scheduled + later.scheduled,
            attempts: self.attempts + later.attempts,
            completed: self.completed + later.completed,
            failed: self.failed + later.failed,
            response_sum_ns: self.response_sum_ns + later.response_sum_ns,
            response_max: self.response_max.max(later.response_max),
        }
    }
}

/// Intervals of equal length. Beyond [`INTERVALS_MAX`] of them neighbours are joined: the interval
/// doubles and memory stays the same.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Timeline {
    interval: Nanos,
    kinds: usize,
    cells: Vec<Cell>,
    /// The number in the modelled system at the end of each interval.
    in_server: Vec<u64>,
    /// The intervals looked up last, by their beginning, and the places of their cells: for the
    /// times of ends and of schedules, which both hardly ever go back.
    recent: [(Nanos, usize); 2],
}

const INTERVALS_MAX: usize = 4096;
/// The interval of long runs.
const SECOND: Nanos = Nanos(1_000_000_000);

impl Timeline {
    /// For this many kinds of request, with intervals of this length at first.
    #[must_use]
    pub fn new(kinds: usize, interval: Nanos) -> Timeline {
        let recent = [(Nanos::MAX, 0); 2];
        Timeline { interval, kinds, cells: Vec::new(), in_server: Vec::new(), recent }
    }

    /// Intervals of a run of this length: a second, or less if that would give fewer than 200.
    #[must_use]
    pub fn interval_for(duration: Nanos) -> Nanos {
        let mut interval = SECOND;
        while interval.0 > 1000 && duration.0 / interval.0 < 200 {
            // 1 s, 500 ms, 200 ms, 100 ms, ...
            let leading = interval.0 / 10u64.pow(interval.0.ilog10());
            interval = Nanos(if leading == 5 { interval.0 / 5 * 2 } else { interval.0 / 2 });
        }
        interval
    }

    /// Adds the end of an attempt.
    #[inline(always)]
    pub fn add(&mut self, row: &Row) {
        let kind = row.attempt.kind as usize;
        let sent = self.place(row.attempt.due, 1) + kind;
        self.cells[sent].attempts += 1;
        if row.fate == Fate::Retried {
            return;
        }
        if row.attempt.attempt == 1 {
            self.cells[sent].scheduled += 1;
        } else {
            let begin = self.place(row.attempt.request_scheduled, 1) + kind;
            self.cells[begin].scheduled += 1;
        }
        let end = self.place(row.done, 0) + kind;
        let cell = &mut self.cells[end];
        match row.error {
            None => {
                let response = row.done.since(row.attempt.request_scheduled);
                cell.completed += 1;
                cell.response_sum_ns += u128::from(response.0);
                cell.response_max = cell.response_max.max(response);
            }
            Some(_) => cell.failed += 1,
        }
    }

    /// Adds requests that were served at their first attempt.
    pub(super) fn add_served(&mut self, served: &ServedBatch) {
        let times = served.scheduled().iter().zip(served.responses()).zip(served.kinds());
        let mut rest = times.map(|((scheduled, response), kind)| (*scheduled, *response, *kind));
        let mut next = rest.next();
        // Those that follow one another mostly fall into the same cells.
        while let Some((scheduled, response, kind)) = next {
            let end = self.place(scheduled + response, 0) + kind as usize;
            // Looked up last: the later time may have joined intervals.
            let begin = self.place(scheduled, 1) + kind as usize;
            let (from, interval) = (self.recent.map(|(from, _)| from.0), self.interval.0);
            let same = |one: &(Nanos, Nanos, u32)| {
                one.2 == kind
                    && one.0.0.wrapping_sub(from[1]) < interval
                    && (one.0.0 + one.1.0).wrapping_sub(from[0]) < interval
            };
            let (mut count, mut sum, mut max) = (1, u128::from(response.0), response);
            next = rest.next();
            while let Some((_, response, _)) = next.filter(same) {
                count += 1;
                sum += u128::from(response.0);
                max = max.max(response);
                next = rest.next();
            }
            let cell = &mut self.cells[begin];
            cell.scheduled += count;
            cell.attempts += count;
            let cell = &mut self.cells[end];
            cell.completed += count;
            cell.response_sum_ns += sum;
            cell.response_max = cell.response_max.max(max);
        }
    }

    /// Records the number in the modelled system; gives the time at which it needs the next one.
    pub fn note_in_server(&mut self, now: Nanos, number: u64) -> Nanos {
        self.place(now, 0);
        let ended = (now.0 / self.interval.0) as usize;
        let next = Nanos((ended as u64 + 1).saturating_mul(self.interval.0));
        if !now.0.is_multiple_of(self.interval.0) {
            return next; // intervals were joined since this time was asked for
        }
        let last = self.in_server.last().copied().unwrap_or(0);
        self.in_server.resize(ended.max(self.in_server.len()), last);
        if let Some(end) = self.in_server.last_mut() {
            *end = number;
        }
        next
    }

    /// The place of the cells of the interval that contains this time.
    #[inline(always)]
    fn place(&mut self, at: Nanos, recent: usize) -> usize {
        let (begin, place) = self.recent[recent];
        if at >= begin && at.since(begin) < self.interval {
            return place;
        }
        self.find(at, recent)
    }

    #[cold]
    fn find(&mut self, at: Nanos, recent: usize) -> usize {
        while at.0 / self.interval.0 >= INTERVALS_MAX as u64 {
            self.double();
        }
        let number = at.0 / self.interval.0;
        let place = number as usize * self.kinds;
        if place >= self.cells.len() {
            self.cells.resize(place + self.kinds, Cell::default());
        }
        self.recent[recent] = (Nanos(number * self.interval.0), place);
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
        let ends = self.in_server.chunks(2).map(|pair| pair[pair.len() - 1]);
        self.in_server = ends.collect();
        self.recent = [(Nanos::MAX, 0); 2];
    }

    /// The length of an interval.
    #[must_use]
    pub fn interval(&self) -> Nanos {
        self.interval
    }

    /// (start of the interval, kind of request, its events), in the order of time.
    pub fn cells(&self) -> impl Iterator<Item = (Nanos, usize, &Cell)> {
        let (kinds, interval) = (self.kinds, self.interval);
        self.cells
            .iter()
            .enumerate()
            .map(move |(at, cell)| (Nanos((at / kinds) as u64 * interval.0), at % kinds, cell))
    }

    /// All kinds of request together, by interval.
    #[must_use]
    pub fn totals(&self) -> Vec<Cell> {
        let add = |sum: Cell, cell: &Cell| sum.join(cell);
        self.cells.chunks(self.kinds).map(|all| all.iter().fold(Cell::default(), add)).collect()
    }

    /// The number in the modelled system at the end of the interval; `None` for a real system.
    #[must_use]
    pub fn in_server(&self, interval: usize) -> Option<u64> {
        self.in_server.get(interval).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attempt::Attempt;

    fn row(scheduled_s: u64, done_s: u64) -> Row {
        let scheduled = Nanos(scheduled_s * 1_000_000_000);
        Row::ended(Attempt::only(0, scheduled), Fate::Over, Nanos(done_s * 1_000_000_000))
    }

    #[test]
    fn long_runs_join_seconds_without_losing_any_request() {
        let mut timeline = Timeline::new(1, SECOND);
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

    #[test]
    fn short_runs_have_short_intervals() {
        let of = |seconds: f64| Timeline::interval_for(Nanos::from_secs_f64(seconds)).0;
        assert_eq!(of(1e6), 1_000_000_000);
        assert_eq!(of(199.0), 500_000_000);
        assert_eq!(of(5.0), 20_000_000);
        assert_eq!(of(0.0), 1000);
    }

    #[test]
    fn the_number_in_the_server_is_that_at_the_end_of_each_interval() {
        let mut timeline = Timeline::new(1, SECOND);
        for second in 1..=5000 {
            timeline.note_in_server(Nanos(second * SECOND.0), second);
        }
        assert_eq!(timeline.interval(), Nanos(2 * SECOND.0));
        assert_eq!((timeline.in_server(0), timeline.in_server(2499)), (Some(2), Some(5000)));
    }
}
