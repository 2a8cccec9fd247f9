//! Populations that end while others continue.

use thinktime_file::time::Nanos;

use super::{Population, Workload};
use crate::arrival::ArrivalProcess;
use crate::words;

/// A population is reported if the run lasts this much longer.
const LONGER: f64 = 1.1;

impl Workload {
    /// Whether any population replays a log.
    #[must_use]
    pub fn replays(&self) -> bool {
        let replays = |one: &Population| one.programs.as_ref()?.extent(self.seed);
        self.populations.iter().any(|one| replays(one).is_some())
    }

    /// Whether any population's sessions are programs that may share data.
    #[must_use]
    pub fn is_scripted(&self) -> bool {
        let scripted = |one: &Population| {
            one.programs.as_ref().is_some_and(|programs| programs.extent(self.seed).is_none())
        };
        self.populations.iter().any(scripted)
    }

    /// Reports the populations that ended long before the end of the run, while others continued.
    #[must_use]
    pub fn ended_before(&self, end: Nanos) -> Option<String> {
        let long = |at: Nanos| end.as_secs_f64() > LONGER * at.as_secs_f64();
        let early = self.ends().into_iter().filter(|(_, at)| long(*at));
        let told: Vec<_> = early
            .map(|(place, at)| {
                let name = &self.populations[place].name;
                format!("`{name}` had no arrivals after {}", words::time(at.as_secs_f64()))
            })
            .collect();
        (!told.is_empty()).then(|| {
            format!(
                "{}, and the run lasted until {}: its later figures have other populations only",
                told.join(", "),
                words::time(end.as_secs_f64()),
            )
        })
    }

    /// Whether sessions of any population arrive without an end.
    #[must_use]
    pub fn arrivals_are_endless(&self) -> bool {
        self.populations.iter().filter_map(Population::arrivals).any(ArrivalProcess::is_endless)
    }

    /// The dispersion of arrivals, the largest of all populations, as far as it is known; `None` if
    /// it is known of none.
    #[must_use]
    pub fn dispersion(&self) -> Option<f64> {
        let all = self.populations.iter().filter_map(Population::arrivals);
        all.filter_map(ArrivalProcess::dispersion).reduce(f64::max)
    }

    /// The dispersion of arrivals, the largest of all populations; `None` if no population arrives,
    /// or if the rate of one changes over time.
    #[must_use]
    pub fn steady_dispersion(&self) -> Option<f64> {
        let all = self.populations.iter().filter_map(Population::arrivals);
        let all = all.map(ArrivalProcess::steady_dispersion).collect::<Option<Vec<_>>>()?;
        all.into_iter().reduce(f64::max)
    }

    /// The time after which no population begins another session; `None` if the
    /// sessions of any have no end, as those of closed ones.
    #[must_use]
    pub fn arrivals_end(&self) -> Option<Nanos> {
        self.arrival_ends().collect::<Option<Vec<_>>>()?.into_iter().max()
    }

    /// The end of the largest population whose arrivals end, if those that continue are closed or
    /// make fewer requests until then. The rest of a longer run has these alone, and is no longer a
    /// run of this mix.
    #[must_use]
    pub fn mix_end(&self) -> Option<Nanos> {
        let ends = self.ends();
        let (most, end) = ends
            .iter()
            .map(|(place, at)| (self.requests_until(*place, *at), *at))
            .max_by(|one, other| one.0.total_cmp(&other.0))?;
        let continues = |place: &usize| ends.iter().all(|(ended, _)| ended != place);
        let smaller = |place: usize| {
            self.populations[place].arrivals().is_none() || self.requests_until(place, end) <= most
        };
        (0..self.populations.len()).filter(continues).all(smaller).then_some(end)
    }

    /// The expected number of requests of an open population until its end, or until this time if
    /// it has none. A session counts for one if a program chooses its requests.
    fn requests_until(&self, place: usize, at: Nanos) -> f64 {
        let (one, seed) = (&self.populations[place], self.population_seed(place));
        let sessions = one.arrivals().map_or(0.0, |arrivals| {
            let most = arrivals.mean_rate() * at.as_secs_f64();
            if arrivals.is_endless() { most } else { arrivals.number(seed) }
        });
        let each = one.requests_per_session(seed);
        sessions * if each.is_finite() { each } else { 1.0 }
    }

    /// Of each population the end of its arrivals, if they have one.
    fn arrival_ends(&self) -> impl Iterator<Item = Option<Nanos>> {
        self.populations.iter().enumerate().map(|(place, one)| {
            one.arrivals().and_then(|arrivals| arrivals.end(self.population_seed(place)))
        })
    }

    /// The places of the populations whose arrivals end, with that time, if others continue.
    fn ends(&self) -> Vec<(usize, Nanos)> {
        if self.arrivals_end().is_some() {
            return Vec::new();
        }
        self.arrival_ends().enumerate().filter_map(|(place, end)| Some((place, end?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::files::{Files, NoFiles};
    use crate::workload::{Workload, WorkloadFiles};
    use thinktime_file::error::Invalid;
    use thinktime_file::schema::Source;
    use thinktime_file::time::Nanos;

    fn workload(others: &str) -> Workload {
        let text = format!(
            "name = 'w'\n[[population]]\nname = 'a'\n[population.arrivals]\nmodel = 'open'\n\
             rate = 10\nprofile = 'steps(0s: 1, 20s: 2, 100s: 0)'\n\
             [[population]]\nname = 'b'\n[population.arrivals]\n{others}"
        );
        Workload::parse(Source { file: "", text: &text }, &NoFiles).unwrap()
    }

    const CLOSED: &str = "model = 'closed'\nclients = 1\n[population.session]\nthink = '1s'";
    const OPEN: &str = "model = 'open'\nrate = 1";

    #[test]
    fn what_ends_beside_what_goes_on_is_told() {
        for others in [CLOSED, OPEN] {
            let mixed = workload(others);
            let until = |seconds: f64| mixed.ended_before(Nanos::from_secs_f64(seconds));
            assert_eq!(until(105.0), None);
            let said = until(1000.0).unwrap();
            assert!(said.starts_with("`a` had no arrivals after 100 s"), "{said}");
            assert!(said.contains("the run lasted until 16.7 min"), "{said}");
        }
        let end_s = workload(CLOSED).mix_end().unwrap().as_secs_f64();
        assert!((end_s - 100.0).abs() < 1e-6, "{end_s}");
        let end_s = workload(OPEN).mix_end().unwrap().as_secs_f64();
        assert!((end_s - 100.0).abs() < 1e-6, "{end_s}: the one that continues is smaller");
        // Of 1,800 requests until then, and of more.
        let larger = |rate| workload(&format!("model = 'open'\nrate = {rate}")).mix_end().is_none();
        assert!(!larger(17.9) && larger(18.1), "a mix lasts for as long as its largest population");
        let endless = workload(&format!("{OPEN}\nprofile = 'sine(period=20s, low=0)'"));
        assert!(endless.ended_before(Nanos::from_secs_f64(1000.0)).is_some());
    }

    /// A population of 1,800 requests ends after 100 s, one of 10 or 10,000 after 1,000 s.
    #[test]
    fn a_mix_ends_with_its_largest_population_that_ends() {
        for (rate, wanted_s) in [("0.01", 100.0), ("10", 1000.0)] {
            let third = "\n[[population]]\nname = 'c'\n[population.arrivals]\nmodel = 'open'";
            let mix = format!("{CLOSED}{third}\nrate = {rate}\nprofile = 'steps(0s: 1, 1000s: 0)'");
            let end_s = workload(&mix).mix_end().unwrap().as_secs_f64();
            assert!((end_s - wanted_s).abs() < 1e-6, "{end_s}");
        }
    }

    #[test]
    fn a_trace_ends_when_its_arrivals_were_counted_to_the_end() {
        struct Times;
        impl Files for Times {
            fn read(&self, _name: &str) -> Result<String, Invalid> {
                Ok("0.5\n2\n".to_owned())
            }
        }
        impl WorkloadFiles for Times {}
        let trace = |text: &str| {
            let text = format!("name = 'w'\narrivals.model = 'open'\narrivals.process = '{text}'");
            let found = Workload::parse(Source { file: "", text: &text }, &Times).unwrap();
            found.arrivals_end().unwrap().as_secs_f64()
        };
        for (text, end_s) in [
            ("trace(t.csv, begin=0s, end=60s)", 60.0),
            ("trace(t.csv, begin=0s)", 2.0),
            ("trace(t.csv)", 3.0),
        ] {
            assert!((trace(text) - end_s).abs() < 1e-6, "{text}: {}", trace(text));
        }
    }

    #[test]
    fn what_ends_alone_ends_the_run() {
        let both = workload(&format!("{OPEN}\nprofile = 'steps(0s: 1, 10s: 0)'"));
        assert_eq!(both.ended_before(Nanos::MAX), None);
        assert_eq!(both.mix_end(), None);
        let end_s = both.arrivals_end().unwrap().as_secs_f64();
        assert!((end_s - 100.0).abs() < 1e-6, "{end_s}");
        assert_eq!(workload(CLOSED).arrivals_end(), None);
    }
}
