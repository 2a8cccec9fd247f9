//! The same workload with other rates, think times, or another seed.

use thinktime_file::error::Invalid;
use thinktime_file::schema::{Scalar, SchemaError, Source};

use super::files::WorkloadFiles;
use super::{Sessions, Workload};

impl Workload {
    /// The same workload with `factor` times the rates and clients of all populations; at least one
    /// client stays. A trace has its rate changed, and so goes by faster.
    ///
    /// # Errors
    /// When the factor is not above 0, or a rate or a number of clients is not usable afterwards,
    /// as that of a log that is replayed.
    pub fn scaled(&self, factor: f64, files: &dyn WorkloadFiles) -> Result<Workload, SchemaError> {
        if let Some(why) = self.unscalable(factor) {
            return Err(Source { file: "", text: "" }.error("", &Invalid::new(why)));
        }
        let mut all = self.clone();
        for (table, population) in all.file.arrivals_tables().zip(&self.populations) {
            let clients = population.clients().map(|clients| clients as f64 * factor);
            table.clients = clients.map(|clients| clients.round().max(1.0) as u64);
        }
        all.with_rates_scaled(factor, files)
    }

    fn unscalable(&self, factor: f64) -> Option<String> {
        if !(factor > 0.0 && factor.is_finite()) {
            return Some(format!("a workload is scaled by a factor above 0, not by {factor}"));
        }
        self.replays().then(|| "a log is replayed as it is, and cannot be scaled".to_owned())
    }

    /// The same workload with the rate of sessions of every population that has one multiplied.
    ///
    /// # Errors
    /// When a rate is not usable afterwards.
    pub fn with_rates_scaled(
        &self,
        factor: f64,
        files: &dyn WorkloadFiles,
    ) -> Result<Workload, SchemaError> {
        let mut file = self.file.clone();
        for (table, population) in file.arrivals_tables().zip(&self.populations) {
            if let Some(arrivals) = population.arrivals() {
                table.rate = Some(Scalar::Text(format!("{}/s", arrivals.rate() * factor)));
            }
        }
        Workload::from_file(&file, files)
    }

    /// The same workload, of one population, at another rate of sessions, events a second (not for
    /// closed).
    ///
    /// # Errors
    /// When the rate is not usable, or the model is closed.
    pub fn with_rate(&self, rate: f64, files: &dyn WorkloadFiles) -> Result<Workload, SchemaError> {
        let mut file = self.file.clone();
        for table in file.arrivals_tables() {
            table.rate = Some(Scalar::Text(format!("{rate}/s")));
        }
        Workload::from_file(&file, files)
    }

    /// The same workload with its think times `factor` times as long (not for open).
    ///
    /// # Errors
    /// When there is no think time, or it cannot be stretched.
    pub fn with_think_scaled(&self, factor: f64) -> Result<Workload, Invalid> {
        let mut scaled = self.clone();
        let Workload { populations, file, .. } = &mut scaled;
        for (population, table) in populations.iter_mut().zip(file.session_tables()) {
            let think = match &mut population.sessions {
                Sessions::Open { .. } => {
                    return Err(Invalid::new("an open model has no think time"));
                }
                Sessions::Closed { think, .. } | Sessions::PartlyOpen { think, .. } => think,
            };
            *think = think.scaled(factor)?;
            table.think = Some(Scalar::Text(think.to_string()));
            population.table.session.think.clone_from(&table.think);
        }
        Ok(scaled)
    }

    /// The same workload with another seed.
    #[must_use]
    pub fn with_seed(&self, seed: u64) -> Workload {
        let mut changed = self.clone();
        changed.seed = seed;
        changed.file.seed = seed;
        changed.requests = self.requests.iter().map(|kind| kind.clone().seeded(seed)).collect();
        changed
    }
}
