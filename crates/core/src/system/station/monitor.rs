//! A station's time averages.

use serde::{Deserialize, Serialize};
use thinktime_file::time::Nanos;

/// The figures of a station over the measured time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StationSummary {
    /// The length of the measured time.
    pub duration_s: f64,
    /// The fraction of time that a server was busy, averaged over the servers.
    pub load: f64,
    /// The time average of the number of jobs at the station, those in service included.
    pub queue_length_mean: f64,
    /// The largest number of jobs at the station.
    pub queue_length_max: u64,
    /// How many more jobs were there at the end of the measured time than at its beginning.
    pub growth: i64,
    /// The number of jobs that arrived.
    pub arrivals: u64,
    /// The sample mean of their service demands, in seconds.
    pub demand_mean_s: f64,
    /// The sample squared coefficient of variation of their service demands.
    pub demand_cv2: f64,
}

impl StationSummary {
    /// Averages with another measurement of the same station, each weighted by its length.
    pub fn join(&mut self, other: &StationSummary) {
        let weigh = |mine: f64, theirs: f64, a: f64, b: f64| {
            if a + b > 0.0 { (mine * a + theirs * b) / (a + b) } else { 0.0 }
        };
        let over_time = |mine, theirs| weigh(mine, theirs, self.duration_s, other.duration_s);
        self.load = over_time(self.load, other.load);
        self.queue_length_mean = over_time(self.queue_length_mean, other.queue_length_mean);
        let (a, b) = (self.arrivals as f64, other.arrivals as f64);
        let square = |one: &StationSummary| one.demand_mean_s.powi(2) * (1.0 + one.demand_cv2);
        let squares = weigh(square(self), square(other), a, b);
        self.demand_mean_s = weigh(self.demand_mean_s, other.demand_mean_s, a, b);
        if self.demand_mean_s > 0.0 {
            self.demand_cv2 = (squares / self.demand_mean_s.powi(2) - 1.0).max(0.0);
        }
        self.queue_length_max = self.queue_length_max.max(other.queue_length_max);
        self.growth += other.growth;
        self.arrivals += other.arrivals;
        self.duration_s += other.duration_s;
    }
}

/// Keeps the integrals over time.
#[derive(Debug)]
pub(in crate::system) struct Monitor {
    servers: u64,
    number: u64,
    number_max: u64,
    began: Nanos,
    /// The number present then.
    number_before: u64,
    /// The integrals over time of the number of busy servers and of present jobs, each less its
    /// value for the current number at all times. So an arrival or a departure adds its time, and
    /// no product with the time since the last change is needed. At 128 bits they cannot overflow.
    busy: i128,
    present: i128,
    brought: Brought,
}

/// The demands of arriving jobs.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::system) struct Brought {
    arrivals: u64,
    /// Nanoseconds, and their squares.
    demand_sum: f64,
    demand_squares: f64,
}

/// A measured time; the integrals over time give the rest.
#[derive(Clone, Copy, Debug)]
pub(in crate::system) struct Measured {
    pub(in crate::system) servers: u64,
    pub(in crate::system) span: Nanos,
    /// The integral of the number of busy servers, in nanoseconds.
    pub(in crate::system) busy: i128,
    /// The integral of the number of present jobs, in nanoseconds.
    pub(in crate::system) present: i128,
    pub(in crate::system) number_max: u64,
    /// The numbers present at the beginning and at the end.
    pub(in crate::system) numbers: (u64, u64),
    pub(in crate::system) brought: Brought,
}

impl Brought {
    #[inline]
    pub(in crate::system) fn add(&mut self, demand: Nanos) {
        self.arrivals += 1;
        let demand = demand.as_f64();
        self.demand_sum += demand;
        self.demand_squares += demand * demand;
    }
}

impl Measured {
    pub(in crate::system) fn summary(&self) -> StationSummary {
        let Brought { arrivals, demand_sum, demand_squares } = self.brought;
        let span = self.span.0 as f64;
        let average = |integral: i128| if span > 0.0 { integral as f64 / span } else { 0.0 };
        let count = arrivals as f64;
        let (mean, square) = match arrivals {
            0 => (0.0, 0.0),
            _ => (demand_sum / count * 1e-9, demand_squares / count * 1e-18),
        };
        StationSummary {
            duration_s: span * 1e-9,
            load: average(self.busy) / self.servers as f64,
            queue_length_mean: average(self.present),
            queue_length_max: self.number_max,
            growth: self.numbers.1 as i64 - self.numbers.0 as i64,
            arrivals,
            demand_mean_s: mean,
            demand_cv2: if mean > 0.0 { (square / (mean * mean) - 1.0).max(0.0) } else { 0.0 },
        }
    }
}

impl Monitor {
    pub(in crate::system) fn new(servers: u32) -> Monitor {
        Monitor {
            servers: servers.into(),
            number: 0,
            number_max: 0,
            began: Nanos::ZERO,
            number_before: 0,
            busy: 0,
            present: 0,
            brought: Brought::default(),
        }
    }

    /// Forgets the past, but not the present jobs.
    pub(in crate::system) fn begin(&mut self, now: Nanos) {
        let Monitor { number, .. } = *self;
        let (number_max, number_before) = (number, number);
        let new = Monitor::new(self.servers as u32);
        *self = Monitor { number, number_max, number_before, began: now, ..new };
        let (busy, present) = self.up_to(now);
        (self.busy, self.present) = (-busy, -present);
    }

    pub(in crate::system) fn number(&self) -> u64 {
        self.number
    }

    #[inline]
    pub(in crate::system) fn arrive(&mut self, now: Nanos, demand: Nanos) {
        self.busy -= if self.number < self.servers { now.0.into() } else { 0 };
        self.present -= i128::from(now.0);
        self.number += 1;
        self.number_max = self.number_max.max(self.number);
        self.brought.add(demand);
    }

    #[inline]
    pub(in crate::system) fn depart(&mut self, now: Nanos) {
        self.number -= 1;
        self.busy += if self.number < self.servers { now.0.into() } else { 0 };
        self.present += i128::from(now.0);
    }

    /// The integrals of busy servers and of present jobs.
    fn up_to(&self, now: Nanos) -> (i128, i128) {
        let of = |number: u64| i128::from(number) * i128::from(now.0);
        (self.busy + of(self.number.min(self.servers)), self.present + of(self.number))
    }

    pub(in crate::system) fn summary(&self, now: Nanos) -> StationSummary {
        let (busy, present) = self.up_to(now);
        let Monitor { servers, number_max, brought, .. } = *self;
        let span = now.since(self.began);
        let numbers = (self.number_before, self.number);
        Measured { servers, span, busy, present, number_max, numbers, brought }.summary()
    }
}
