//! The figures of a station over the measured time.

use serde::{Deserialize, Serialize};
use thinktime_file::time::Nanos;

/// The figures of a station over the measured time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StationSummary {
    /// The length of the measured time.
    pub duration_s: f64,
    /// The fraction of time that a server was busy, averaged over the servers.
    pub load: f64,
    /// The time average of the number of jobs at the station, those in service included.
    pub queue_length_mean: f64,
    /// The largest number of jobs at the station.
    pub queue_length_max: u64,
    /// By n, the fraction of time with more than n jobs at the station; empty if it is not known.
    pub above: Vec<f64>,
    /// How many more jobs were there at the end of the measured time than at its beginning.
    pub growth: i64,
    /// The service demands of the jobs that arrived.
    pub demands: Demands,
    /// The jobs of each kind of request that came; empty if there are not several kinds.
    pub by_kind: Vec<KindSummary>,
    /// Its servers, if their number changes.
    pub scale: Option<ScaleSummary>,
}

/// The servers of a station, whose number changes, over the measured time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScaleSummary {
    /// The mean number of servers that were there.
    pub servers_mean: f64,
    /// The mean number of servers that started, and were not there yet.
    pub setups_mean: f64,
    /// How often one came.
    pub additions: u64,
    /// How often one went.
    pub removals: u64,
}

impl ScaleSummary {
    /// That of two times together, each with its length in seconds; a negative length takes a time
    /// away.
    fn with(&self, length: f64, other: &ScaleSummary, its_length: f64) -> ScaleSummary {
        let mean = |mine, theirs| match length + its_length > 0.0 {
            true => (mine * length + theirs * its_length) / (length + its_length),
            false => 0.0,
        };
        let sum = |mine: u64, theirs: u64| match its_length < 0.0 {
            true => mine - theirs,
            false => mine + theirs,
        };
        ScaleSummary {
            servers_mean: mean(self.servers_mean, other.servers_mean),
            setups_mean: mean(self.setups_mean, other.setups_mean),
            additions: sum(self.additions, other.additions),
            removals: sum(self.removals, other.removals),
        }
    }
}

/// The jobs of one kind of request at a station over the measured time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KindSummary {
    /// The place of the kind among the workload's requests.
    pub kind: u32,
    /// As that of the station.
    pub queue_length_mean: f64,
    /// As that of the station.
    pub growth: i64,
    /// As those of the station.
    pub demands: Demands,
    /// The service that those had that left, in seconds.
    pub served_s: f64,
}

/// The service demands of jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Demands {
    /// The number of jobs.
    pub arrivals: u64,
    /// The sum of their demands, in nanoseconds.
    sum: f64,
    /// The sum of the squares.
    squares: f64,
}

impl Demands {
    #[inline(always)]
    pub(super) fn add(&mut self, demand: Nanos) {
        self.arrivals += 1;
        let demand = demand.as_f64();
        self.sum += demand;
        self.squares += demand * demand;
    }

    /// Adds those of other jobs.
    pub fn join(&mut self, other: &Demands) {
        self.arrivals += other.arrivals;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    /// Those after these earlier ones of the same jobs.
    fn since(&self, earlier: &Demands) -> Demands {
        Demands {
            arrivals: self.arrivals - earlier.arrivals,
            sum: self.sum - earlier.sum,
            squares: self.squares - earlier.squares,
        }
    }

    /// Their sample mean in seconds; 0 without jobs.
    #[must_use]
    pub fn mean_s(&self) -> f64 {
        if self.arrivals > 0 { self.sum / self.arrivals as f64 * 1e-9 } else { 0.0 }
    }

    /// Their sample squared coefficient of variation; 0 without jobs.
    #[must_use]
    pub fn cv2(&self) -> f64 {
        let (mean, count) = (self.mean_s(), self.arrivals as f64);
        if mean <= 0.0 {
            return 0.0;
        }
        (self.squares / count * 1e-18 / (mean * mean) - 1.0).max(0.0)
    }
}

/// The jobs that left a station in a time, and the means that Little's law gives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flow {
    /// The jobs that left, a second.
    pub throughput: f64,
    /// The mean number of jobs there.
    pub queue_length_mean: f64,
    /// The mean time that a job was there: the mean number divided by the throughput (Little 1961),
    /// which in a measured time is the jobs' time there for each that left. `None` if no job left.
    pub response_time_mean_s: Option<f64>,
}

impl Flow {
    fn new(arrivals: u64, growth: i64, queue_length_mean: f64, duration_s: f64) -> Flow {
        let left = (arrivals as i64 - growth).max(0) as f64;
        let throughput = if duration_s > 0.0 { left / duration_s } else { 0.0 };
        let response = (throughput > 0.0).then(|| queue_length_mean / throughput);
        Flow { throughput, queue_length_mean, response_time_mean_s: response }
    }
}

/// The average of two values, each weighted.
fn weigh(mine: f64, theirs: f64, (a, b): (f64, f64)) -> f64 {
    if a + b > 0.0 { (mine * a + theirs * b) / (a + b) } else { 0.0 }
}

impl StationSummary {
    /// All jobs.
    #[must_use]
    pub fn flow(&self) -> Flow {
        let StationSummary { growth, queue_length_mean, duration_s, .. } = *self;
        Flow::new(self.demands.arrivals, growth, queue_length_mean, duration_s)
    }

    /// The jobs of these kinds, and their demands.
    #[must_use]
    pub fn flow_of(&self, kinds: &[&KindSummary]) -> (Flow, Demands) {
        let mut demands = Demands::default();
        kinds.iter().for_each(|one| demands.join(&one.demands));
        let growth = kinds.iter().map(|one| one.growth).sum();
        let number = kinds.iter().map(|one| one.queue_length_mean).sum();
        (Flow::new(demands.arrivals, growth, number, self.duration_s), demands)
    }

    /// The part of the load that jobs of these kinds are: their share of the service of those that
    /// left.
    #[must_use]
    pub fn load_of(&self, kinds: &[&KindSummary]) -> f64 {
        let all: f64 = self.by_kind.iter().map(|one| one.served_s).sum();
        let own: f64 = kinds.iter().map(|one| one.served_s).sum();
        if all > 0.0 { self.load * (own / all) } else { 0.0 }
    }

    /// By n, the fraction of time with exactly n jobs, for all n up to the largest.
    #[must_use]
    pub fn queue_length_shares(&self) -> Vec<f64> {
        if self.above.is_empty() && self.queue_length_max > 0 {
            return Vec::new();
        }
        let more = std::iter::once(1.0).chain(self.above.iter().copied());
        let next = self.above.iter().copied().chain([0.0]);
        more.zip(next).map(|(more, next)| (more - next).max(0.0)).collect()
    }

    /// Takes away an earlier measurement that began with this one: the figures are then those of
    /// the time since, without the shares of numbers.
    pub fn subtract(&mut self, earlier: &StationSummary) {
        let (whole, before) = (self.duration_s, earlier.duration_s);
        let over_time = |now: f64, then: f64| match whole > before {
            true => (now * whole - then * before) / (whole - before),
            false => 0.0,
        };
        for one in &mut self.by_kind {
            let then = earlier.by_kind.iter().find(|then| then.kind == one.kind);
            // A kind that had not come by then has zeros.
            let then = then.copied().unwrap_or_default();
            one.queue_length_mean = over_time(one.queue_length_mean, then.queue_length_mean);
            one.growth -= then.growth;
            one.demands = one.demands.since(&then.demands);
            one.served_s -= then.served_s;
        }
        if let (Some(mine), Some(then)) = (&mut self.scale, &earlier.scale) {
            *mine = mine.with(whole, then, -before);
        }
        self.duration_s = whole - before;
        self.load = over_time(self.load, earlier.load);
        self.queue_length_mean = over_time(self.queue_length_mean, earlier.queue_length_mean);
        self.above.clear();
        self.growth -= earlier.growth;
        self.demands = self.demands.since(&earlier.demands);
    }

    /// Averages with another measurement of the same station, each weighted by its length.
    pub fn join(&mut self, other: &StationSummary) {
        let lengths = (self.duration_s, other.duration_s);
        let over_time = |mine, theirs| weigh(mine, theirs, lengths);
        self.load = over_time(self.load, other.load);
        self.queue_length_mean = over_time(self.queue_length_mean, other.queue_length_mean);
        self.above.resize(self.above.len().max(other.above.len()), 0.0);
        let theirs = other.above.iter().copied().chain(std::iter::repeat(0.0));
        self.above.iter_mut().zip(theirs).for_each(|(mine, more)| *mine = over_time(*mine, more));
        self.demands.join(&other.demands);
        self.join_kinds(other);
        if let (Some(mine), Some(theirs)) = (&mut self.scale, &other.scale) {
            *mine = mine.with(lengths.0, theirs, lengths.1);
        }
        self.queue_length_max = self.queue_length_max.max(other.queue_length_max);
        self.growth += other.growth;
        self.duration_s += other.duration_s;
    }

    fn join_kinds(&mut self, other: &StationSummary) {
        let lengths = (self.duration_s, other.duration_s);
        let share = |other: f64, (mine, theirs)| weigh(0.0, other, (mine, theirs));
        for one in &mut self.by_kind {
            one.queue_length_mean = weigh(one.queue_length_mean, 0.0, lengths);
        }
        for theirs in &other.by_kind {
            let number = share(theirs.queue_length_mean, lengths);
            match self.by_kind.iter_mut().find(|one| one.kind == theirs.kind) {
                Some(mine) => {
                    mine.queue_length_mean += number;
                    mine.growth += theirs.growth;
                    mine.demands.join(&theirs.demands);
                    mine.served_s += theirs.served_s;
                }
                None => self.by_kind.push(KindSummary { queue_length_mean: number, ..*theirs }),
            }
        }
    }
}
