//! Equilibrium laws compared with the mean below a value: G(x) = E[min(X, x)] / E[X].

use super::*;
use crate::random::{Purpose, Stream};

const DRAWS: u64 = 20_000;

fn laws() -> impl Iterator<Item = Distribution> {
    let settled =
        |law: &Distribution| law.range().0 >= 0.0 && law.mean() > 0.0 && law.mean().is_finite();
    all().filter(settled)
}

/// The share of draws up to x is within 5 standard deviations of G(x) at each of 5 points: false
/// alarm 3e-6 for each of some 60 laws, and the seed is fixed.
#[test]
fn draws_follow_the_integrated_tail() {
    for law in laws() {
        let Some(rest) = Equilibrium::new(law.clone()) else {
            assert!(law.mean() > 1e3 * law.quantile(0.999), "{law} has an equilibrium law");
            continue;
        };
        let mut stream = Stream::new(9, 0, Purpose::Start);
        let draws: Vec<f64> = (0..DRAWS).map(|_| rest.sample(&mut stream)).collect();
        for u in [0.01, 0.2, 0.5, 0.9, 0.999] {
            let x = law.quantile(u);
            let expected = 1.0 - law.excess(x) / law.mean();
            let share = draws.iter().filter(|draw| **draw <= x).count() as f64 / DRAWS as f64;
            let deviation = (expected * (1.0 - expected) / DRAWS as f64).max(0.0).sqrt();
            let far = (share - expected).abs() - 1e-9;
            assert!(far <= 5.0 * deviation, "{law}: {share} and {expected} up to {x}");
        }
    }
}

#[test]
fn a_law_settles_where_it_has_one_or_is_always_0() {
    let heavy = [2.0 + 1e-9, 2.0, 1.01, 1.000_001, 1.0, 0.5]
        .map(|shape| parse(&format!("pareto(shape={shape}, scale=1s)")));
    for law in laws().chain(heavy).chain([parse("const(0s)"), parse("lognormal(mu=0, sigma=20)")]) {
        let expected = law.mean() == 0.0 || Equilibrium::new(law.clone()).is_some();
        assert_eq!(law.settles(), expected, "{law}");
    }
}

#[test]
fn there_is_none_without_a_finite_positive_mean() {
    for text in ["pareto(shape=1, scale=1s)", "pareto(shape=0.5, scale=1s)", "const(0s)"] {
        assert!(Equilibrium::new(parse(text)).is_none(), "{text}");
    }
    // A mean of 1e300 s on paper.
    assert!(Equilibrium::new(parse("lognormal(mu=0, sigma=37)")).is_none());
}
