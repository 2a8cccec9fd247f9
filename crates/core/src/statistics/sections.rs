//! Response times in consecutive sections: intervals for percentiles that allow for
//! autocorrelation, at the cost of the histogram alone.

use serde::{Deserialize, Serialize};
use thinktime_file::time::Nanos;

use super::batches::mean_interval_95;
use super::bins::Bins;
use super::packed::Packed;
use super::tally::{Tally, Totals};
use crate::simd::wide;

/// Histograms of consecutive sections of equal size. When all places are taken, neighbours are
/// joined and the size doubles, so that memory stays the same however long the run.
///
/// The histogram being written is always the same memory; finished ones are packed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sections {
    size: u64,
    done: Vec<Packed>,
    current: Bins,
    in_current: u64,
    /// Of all sections together.
    totals: Totals,
}

/// The number of sections at which neighbours are joined.
const SECTIONS_MAX: usize = 32;
/// Fewer sections give no interval.
const SECTIONS_MIN: usize = 10;
/// The size of a section at first.
const SIZE_FIRST: u64 = 256;

impl Default for Sections {
    fn default() -> Sections {
        Sections {
            size: SIZE_FIRST,
            done: Vec::with_capacity(SECTIONS_MAX),
            current: Bins::default(),
            in_current: 0,
            totals: Totals::default(),
        }
    }
}

impl Sections {
    /// Adds response times.
    pub fn add_all(&mut self, times: &[Nanos]) {
        wide(
            #[inline(always)]
            || self.totals.add_all(times),
        );
        let mut rest = times;
        while !rest.is_empty() {
            let room = (self.size - self.in_current).min(rest.len() as u64);
            let (now, later) = rest.split_at(room as usize);
            wide(
                #[inline(always)]
                || self.current.add_all(now),
            );
            self.in_current += room;
            if self.in_current == self.size {
                self.finish_section();
            }
            rest = later;
        }
    }

    #[cold]
    fn finish_section(&mut self) {
        self.done.push(Packed::of(&mut self.current));
        self.in_current = 0;
        if self.done.len() == SECTIONS_MAX {
            for at in 0..SECTIONS_MAX / 2 {
                let [mut first, second] =
                    [2 * at, 2 * at + 1].map(|at| std::mem::take(&mut self.done[at]));
                first.join(second, &mut self.current);
                self.done[at] = first;
            }
            self.done.truncate(SECTIONS_MAX / 2);
            self.size *= 2;
        }
    }

    /// Adds the times of another replication, which belong to no section: nothing may be added
    /// after it.
    pub fn take_in(&mut self, other: &Tally) {
        self.totals.merge(other.totals());
        self.current.merge(other.bins());
    }

    /// The mean in seconds; `None` when there are no response times.
    #[must_use]
    pub fn mean_s(&self) -> Option<f64> {
        self.totals.mean_s()
    }

    /// All response times.
    #[must_use]
    pub fn all(&self) -> Tally {
        let mut all = self.current.clone();
        self.done.iter().for_each(|one| one.unpack_into(&mut all));
        self.totals.with(all)
    }

    /// The 95 % confidence intervals of percentiles, `shares` between 0 and 1 in ascending order,
    /// in seconds; `None` if there is too little data to bound one.
    ///
    /// The share of response times up to the percentile is a mean, whose half-width h comes from
    /// the sections as in batch means; the interval is from the percentile of `share` - h to that
    /// of `share` + h (Law, Simulation Modeling and Analysis, 5th ed., 9.5.3).
    #[must_use]
    pub fn intervals_95<const N: usize>(
        &self,
        all: &Tally,
        shares: [f64; N],
    ) -> [Option<[f64; 2]>; N] {
        if self.done.len() < SECTIONS_MIN {
            return [None; N];
        }
        let percentiles = all.quantiles(shares);
        let up_to: Vec<[u64; N]> = self.done.iter().map(|one| one.up_to(percentiles)).collect();
        std::array::from_fn(|at| {
            let share_of = |counts: &[u64; N]| counts[at] as f64 / self.size as f64;
            let in_sections: Vec<f64> = up_to.iter().map(share_of).collect();
            interval_95(all, shares[at], &in_sections)
        })
    }
}

/// The interval of one percentile, from the shares of response times up to it in the sections.
fn interval_95(all: &Tally, share: f64, in_sections: &[f64]) -> Option<[f64; 2]> {
    // If all times beyond it lie in a few sections, they show little of the usual course.
    let usual = in_sections.iter().filter(|one| **one < 1.0).count();
    let interval = mean_interval_95(in_sections)?;
    if 2 * usual < in_sections.len() || interval.correlated {
        return None;
    }
    let half = interval.half_width;
    // Fewer than ten response times beyond it do not show how far they may lie.
    let beyond = (1.0 - share - half) * all.count() as f64;
    if share - half <= 0.0 || beyond < 1.0 || (1.0 - share) * (all.count() as f64) < 10.0 {
        return None;
    }
    Some(all.quantiles([share - half, share + half]).map(|time| time.as_secs_f64()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Stream};

    #[test]
    fn nothing_is_lost_however_long_the_run() {
        let mut sections = Sections::default();
        let times: Vec<Nanos> = (0..100_000).map(Nanos).collect();
        times.chunks(77).for_each(|some| sections.add_all(some));
        let all = sections.all();
        assert_eq!((all.count(), all.quantile(1.0)), (100_000, Nanos(99_999)));
        assert!(sections.done.len() < SECTIONS_MAX && sections.done.len() >= SECTIONS_MAX / 2 - 1);
        assert!(sections.done.iter().all(|one| one.up_to([Nanos::MAX]) == [sections.size]));
    }

    /// Of 200 intervals of the 99th percentile of correlated times (a moving maximum of ten
    /// exponentials) about 190 contain the true one. Fewer than 176 has probability below 1e-4 at a
    /// coverage of 95 %, and the seeds are fixed. Intervals for independent times would contain it
    /// in about 110.
    #[test]
    fn intervals_of_percentiles_hold_them_as_often_as_they_say() {
        // P(max <= x) = (1 - e^-x)^10 = 0.99.
        let exact = -(1.0f64 - 0.99f64.powf(0.1)).ln();
        let holds = |seed: u64| -> Option<bool> {
            let mut stream = Stream::new(seed, 0, Purpose::Demand);
            let mut last = [0.0f64; 10];
            let mut sections = Sections::default();
            for n in 0..40_010 {
                last[n % 10] = -stream.uniform().ln();
                if n >= 10 {
                    let time = last.iter().fold(0.0, |a: f64, b| a.max(*b));
                    sections.add_all(&[Nanos::from_secs_f64(time)]);
                }
            }
            let [low, high] = sections.intervals_95(&sections.all(), [0.99])[0]?;
            Some(low <= exact && exact <= high)
        };
        let given: Vec<bool> = (0..230).filter_map(holds).take(200).collect();
        let held = given.iter().filter(|held| **held).count();
        assert!(given.len() == 200 && held >= 176, "{held} of {}", given.len());
    }

    #[test]
    fn too_little_data_gives_no_interval() {
        let mut sections = Sections::default();
        (0..5000).for_each(|n| sections.add_all(&[Nanos(n * 7919 % 5003)]));
        let all = sections.all();
        let [half, far] = sections.intervals_95(&all, [0.5, 0.9999]);
        assert!(half.is_some() && far.is_none());
        assert_eq!(Sections::default().intervals_95(&Tally::default(), [0.5]), [None]);
    }
}
