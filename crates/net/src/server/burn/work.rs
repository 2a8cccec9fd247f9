//! Burning CPU time.

use std::hint::black_box;

use rustix::time::{ClockId, clock_gettime};
use thinktime_core::time::Nanos;

/// A burning thread reads its CPU clock after this much work, and not within it. The kernel takes
/// each read as an occasion to end the thread's turn, which it otherwise does at its ticks only. So
/// the last part is as exact as the calibration.
const LONGEST: Nanos = Nanos(50_000_000);

/// The CPU time that the calling thread has used: time on a core, without waits of any kind. On
/// a virtual machine it may count time that the host gave to others.
pub(super) fn thread_cpu() -> Nanos {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let (seconds, nanos) = (time.tv_sec.max(0) as u64, time.tv_nsec.max(0) as u64);
    Nanos(seconds.saturating_mul(1_000_000_000).saturating_add(nanos))
}

/// This many steps of a chain of multiplications, each of which needs the one before.
fn work(units: u64) {
    let mut value = black_box(0x9e37_79b9_7f4a_7c15_u64);
    for _ in 0..units {
        value = value.wrapping_mul(0xff51_afd7_ed55_8ccd);
        value ^= value >> 33;
    }
    black_box(value);
}

/// The speed of a core.
#[derive(Clone, Copy, Debug)]
pub(super) struct Speed {
    units_per_ns: f64,
}

impl Speed {
    /// Measures on the calling thread: the best of five, since disturbances only ever add time.
    pub(super) fn measure() -> Speed {
        let timed = |units: u64| {
            let begin = thread_cpu();
            work(units);
            thread_cpu().since(begin)
        };
        let mut units = 1 << 14;
        while timed(units) < Nanos(4_000_000) && units < 1 << 40 {
            units *= 2;
        }
        let best = (0..5).map(|_| timed(units).0).min().unwrap_or(1).max(1);
        Speed { units_per_ns: units as f64 / best as f64 }
    }

    pub(super) fn units_per_s(self) -> f64 {
        self.units_per_ns * 1e9
    }

    fn units(self, time: Nanos) -> u64 {
        ((time.0 as f64 * self.units_per_ns) as u64).max(1)
    }

    /// Burns this much CPU time of the calling thread; says whether it finished before `ended`.
    pub(super) fn burn(self, demand: Nanos, ended: impl Fn() -> bool) -> bool {
        spend(demand, thread_cpu, |time| work(self.units(time)), ended)
    }
}

/// Works in parts; after each part but the last, the clock gives the rest.
fn spend(
    demand: Nanos,
    clock: impl Fn() -> Nanos,
    work: impl Fn(Nanos),
    ended: impl Fn() -> bool,
) -> bool {
    if demand > LONGEST {
        let begin = clock();
        while demand.since(clock().since(begin)) > LONGEST {
            if ended() {
                return false;
            }
            work(LONGEST);
        }
        work(demand.since(clock().since(begin)));
    } else if demand > Nanos::ZERO {
        work(demand);
    }
    true
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Burns on a clock that advances by the share `pace` of the work.
    fn spent(demand: u64, pace: f64) -> (u64, u32) {
        let (time, parts) = (Cell::new(7_u64), Cell::new(0));
        let work = |wanted: Nanos| {
            time.set(time.get() + (wanted.0 as f64 * pace) as u64);
            parts.set(parts.get() + 1);
        };
        assert!(spend(Nanos(demand), || Nanos(time.get()), work, || false));
        (time.get() - 7, parts.get())
    }

    #[test]
    fn the_demand_is_spent_exactly_where_the_calibration_is_right() {
        assert_eq!(spent(0, 1.0), (0, 0));
        assert_eq!(spent(1_000_000, 1.0), (1_000_000, 1));
        assert_eq!(spent(3_000_000_000, 1.0), (3_000_000_000, 60));
    }

    #[test]
    fn a_wrong_calibration_costs_its_share_of_the_last_part_alone() {
        for pace in [0.9, 1.2] {
            for demand in [1_234_567, 250_000_000, 3_000_000_000] {
                let (spent, _) = spent(demand, pace);
                let off = spent.abs_diff(demand);
                assert!(off <= demand.min(50_000_000) / 5 + 1, "{demand} x {pace}: {spent}");
            }
        }
    }

    #[test]
    fn a_burn_can_be_ended() {
        let parts = Cell::new(0);
        let work = |_| parts.set(parts.get() + 1);
        assert!(!spend(Nanos(1_000_000_000), || Nanos(0), work, || parts.get() == 3));
    }

    #[test]
    fn a_thread_burns_what_was_asked() {
        let speed = Speed::measure();
        assert!(speed.units_per_s() > 1e6);
        let begin = thread_cpu();
        assert!(speed.burn(Nanos(300_000_000), || false));
        // The clock covers all but the last part.
        assert!(thread_cpu().since(begin) >= Nanos(250_000_000));
    }
}
