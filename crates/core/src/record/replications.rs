//! A summary of several replications: its intervals are those of their means.

use super::warnings::CORRELATED;
use super::{Rates, Summary};
use crate::statistics::{
    BATCHES, Tally, TimeFigures, independent_needed, student_half_width_95, student_quantile_975,
};
use crate::workload::Workload;

impl Summary {
    /// Replaces the first replication's length and intervals by those of all replications, whose
    /// response times are given one by one.
    pub fn pool_replications(&mut self, duration_s: f64, replications: &[Tally]) {
        let share = if duration_s > 0.0 { self.duration_s / duration_s } else { 0.0 };
        self.offered_rate *= share;
        self.throughput *= share;
        self.byte_throughput = self.byte_throughput.map(|one| one * share);
        self.goodput.iter_mut().for_each(|one| one.rate *= share);
        self.duration_s = duration_s;
        for one in self.by_population.values_mut() {
            one.offered_rate *= share;
        }
        self.replication_means_s = replications.iter().filter_map(Tally::mean_s).collect();
        let ci95 = student_half_width_95(&self.replication_means_s);
        self.response_time_s.ci95 = ci95;
        self.service_time_s.ci95 = ci95;
        self.warnings.retain(|one| one != CORRELATED);
        let mut all = Tally::default();
        replications.iter().for_each(|one| all.merge(one));
        // With few replications an interval is wide whatever their times are.
        let degrees = self.replication_means_s.len().max(2) as f64 - 1.0;
        let wider = student_quantile_975(degrees) / student_quantile_975(BATCHES - 1.0);
        self.independent_requests = all.independent(ci95.map(|half| half / wider));
        let worth = self.independent_requests.unwrap_or(0.0);
        let known = TimeFigures::PERCENTILES.into_iter();
        let known = known.filter(|(_, share)| worth >= independent_needed(*share));
        let interval = |(name, share): (&str, f64)| {
            let times: Vec<f64> =
                replications.iter().filter_map(|one| one.quantile_s(share)).collect();
            let centre = self.response_time_s.by_name(name)?;
            let half = student_half_width_95(&times)?;
            Some((name.to_owned(), [(centre - half).max(0.0), centre + half]))
        };
        self.response_time_ci95 = known.filter_map(interval).collect();
    }

    /// Replaces the intervals of rates by those of all replications.
    pub fn pool_rates(&mut self, replications: &[Rates]) {
        let half_width = |of: fn(&Rates) -> f64| {
            student_half_width_95(&replications.iter().map(of).collect::<Vec<f64>>())
        };
        self.throughput_ci95 = half_width(|one| one.throughput);
        self.error_share_ci95 = half_width(|one| one.error_share).filter(|_| self.errors > 0);
    }
}

/// Sets the intervals of the mean session times, from the number of sessions of each population and
/// their mean in seconds, of each replication.
pub fn pool_sessions(summary: &mut Summary, workload: &Workload, replications: &[Vec<(u64, f64)>]) {
    let half_width = |counts: fn(usize, usize) -> bool, place: usize| {
        let mean = |one: &Vec<(u64, f64)>| {
            let of = || one.iter().enumerate().filter(|(at, _)| counts(*at, place));
            let count: u64 = of().map(|(_, (count, _))| count).sum();
            let sum: f64 = of().map(|(_, (count, mean))| *count as f64 * mean).sum();
            (count > 0).then(|| sum / count as f64)
        };
        let means: Option<Vec<f64>> = replications.iter().map(mean).collect();
        means.and_then(|means| student_half_width_95(&means))
    };
    if let Some(figures) = &mut summary.session_time_s {
        figures.ci95 = half_width(|_, _| true, 0);
    }
    for (place, one) in workload.populations.iter().enumerate() {
        let figures = summary.by_population.get_mut(&one.name);
        if let Some(figures) = figures.and_then(|one| one.session_time_s.as_mut()) {
            figures.ci95 = half_width(|at, place| at == place, place);
        }
    }
}
