//! Properties of every law: notation, and the agreement of its functions with one another.

use super::*;

/// Probabilities from far below to far above.
const LEVELS: [f64; 15] = [
    1e-15,
    1e-9,
    1e-4,
    0.01,
    0.1,
    0.3,
    0.499,
    0.5,
    0.501,
    0.7,
    0.9,
    0.99,
    0.9999,
    1.0 - 1e-9,
    1.0 - 1e-13,
];

#[test]
fn what_is_written_is_read_back() {
    for law in all() {
        assert_eq!(parse(&law.to_string()), law, "{law}");
    }
}

/// Just below and at a value; atoms are exact, and other values to 12 digits.
fn around(law: &Distribution, x: f64) -> (f64, f64) {
    let error = 1e-12 * x.abs();
    if law.is_discrete() { (x.next_down(), x) } else { (x - error, x + error) }
}

#[test]
fn the_quantile_is_the_least_value_that_reaches_its_probability() {
    for law in all() {
        for u in LEVELS {
            let x = law.quantile(u);
            let (low, high) = law.range();
            assert!((low..=high).contains(&x), "{law}: quantile {x} at {u} is out of range");
            let slack = 1e-9 * u.min(1.0 - u) + 1e-15;
            let (before, after) = around(&law, x);
            assert!(law.cdf(after) >= u - slack, "{law}: P(X <= {after}) < {u}");
            // Just below x the value is less than u.
            if before >= low && x > f64::MIN_POSITIVE {
                assert!(law.cdf(before) <= u + slack, "{law}: P(X <= {before}) > {u}");
            }
        }
    }
}

#[test]
fn the_upper_quantile_is_the_least_value_with_no_more_beyond_it() {
    for law in all() {
        for q in LEVELS.into_iter().chain([1e-30, 1e-100]) {
            let x = law.upper_quantile(q);
            let slack = 1e-9 * q.min(1.0 - q) + 1e-15;
            let (before, after) = around(&law, x);
            assert!(law.survival(after) <= q + slack, "{law}: P(X > {after}) > {q}");
            if before >= law.range().0 && x > f64::MIN_POSITIVE && x < f64::MAX {
                let beyond = law.survival(before);
                assert!(beyond >= q - slack, "{law}: P(X > {before}) = {beyond} < {q}");
            }
        }
    }
}

#[test]
fn the_distribution_function_climbs_from_0_to_1() {
    for law in all() {
        let (low, high) = law.range();
        assert_eq!(law.cdf(low.next_down()), 0.0, "{law}");
        assert_eq!(law.cdf(f64::NEG_INFINITY), 0.0, "{law}");
        assert_eq!(law.cdf(high), 1.0, "{law}");
        assert_eq!(law.cdf(f64::INFINITY), 1.0, "{law}");
        assert_eq!(law.survival(f64::INFINITY), 0.0, "{law}");
        assert_eq!(law.survival(f64::NEG_INFINITY), 1.0, "{law}");
        let mut last = 0.0;
        for i in 1..400 {
            let x = law.quantile(f64::from(i) / 400.0);
            let (below, above) = (law.cdf(x), law.survival(x));
            assert!(below >= last - 1e-14, "{law} falls at {x}");
            assert!((below + above - 1.0).abs() < 1e-12, "{law}: tails at {x} do not sum to 1");
            last = below;
        }
    }
}

#[test]
fn scaling_multiplies_the_values() {
    for law in all() {
        let Ok(scaled) = law.scaled(2.5) else {
            let text = law.to_string();
            let expected = ["geometric", "poisson", "zipf", "empirical"];
            assert!(expected.iter().any(|name| text.contains(name)), "{law} has no scale");
            continue;
        };
        assert_near(&law.to_string(), scaled.mean(), 2.5 * law.mean(), 1e-9);
        let second = 6.25 * law.second_moment();
        assert_near(&law.to_string(), scaled.second_moment(), second, 1e-9);
        for u in [0.001, 0.2, 0.77, 0.9999] {
            assert_near(&law.to_string(), scaled.quantile(u), 2.5 * law.quantile(u), 1e-9);
        }
        assert_eq!(parse(&scaled.to_string()), scaled);
    }
}

#[test]
fn values_keep_what_they_measure() {
    let dimension = |text: &str| parse(text).dimension();
    assert_eq!(dimension("uniform(1ms, 2)"), Dimension::Time);
    assert_eq!(dimension("gamma(shape=2, scale=3kB)"), Dimension::Size);
    assert_eq!(dimension("lognormal(mu=2, sigma=1)"), Dimension::Number);
    assert_eq!(dimension("truncated(lognormal(mu=2, sigma=1), hi=1h)"), Dimension::Time);
    assert_eq!(dimension("mix(0.5: 1, 0.5: exp(3MiB))"), Dimension::Size);
    assert_eq!(dimension("discrete(0.5: 1, 0.5: 3ms)"), Dimension::Time);
    assert_eq!(dimension("empirical(demands.txt)"), Dimension::Time);
    // Once a bare mix is used as a time, it is written as one.
    let time = parse("mix(0.5: 1, 0.5: exp(3))").expect(Dimension::Time).unwrap();
    assert_eq!(time.to_string(), "mix(0.5: const(1s), 0.5: exp(3s))");
    assert_eq!(parse(&time.to_string()), time);
}
