//! Golden numbers, and `statrs`' own distributions as an independent implementation.

use statrs::distribution as other;
use statrs::distribution::{ContinuousCDF, DiscreteCDF};

use super::*;

#[test]
fn balanced_means_are_those_of_the_literature() {
    let phases = parse("h2(10, cv2=8)").phases().unwrap();
    let ((p1, m1), (p2, m2)) = (phases[0], phases[1]);
    assert_near("p1", p1, 0.940_958_552, 1e-9);
    assert_near("p2", p2, 1.0 - p1, 1e-14);
    assert_near("mu1", 1.0 / m1, 0.188_191_710, 1e-8);
    assert_near("mu2", 1.0 / m2, 0.011_808_289_6, 1e-8);
    assert_near("mean", p1 * m1 + p2 * m2, 10.0, 1e-14);
    assert_near("second", 2.0 * (p1 * m1 * m1 + p2 * m2 * m2), 900.0, 1e-14);
    assert_near("C²", parse("h2(10, cv2=8)").cv2(), 8.0, 1e-14);
}

#[test]
fn a_hyperexponential_of_c2_1_is_exponential() {
    let (h2, exp) = (parse("h2(3s, cv2=1)"), parse("exp(3s)"));
    for u in [1e-9, 0.1, 0.5, 0.9, 1.0 - 1e-9] {
        assert_near("quantile", h2.quantile(u), exp.quantile(u), 1e-13);
    }
}

#[test]
fn moments_are_those_of_the_literature() {
    let mean = |text: &str| parse(text).mean();
    assert_near("lognormal", mean("lognormal(mu=7.630, sigma=1.001)"), 3398.2, 2e-5);
    assert_near("pareto", mean("pareto(shape=1.4, scale=1)"), 3.5, 1e-14);
    assert_eq!(mean("pareto(shape=1, scale=1)"), f64::INFINITY);
    assert_eq!(parse("pareto(shape=2, scale=1)").second_moment(), f64::INFINITY);
    assert_eq!(parse("pareto(shape=1.4, scale=1)").second_moment(), f64::INFINITY);
    let (k, h) = (10_240.0, 1e6f64);
    let bounded = mean("bounded_pareto(shape=1, lo=10240, hi=1e6)");
    assert_near("bounded", bounded, k * (h / k).ln() / (1.0 - k / h), 1e-13);
    let gaussian = parse("inverse_gaussian(mu=3.86, lambda=9.46)");
    let variance = gaussian.second_moment() - gaussian.mean().powi(2);
    assert_near("inverse gaussian", variance, 6.0795, 1e-5);
    assert_near("weibull", mean("weibull(shape=0.5, scale=1)"), 2.0, 1e-13);
    assert_near("second", parse("weibull(shape=0.5, scale=1)").second_moment(), 24.0, 1e-13);
    assert_near("empirical", mean("empirical(demands.txt)"), 38.1e-3 / 6.0, 1e-14);
    assert_near("discrete", mean("discrete(0.999: 0.1ms, 0.001: 10ms)"), 0.1099e-3, 1e-14);
}

#[test]
fn the_empirical_quantile_inverts_the_share_of_values() {
    let law = parse("empirical(demands.txt)");
    assert_eq!(law.range(), (1e-4, 0.02));
    assert_eq!(law.quantile(1.0 / 6.0), 1e-4);
    assert_eq!(law.quantile(0.17), 1e-3);
    assert_eq!(law.quantile(0.5), 5e-3);
    assert_eq!(law.quantile(0.999), 0.02);
    assert_eq!(law.cdf(5e-3), 4.0 / 6.0);
    assert_eq!(law.cdf(4.9e-3), 2.0 / 6.0);
}

/// Shares at which two implementations are compared.
fn levels() -> impl Iterator<Item = f64> {
    (1..40).map(|i| f64::from(i) / 40.0)
}

#[track_caller]
fn same(text: &str, reference: &impl ContinuousCDF<f64, f64>) {
    let law = parse(text);
    for x in levels().map(|u| law.quantile(u)) {
        assert_near(text, law.cdf(x), reference.cdf(x), 1e-9);
        assert_near(text, law.survival(x), reference.sf(x), 1e-9);
    }
}

#[test]
fn continuous_laws_agree_with_another_implementation() {
    same("gamma(shape=0.5, scale=20)", &other::Gamma::new(0.5, 0.05).unwrap());
    same("gamma(shape=7.5, scale=2)", &other::Gamma::new(7.5, 0.5).unwrap());
    same("gamma(shape=1500, scale=1)", &other::Gamma::new(1500.0, 1.0).unwrap());
    same("erlang(4, 10)", &other::Erlang::new(4, 0.4).unwrap());
    same("erlang(30, 3)", &other::Erlang::new(30, 10.0).unwrap());
    same("lognormal(mu=1, sigma=0.8)", &other::LogNormal::new(1.0, 0.8).unwrap());
    same("weibull(shape=0.7, scale=10)", &other::Weibull::new(0.7, 10.0).unwrap());
    same("pareto(shape=1.4, scale=2)", &other::Pareto::new(2.0, 1.4).unwrap());
    same("exp(7)", &other::Exp::new(1.0 / 7.0).unwrap());
    same("uniform(-3, 2)", &other::Uniform::new(-3.0, 2.0).unwrap());
}

#[test]
fn laws_of_counts_agree_with_another_implementation() {
    let (geometric, poisson) = (parse("geometric(4)"), parse("poisson(20)"));
    let (other_geometric, other_poisson) =
        (other::Geometric::new(0.25).unwrap(), other::Poisson::new(20.0).unwrap());
    for k in 0..60u32 {
        let x = f64::from(k);
        if k > 0 {
            let expected = other_geometric.cdf(u64::from(k));
            assert_near("geometric", geometric.cdf(x + 0.5), expected, 1e-9);
        }
        assert_near("poisson", poisson.cdf(x + 0.5), other_poisson.cdf(u64::from(k)), 1e-9);
    }
}
