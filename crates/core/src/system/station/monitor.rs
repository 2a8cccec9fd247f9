//! A station's time averages.

use crate::time::Nanos;

/// What a station was like over the measured time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StationSummary {
    /// The length of the measured time.
    pub duration_s: f64,
    /// The fraction of time that a server was busy, averaged over the servers.
    pub load: f64,
    /// The time average of the number of jobs at the station, those in service included.
    pub queue_length_mean: f64,
    /// The largest number of jobs at the station.
    pub queue_length_max: u64,
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
    changed: Nanos,
    began: Nanos,
    /// Server-nanoseconds and job-nanoseconds. At 128 bits they cannot overflow.
    busy: u128,
    present: u128,
    arrivals: u64,
    /// Nanoseconds, and their squares.
    demand_sum: f64,
    demand_squares: f64,
}

impl Monitor {
    pub(in crate::system) fn new(servers: u32) -> Monitor {
        Monitor {
            servers: servers.into(),
            number: 0,
            number_max: 0,
            changed: Nanos::ZERO,
            began: Nanos::ZERO,
            busy: 0,
            present: 0,
            arrivals: 0,
            demand_sum: 0.0,
            demand_squares: 0.0,
        }
    }

    /// Forgets what was, not who is here.
    pub(in crate::system) fn begin(&mut self, now: Nanos) {
        let fresh = Monitor::new(self.servers as u32);
        *self = Monitor {
            number: self.number,
            number_max: self.number,
            changed: now,
            began: now,
            ..fresh
        };
    }

    pub(in crate::system) fn number(&self) -> u64 {
        self.number
    }

    #[inline]
    pub(in crate::system) fn arrive(&mut self, now: Nanos, demand: Nanos) {
        self.pass(now);
        self.number += 1;
        self.number_max = self.number_max.max(self.number);
        self.arrivals += 1;
        let demand = demand.0 as f64;
        self.demand_sum += demand;
        self.demand_squares += demand * demand;
    }

    #[inline]
    pub(in crate::system) fn depart(&mut self, now: Nanos) {
        self.pass(now);
        self.number -= 1;
    }

    #[inline]
    fn pass(&mut self, now: Nanos) {
        let (busy, present) = self.since_change(now);
        self.busy += busy;
        self.present += present;
        self.changed = now;
    }

    #[inline]
    fn since_change(&self, now: Nanos) -> (u128, u128) {
        let span = u128::from(now.since(self.changed).0);
        (span * u128::from(self.number.min(self.servers)), span * u128::from(self.number))
    }

    pub(in crate::system) fn summary(&self, now: Nanos) -> StationSummary {
        let (busy, present) = self.since_change(now);
        let span = now.since(self.began).0 as f64;
        let average = |integral: u128| if span > 0.0 { integral as f64 / span } else { 0.0 };
        let count = self.arrivals as f64;
        let (mean, square) = match self.arrivals {
            0 => (0.0, 0.0),
            _ => (self.demand_sum / count * 1e-9, self.demand_squares / count * 1e-18),
        };
        StationSummary {
            duration_s: span * 1e-9,
            load: average(self.busy + busy) / self.servers as f64,
            queue_length_mean: average(self.present + present),
            queue_length_max: self.number_max,
            arrivals: self.arrivals,
            demand_mean_s: mean,
            demand_cv2: if mean > 0.0 { (square / (mean * mean) - 1.0).max(0.0) } else { 0.0 },
        }
    }
}
