//! The sizes of responses: each target has one, the same every time.

use std::sync::{Arc, OnceLock};

use thinktime_file::error::Invalid;
use thinktime_file::units::Dimension;
use thinktime_file::workload::RequestTable;

use super::method::Method;
use super::target::{Target, Varying};
use crate::distribution::Distribution;
use crate::files::Files;
use crate::random::{Purpose, StreamFamily};

/// The largest size in bytes.
const SIZE_MAX: u64 = 1 << 40;

/// A mean is exact if the target takes at most this many values.
const VALUES_MAX: f64 = 1e6;

/// The probability of values that a mean may leave out.
const NEGLIGIBLE: f64 = 1e-12;

/// The sizes of the responses to one kind of request: a function of the workload's seed and the
/// target's text.
#[derive(Clone, Debug)]
pub struct Sizes {
    target: Target,
    law: Distribution,
    /// The draws of targets, as in the generator.
    targets: StreamFamily,
    /// The draws of sizes, each by the key of its target.
    draws: StreamFamily,
    /// Computed once, by the copy that is asked first.
    mean: Arc<OnceLock<f64>>,
}

impl Sizes {
    /// Those of a table, if it has them.
    pub(super) fn from_table(
        table: &RequestTable,
        method: Method,
        target: &Target,
        files: &dyn Files,
    ) -> Result<Option<Sizes>, Invalid> {
        let Some(scalar) = &table.size else { return Ok(None) };
        if !method.is_http() || table.grpc.is_some() {
            return Err(Invalid::new("goes with a method of HTTP and its target only"));
        }
        Sizes::parse(&scalar.text(), target, files).map(Some)
    }

    /// Parses the law of the sizes of `target`.
    ///
    /// # Errors
    /// When it is not a law of sizes, or its mean is infinite.
    pub(crate) fn parse(text: &str, target: &Target, files: &dyn Files) -> Result<Sizes, Invalid> {
        let law = Distribution::parse(text, files)?.expect(Dimension::Size)?;
        if !law.mean().is_finite() {
            return Err(Invalid::new(format!(
                "`{law}` has an infinite mean: bound it, as in truncated({law}, hi=100MB)"
            )));
        }
        Ok(Sizes::under(0, target.clone(), law))
    }

    /// The same in a workload of this seed.
    pub(crate) fn seeded(self, seed: u64) -> Sizes {
        Sizes::under(seed, self.target, self.law)
    }

    fn under(seed: u64, target: Target, law: Distribution) -> Sizes {
        let family = |purpose| StreamFamily::new(seed, purpose);
        let (targets, draws) = (family(Purpose::Target), family(Purpose::TargetSize));
        Sizes { target, law, targets, draws, mean: Arc::default() }
    }

    /// Their law, in bytes.
    #[must_use]
    pub fn law(&self) -> &Distribution {
        &self.law
    }

    /// The size of the response to a session's request of this number, in bytes: 0 to 2^40.
    #[inline]
    #[must_use]
    pub fn of_request(&self, session: u64, index: u32) -> u64 {
        self.of_key(self.target.key(&mut self.targets.substream(session, index.into())))
    }

    /// The size of the response to this target, in bytes; its query counts only if the workload's
    /// target has one.
    #[must_use]
    pub fn of_target(&self, target: &str) -> u64 {
        self.of_key(self.target.key_of(target))
    }

    /// The mean size of responses in bytes. It is exact under the seed if at most one part of the
    /// target varies and takes at most a million values; else it is that of the law.
    #[must_use]
    pub fn mean(&self) -> f64 {
        *self.mean.get_or_init(|| self.mean_under_the_seed().unwrap_or_else(|| self.law.mean()))
    }

    /// The size of the response to the target of this key, in bytes.
    #[inline]
    #[must_use]
    pub fn of_key(&self, key: u64) -> u64 {
        self.law.sample_whole(&mut self.draws.stream(key)).min(SIZE_MAX)
    }

    fn mean_under_the_seed(&self) -> Option<f64> {
        let law = match self.target.varying()? {
            Varying::Nothing => return Some(self.of_key(self.target.key_with(0)) as f64),
            Varying::One(law) => law,
        };
        let (first, last) = law.range();
        let (first, last) = (first.round(), last.round().min(first.round() + VALUES_MAX - 1.0));
        if law.survival(last + 0.5) > NEGLIGIBLE {
            return None;
        }
        let (mut sum, mut known) = (0.0, 0.0);
        for at in 0..=(last - first) as u64 {
            let value = first + at as f64;
            let probability = law.rounded_to(value);
            if probability > 0.0 {
                known += probability;
                sum += probability * self.of_key(self.target.key_with(value as u64)) as f64;
            }
        }
        // Numbers too large to be distinct from their neighbours have no exact mean.
        (known > 1.0 - 1e-6).then(|| sum / known)
    }
}

#[cfg(test)]
mod tests {
    use super::super::target::target_key;
    use super::*;
    use crate::files::NoFiles;
    use crate::random::Stream;
    use crate::workload::Workload;
    use thinktime_file::schema::Source;

    fn workload(request: &str) -> Result<Workload, String> {
        let text = format!(
            "name = 'w'\nseed = 7\n[arrivals]\nmodel = 'open'\nrate = 1\n\
             [[request]]\nname = 'r'\n{request}"
        );
        Workload::parse(Source { file: "", text: &text }, &NoFiles).map_err(|e| e.to_string())
    }

    fn sizes(target: &str, law: &str) -> Sizes {
        let workload = workload(&format!("get = '{target}'\nsize = '{law}'")).unwrap();
        workload.requests[0].size.clone().unwrap()
    }

    /// A request's target, written as the generator does.
    fn target(sizes: &Sizes, session: u64, index: u32) -> String {
        let family = StreamFamily::new(7, Purpose::Target);
        let mut text = String::new();
        sizes.target.write(&mut text, &mut family.substream(session, index.into()));
        text
    }

    #[test]
    fn a_target_has_one_size_whoever_asks_for_it() {
        let sizes = sizes("/item/{zipf(n=50, s=0.9)}", "lognormal(mu=9, sigma=1)");
        let mut seen = std::collections::BTreeMap::new();
        for (session, index) in (0..500).flat_map(|session| (0..4).map(move |i| (session, i))) {
            let text = target(&sizes, session, index);
            let size = sizes.of_request(session, index);
            assert_eq!(size, sizes.of_target(&text));
            assert_eq!(*seen.entry(text).or_insert(size), size);
        }
        let different: std::collections::BTreeSet<u64> = seen.values().copied().collect();
        assert_eq!((seen.len(), different.len()), (50, 50));
    }

    #[test]
    fn a_size_hangs_on_the_seed_and_the_path() {
        let one = sizes("/a", "uniform(0B, 1MB)");
        let other = one.clone().seeded(8);
        assert_ne!(one.of_target("/a"), other.of_target("/a"));
        assert_ne!(one.of_target("/a"), one.of_target("/b"));
        assert_eq!(one.of_target("/a?x=1"), one.of_target("/a"));
        let with_query = sizes("/a?x={uniform(0, 9)}", "uniform(0B, 1MB)");
        assert_ne!(with_query.of_target("/a?x=1"), with_query.of_target("/a?x=2"));
        // The draw itself: the stream of the seed for sizes, named by the key of the text.
        let draw = Stream::new(7, target_key("/a"), Purpose::TargetSize).uniform();
        assert_eq!(one.of_target("/a"), (draw * 1e6).round() as u64);
        assert_eq!(one.mean(), one.of_target("/a") as f64);
        assert_eq!(other.mean(), other.of_target("/a") as f64);
    }

    #[test]
    fn another_seed_of_a_workload_gives_other_sizes() {
        let first = workload("get = '/a'\nsize = 'uniform(0B, 1MB)'").unwrap();
        let (seventh, eighth) = (first.with_seed(7), first.with_seed(8));
        let size = |of: &Workload| of.requests[0].size.as_ref().unwrap().of_target("/a");
        assert_eq!(size(&first), size(&seventh));
        assert_ne!(size(&first), size(&eighth));
    }

    #[test]
    fn sizes_are_whole_and_bounded() {
        assert_eq!(sizes("/a", "2.4").of_target("/a"), 2);
        assert_eq!(sizes("/a", "2KiB").of_target("/a"), 2048);
        assert_eq!(sizes("/a", "1e15").of_target("/a"), 1 << 40);
    }

    /// Compares with sums written out here.
    #[test]
    fn the_mean_is_that_of_the_targets_that_there_are() {
        let law = "bounded_pareto(shape=1.1, lo=1kB, hi=100MB)";
        let popular = sizes("/item/{zipf(n=3000, s=0.9)}.html", law);
        let weight = |k: u64| (k as f64).powf(-0.9);
        let size = |k: u64| popular.of_target(&format!("/item/{k}.html")) as f64;
        let total: f64 = (1..=3000).map(weight).sum();
        let mean: f64 = (1..=3000).map(|k| weight(k) * size(k)).sum::<f64>() / total;
        assert!((popular.mean() / mean - 1.0).abs() < 1e-9, "{} {mean}", popular.mean());
        // The difference matters: the law's own mean is another.
        assert!((popular.law().mean() / mean - 1.0).abs() > 0.05);

        let even = sizes("/p/{uniform(0, 4)}", law);
        let size = |k: u64| even.of_target(&format!("/p/{k}")) as f64;
        let mean = (size(0) + size(4)) / 8.0 + (size(1) + size(2) + size(3)) / 4.0;
        assert!((even.mean() / mean - 1.0).abs() < 1e-9);

        let endless = sizes("/p/{geometric(4)}", law);
        let size = |k: i32| endless.of_target(&format!("/p/{k}")) as f64;
        let mean: f64 = (1..200).map(|k| 0.25 * 0.75f64.powi(k - 1) * size(k)).sum();
        assert!((endless.mean() / mean - 1.0).abs() < 1e-9);
    }

    #[test]
    fn where_there_are_too_many_targets_the_mean_is_that_of_the_law() {
        for target in ["/{zipf(n=2000000, s=0.5)}", "/{uniform(0, 9)}/{uniform(0, 9)}", "/{1e18}"] {
            assert_eq!(sizes(target, "uniform(0B, 1MB)").mean(), 5e5, "{target}");
        }
    }

    #[test]
    fn wrong_sizes_are_refused() {
        let message = |request: &str| workload(request).unwrap_err();
        assert!(message("size = '5ms'").contains("size: `const(5ms)` gives a time"));
        assert!(message("size = 'pareto(shape=1, scale=1kB)'").contains("infinite mean"));
        assert!(message("size = 'uniform(-1, 1)'").contains("can be negative"));
        assert!(message("send = 'PING'\nsize = '1kB'").contains("method of HTTP"));
    }
}
