//! Tests of the laws: those in [`general`] and [`samples`] hold for every law of the list.

mod equilibrium;
mod errors;
mod general;
mod moments;
mod random;
mod reference;
mod samples;
mod special;

use super::*;

/// A file for `empirical`.
struct OneFile;

const FILE: &str = "# demands\n5ms\n\n1ms # short\n0.02s\n5ms\n100us\n7 ms\n";

impl Files for OneFile {
    fn read(&self, name: &str) -> Result<String, Invalid> {
        if name == "demands.txt" { Ok(FILE.to_owned()) } else { NoFiles.read(name) }
    }
}

fn parse(text: &str) -> Distribution {
    Distribution::parse(text, &OneFile).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Parameters at which formulas tend to fail.
const TRICKY: &[&str] = &[
    "const(0)",
    "5ms",
    "uniform(-3, 2)",
    "uniform(1e6, 1000001)",
    "exp(1e-9s)",
    "h2(3s, cv2=1)",
    "h2(10, cv2=1.0001)",
    "h2(10ms, cv2=1e6)",
    "erlang(1, 2)",
    "erlang(16, 2)",
    "erlang(17, 2)",
    "erlang(2000, 1h)",
    "gamma(shape=0.02, scale=1)",
    "gamma(shape=1, scale=3kB)",
    "gamma(shape=1.5, scale=1us)",
    "gamma(shape=999.5, scale=2)",
    "gamma(shape=1000.5, scale=2)",
    "gamma(shape=1e7, scale=1e-7)",
    "lognormal(mu=7.63, sigma=1.001)",
    "lognormal(mu=0, sigma=3)",
    "lognormal(mu=2, sigma=0.001)",
    "pareto(shape=0.8, scale=1ms)",
    "pareto(shape=1, scale=1ms)",
    "pareto(shape=1.4, scale=1)",
    "pareto(shape=2, scale=1ms)",
    "pareto(shape=50, scale=1MiB)",
    "bounded_pareto(shape=1, lo=10240B, hi=1e6)",
    "bounded_pareto(shape=2, lo=1, hi=1e9)",
    "bounded_pareto(shape=0.01, lo=1, hi=1000)",
    "bounded_pareto(shape=3, lo=1, hi=1.001)",
    "weibull(shape=0.2, scale=1)",
    "weibull(shape=1, scale=1min)",
    "weibull(shape=8, scale=1)",
    "inverse_gaussian(mu=3.86, lambda=9.46)",
    "inverse_gaussian(mu=1, lambda=0.001)",
    "inverse_gaussian(mu=1, lambda=10000)",
    "inverse_gaussian(mu=11441, lambda=6e-8)",
    "geometric(1)",
    "geometric(1.0001)",
    "geometric(1e6)",
    "poisson(0.001)",
    "poisson(16)",
    "poisson(17)",
    "poisson(100)",
    "poisson(1e6)",
    "zipf(n=1, s=2)",
    "zipf(n=10, s=0)",
    "zipf(n=1000, s=1)",
    "zipf(n=1001, s=1)",
    "zipf(n=1e6, s=0)",
    "zipf(n=1e12, s=1)",
    "zipf(n=1e12, s=0.5)",
    "zipf(n=1e9, s=1.2)",
    "zipf(n=1e12, s=3)",
    "zipf(n=1e5, s=40)",
    "discrete(1: 3)",
    "discrete(0.25: 3, 0.25: -1, 0.25: 3, 0.25: 0)",
    "discrete(0.999: 0.1ms, 0.001: 10ms)",
    "discrete(1/3: 1, 1/3: 2, 1/3: 4)",
    "mix(1: exp(5ms))",
    "mix(0.5: 1, 0.5: uniform(0, 2))",
    "mix(0.5: exp(1ms), 0.3: lognormal(mu=1, sigma=0.5), 0.2: const(2))",
    "mix(0.5: mix(0.5: geometric(3), 0.5: 7), 0.5: poisson(2))",
    "mix(0.9: h2(1, cv2=5), 0.1: pareto(shape=2.5, scale=10))",
    "truncated(exp(7s), hi=3s)",
    "truncated(exp(7s), lo=500s)",
    "truncated(uniform(-1, 1), lo=-0.5)",
    "truncated(gamma(shape=0.1, scale=1), hi=1)",
    "truncated(gamma(shape=1e5, scale=1), lo=99500, hi=100500)",
    "truncated(lognormal(mu=0, sigma=2), lo=1ms, hi=1000s)",
    "truncated(lognormal(mu=0, sigma=2), lo=1e5)",
    "truncated(weibull(shape=0.3, scale=1ms), lo=10ms)",
    "truncated(inverse_gaussian(mu=1, lambda=2), lo=0.5, hi=4)",
    "truncated(erlang(4, 10ms), lo=20ms)",
    "truncated(pareto(shape=1.2, scale=1), hi=100)",
    "truncated(pareto(shape=1.2, scale=1), lo=100)",
    "truncated(bounded_pareto(shape=1.2, lo=1, hi=1e6), lo=10, hi=1000)",
    "truncated(h2(10, cv2=50), lo=1, hi=500)",
    "truncated(geometric(4), lo=2.5, hi=9)",
    "truncated(geometric(1e6), hi=100)",
    "truncated(geometric(50), lo=2000)",
    "truncated(poisson(100), lo=150)",
    "truncated(poisson(3), hi=2)",
    "truncated(zipf(n=1e12, s=1.1), lo=5000, hi=1e6)",
    "truncated(zipf(n=100, s=2), lo=3)",
    "truncated(discrete(0.5: 1, 0.3: 2, 0.2: 3), lo=2)",
    "truncated(empirical(demands.txt), lo=2ms, hi=7ms)",
    "truncated(mix(0.5: 1, 0.5: uniform(0, 2)), lo=1)",
    "truncated(mix(0.9: exp(1), 0.1: exp(100)), lo=50, hi=300)",
    "truncated(truncated(exp(1), lo=1), hi=3)",
    "truncated(mix(0.5: truncated(exp(1), hi=3), 0.5: geometric(2)), lo=2)",
];

/// Every law of the list by its example, then the tricky ones.
fn all() -> impl Iterator<Item = Distribution> {
    let examples = ENTRIES.iter().map(|entry| entry.example);
    examples.chain(TRICKY.iter().copied()).map(parse)
}

/// |a - b| within `relative` of b.
#[track_caller]
fn assert_near(what: &str, a: f64, b: f64, relative: f64) {
    let near = a == b || (a - b).abs() <= relative * b.abs();
    assert!(near, "{what}: {a:e} against {b:e}, off by {:e}", (a - b).abs() / b.abs());
}
