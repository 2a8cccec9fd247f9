//! Samples compared with the laws they are drawn from, with fixed seeds.

use super::*;
use crate::random::{Purpose, Stream};

fn draw(law: &Distribution, n: usize) -> Vec<f64> {
    let mut stream = Stream::new(1, 0, Purpose::Demand);
    (0..n).map(|_| law.sample(&mut stream)).collect()
}

/// The largest distance between a sample's distribution function and another, on both sides of
/// every jump (Kolmogorov and Smirnov).
fn largest_distance(mut sample: Vec<f64>, cdf: impl Fn(f64) -> f64) -> f64 {
    sample.sort_by(f64::total_cmp);
    let n = sample.len() as f64;
    let (mut distance, mut from) = (0.0f64, 0);
    while from < sample.len() {
        let x = sample[from];
        let to = from + sample[from..].partition_point(|y| *y <= x);
        let before = (cdf(x.next_down()) - from as f64 / n).abs();
        let after = (cdf(x) - to as f64 / n).abs();
        distance = distance.max(before).max(after);
        from = to;
    }
    distance
}

/// The distance that a sample of n exceeds with probability 1e-6 (less with atoms): 2 exp(-2 n d²)
/// = 1e-6.
fn distance_allowed(n: usize) -> f64 {
    ((2e6f64).ln() / (2.0 * n as f64)).sqrt()
}

#[test]
fn samples_follow_the_distribution_function() {
    let n = 2000;
    for law in all() {
        let distance = largest_distance(draw(&law, n), |x| law.cdf(x));
        assert!(distance <= distance_allowed(n), "{law}: distance {distance}");
    }
}

#[test]
fn samples_of_another_law_are_found_out() {
    let n = 4000;
    let (law, other) = (parse("exp(1)"), parse("h2(1, cv2=2)"));
    assert!(largest_distance(draw(&law, n), |x| other.cdf(x)) > distance_allowed(n));
    let (law, other) = (parse("geometric(4)"), parse("geometric(4.5)"));
    assert!(largest_distance(draw(&law, n), |x| other.cdf(x)) > distance_allowed(n));
}

#[test]
fn samples_have_the_stated_mean() {
    let n = 4000;
    for law in all().filter(|law| law.cv2() < 30.0) {
        let mean = draw(&law, n).iter().sum::<f64>() / n as f64;
        let sd = (law.second_moment() - law.mean() * law.mean()).max(0.0).sqrt();
        // 4.5 standard errors: false alarm 7e-6 a law, and the seed is fixed.
        let slack = 4.5 * sd / (n as f64).sqrt() + 1e-9 * law.mean().abs();
        assert!((mean - law.mean()).abs() <= slack, "{law}: {mean} against {}", law.mean());
    }
}

/// A law takes the same number of uniforms at every draw, so that streams stay in step.
#[test]
fn every_draw_takes_the_same_number_of_uniforms() {
    for (text, uniforms) in [
        ("exp(1)", 1),
        ("h2(1, cv2=8)", 2),
        ("erlang(16, 1)", 16),
        ("erlang(17, 1)", 1),
        ("gamma(shape=0.3, scale=1)", 1),
        ("lognormal(mu=0, sigma=1)", 1),
        ("inverse_gaussian(mu=1, lambda=1)", 2),
        ("poisson(40)", 1),
        ("zipf(n=1e6, s=1)", 1),
        ("mix(0.5: exp(1), 0.5: exp(2))", 2),
        ("truncated(exp(1), lo=1)", 1),
        ("truncated(h2(1, cv2=8), lo=1)", 2),
    ] {
        let law = parse(text);
        let mut drawn = Stream::new(5, 0, Purpose::Think);
        let mut counted = drawn.clone();
        for _ in 0..100 {
            law.sample(&mut drawn);
            (0..uniforms).for_each(|_| {
                counted.uniform();
            });
        }
        assert_eq!(drawn.bits(), counted.bits(), "{text}");
    }
}

#[test]
fn one_phase_of_a_mix_is_drawn_as_often_as_it_weighs() {
    let law = parse("mix(0.2: 1, 0.3: 2, 0.5: 3)");
    let sample = draw(&law, 20_000);
    for (value, share) in [(1.0, 0.2), (2.0, 0.3), (3.0, 0.5f64)] {
        let found = sample.iter().filter(|x| **x == value).count() as f64 / 20_000.0;
        let slack = 4.5 * (share * (1.0 - share) / 20_000.0).sqrt();
        assert!((found - share).abs() < slack, "{value}: {found} against {share}");
    }
}
