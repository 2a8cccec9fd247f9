//! Populations that come to an end while others go on.

use super::{Population, Workload};
use crate::time::Nanos;
use crate::words;

/// A run that lasts for so much longer than a population is said to.
const LONGER: f64 = 1.1;

impl Workload {
    /// When nobody comes any more by a trace, a log, or a profile that ends, while other
    /// populations go on; the last of these times, and none where there is no such population.
    #[must_use]
    pub fn trace_ends_at(&self) -> Option<Nanos> {
        self.ends().into_iter().map(|(_, end)| end).max()
    }

    /// Says which populations ended long before the run did, whose end this is.
    #[must_use]
    pub fn ended_before(&self, end: Nanos) -> Option<String> {
        let long = |at: Nanos| end.as_secs_f64() > LONGER * at.as_secs_f64();
        let early: Vec<_> = self.ends().into_iter().filter(|(_, at)| long(*at)).collect();
        let first = early.iter().map(|(_, at)| *at).min()?;
        let told = early.iter().map(|(one, at)| {
            format!("nobody of `{}` came after {}", one.name, words::time(at.as_secs_f64()))
        });
        Some(format!(
            "{}, where its arrivals end, and the run went on until {}: the rest is of the others \
             alone; give a duration of {} at most",
            told.collect::<Vec<_>>().join(", "),
            words::time(end.as_secs_f64()),
            words::time(first.as_secs_f64()),
        ))
    }

    /// The populations whose arrivals end, with that time, if others go on.
    fn ends(&self) -> Vec<(&Population, Nanos)> {
        let of = |(place, one): (usize, &Population)| {
            one.arrivals().and_then(|arrivals| arrivals.end(self.population_seed(place)))
        };
        let ends: Vec<_> = self.populations.iter().enumerate().map(of).collect();
        if ends.iter().all(Option::is_some) {
            return Vec::new();
        }
        self.populations.iter().zip(ends).filter_map(|(one, end)| Some((one, end?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::files::NoFiles;
    use crate::options::SimulateOptions;
    use crate::schema::Source;
    use crate::time::Nanos;
    use crate::workload::Workload;

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
            let end = mixed.trace_ends_at().unwrap();
            assert!((end.as_secs_f64() - 100.0).abs() < 1e-3, "{end:?}");
            let until = |seconds: f64| mixed.ended_before(Nanos::from_secs_f64(seconds));
            assert_eq!(until(105.0), None);
            let said = until(1000.0).unwrap();
            assert!(said.starts_with("nobody of `a` came after 1.67 min, where"), "{said}");
            assert!(said.ends_with("give a duration of 1.67 min at most"), "{said}");
        }
    }

    #[test]
    fn what_ends_alone_ends_the_run() {
        let both = workload(&format!("{OPEN}\nprofile = 'steps(0s: 1, 10s: 0)'"));
        assert_eq!((both.trace_ends_at(), both.ended_before(Nanos::MAX)), (None, None));
        let endless = workload(&format!("{OPEN}\nprofile = 'sine(period=20s, low=0)'"));
        assert!(endless.trace_ends_at().is_some());
    }

    #[test]
    fn a_simulation_lasts_as_long_as_what_ends() {
        let mixed = workload(CLOSED);
        let options = |text: &str| SimulateOptions::from_json(text).unwrap();
        let usual = options("{}").limit(&mixed).unwrap();
        assert_eq!(usual.requests, u64::MAX);
        assert!((usual.until.as_secs_f64() - 100.0).abs() < 1e-3, "{:?}", usual.until);
        assert!(!options("{}").finds_warmup(&mixed));
        let given = options("{\"requests\": 500}");
        assert_eq!(given.limit(&mixed).unwrap().requests, 500);
        assert!(given.finds_warmup(&mixed));
        // A load changes how fast a trace goes.
        assert_eq!(options("{\"load\": 0.5}").limit(&mixed).unwrap().requests, 1_000_000);
    }
}
