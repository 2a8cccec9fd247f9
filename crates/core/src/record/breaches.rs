//! What of a result is not as it should be, in words: objectives that are missed, and failures.

use super::{PopulationFigures, STATUS, Summary};
use crate::workload::Slo;

impl Summary {
    /// What went wrong and how often, in words, as in `12 timeout, 3 with status 404`.
    #[must_use]
    pub fn errors_in_words(&self) -> String {
        let kinds = self.errors_by_kind.iter().filter(|(kind, _)| *kind != STATUS);
        let kinds = kinds.map(|(kind, count)| format!("{count} {kind}"));
        let statuses = self.errors_by_status.iter();
        let statuses = statuses.map(|(status, count)| format!("{count} with status {status}"));
        kinds.chain(statuses).collect::<Vec<_>>().join(", ")
    }

    /// The objectives that the result does not meet, in words.
    #[must_use]
    pub fn breaches(&self, slo: &Slo) -> Vec<String> {
        let measured = |name: &str| self.response_time_s.by_name(name);
        let breaches = slo.breaches(measured, self.error_share());
        let all = breaches.into_iter().map(|breach| breach.message);
        all.chain(self.breaches_of_parts(slo)).collect()
    }

    /// The objectives of pages and of populations that the result does not meet, in words.
    #[must_use]
    pub fn breaches_of_parts(&self, slo: &Slo) -> Vec<String> {
        let pages = slo.page_breaches(|name| self.page_response_time_s?.by_name(name));
        let mut all: Vec<String> = pages.into_iter().map(|breach| breach.message).collect();
        for (name, _, of) in &slo.populations {
            let one = self.by_population.get(name);
            let share = one.map_or(0.0, PopulationFigures::error_share);
            let requests = of.breaches(|figure| one?.response_time_s.by_name(figure), share);
            let pages = of.page_breaches(|figure| one?.page_response_time_s?.by_name(figure));
            let both = requests.into_iter().chain(pages);
            all.extend(both.map(|breach| format!("{name}: {}", breach.message)));
        }
        all
    }
}
