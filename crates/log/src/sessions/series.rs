//! Counts by the minute.

/// The length of an interval.
pub const MINUTE_NS: i64 = 60_000_000_000;
/// A log that spans more minutes than this (some nineteen years) has a wrong clock somewhere:
/// entries beyond are not in the series.
const MINUTES_MAX: usize = 10_000_000;

/// Counts by the minute, from the first minute that holds anything.
#[derive(Clone, Debug, Default)]
pub(super) struct Series {
    first: i64,
    counts: Vec<i64>,
}

impl Series {
    pub(super) fn add(&mut self, time_ns: i64, count: i64) {
        let minute = time_ns.div_euclid(MINUTE_NS);
        if self.counts.is_empty() {
            self.first = minute;
        }
        if minute < self.first {
            let more = (self.first - minute).unsigned_abs() as usize;
            if more + self.counts.len() > MINUTES_MAX {
                return;
            }
            self.counts.splice(0..0, std::iter::repeat_n(0, more));
            self.first = minute;
        }
        let place = (minute - self.first).unsigned_abs() as usize;
        if place >= MINUTES_MAX {
            return;
        }
        if place >= self.counts.len() {
            self.counts.resize(place + 1, 0);
        }
        self.counts[place] += count;
    }

    /// The counts from this minute on, this many of them.
    pub(super) fn aligned(&self, first: i64, minutes: usize) -> Vec<i64> {
        let at = |n: usize| usize::try_from(first - self.first + n as i64).ok();
        (0..minutes)
            .map(|n| at(n).and_then(|at| self.counts.get(at)).copied().unwrap_or(0))
            .collect()
    }

    /// The first minute since 1970, and how many minutes there are.
    pub(super) fn span(&self) -> (i64, usize) {
        (self.first, self.counts.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_may_come_in_any_order() {
        let mut series = Series::default();
        for minute in [5, 7, 3, 7] {
            series.add(minute * MINUTE_NS + 1, 1);
        }
        assert_eq!(series.span(), (3, 5));
        assert_eq!(series.aligned(2, 7), [0, 1, 0, 1, 0, 2, 0]);
        series.add(i64::MAX, 1);
        series.add(i64::MIN, 1);
        assert_eq!(series.span(), (3, 5));
    }
}
