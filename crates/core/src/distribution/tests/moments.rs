//! Means and second moments compared with sums and integrals from another method: the trapezoidal
//! rule on the quantile function, with the variable stretched so that the ends decay doubly
//! exponentially (Takahasi and Mori, 1974).

use super::*;

/// The integral of `f(u, 1 - u)` over 0..1; both are exact near their zero.
fn double_exponential(f: impl Fn(f64, f64) -> f64) -> f64 {
    const STEP: f64 = 1.0 / 64.0;
    let mut sum = 0.0;
    for i in -420..=420 {
        let t = f64::from(i) * STEP;
        let e = (-std::f64::consts::PI * t.abs().sinh()).exp();
        let (small, large) = (e / (1.0 + e), 1.0 / (1.0 + e));
        let weight = std::f64::consts::PI * t.cosh() * small * large;
        if weight > 1e-200 {
            sum += weight * if t < 0.0 { f(small, large) } else { f(large, small) };
        }
    }
    sum * STEP
}

/// E[X^power] as the integral of the quantile function to that power.
fn moment(law: &Distribution, power: i32) -> f64 {
    double_exponential(|u, q| {
        let x = if u < 0.5 { law.quantile(u) } else { law.upper_quantile(q) };
        x.powi(power)
    })
}

#[test]
fn moments_of_continuous_laws_are_integrals_of_the_quantile() {
    // The rule cannot resolve the jumps and bends in the quantile of a mix.
    let bent = ["mix", "cv2=1000000", "cv2=50"];
    let smooth = |law: &Distribution| {
        !law.is_discrete() && !bent.iter().any(|name| law.to_string().contains(name))
    };
    for law in all().filter(smooth) {
        let what = law.to_string();
        // The integral of a power law is only as good as the tail that 1e-200 leaves out.
        let heavy = law.second_moment() == f64::INFINITY;
        if law.mean().is_finite() {
            let slack = if heavy { 1e-6 } else { 1e-9 };
            assert_near(&what, moment(&law, 1), law.mean(), slack);
        }
        if !heavy {
            assert_near(&what, moment(&law, 2), law.second_moment(), 1e-9);
        }
    }
}

/// E[X] and E[X²] of a law on whole numbers of 0 or more, from its survival function, out to where
/// it vanishes.
fn summed(law: &Distribution) -> (f64, f64) {
    let (mut first, mut second, mut k) = (0.0, 0.0, 0.0);
    loop {
        let beyond = law.survival(k);
        first += beyond;
        second += (2.0 * k + 1.0) * beyond;
        k += 1.0;
        if beyond < 1e-22 {
            return (first, second);
        }
    }
}

#[test]
fn moments_of_counts_are_sums_of_the_survival_function() {
    for text in [
        "geometric(1)",
        "geometric(4)",
        "geometric(1.0001)",
        "poisson(0.001)",
        "poisson(3.5)",
        "poisson(100)",
        "zipf(n=1, s=2)",
        "zipf(n=1000, s=1)",
        "zipf(n=3000, s=0.7)",
        "zipf(n=10000, s=2.5)",
        "truncated(geometric(4), lo=2.5, hi=9)",
        "truncated(geometric(1e6), hi=100)",
        "truncated(geometric(50), lo=200)",
        "truncated(poisson(100), lo=150)",
        "truncated(poisson(100), hi=50.5)",
        "truncated(poisson(3), hi=2)",
        "truncated(zipf(n=1e12, s=1.1), lo=1500, hi=9000)",
        "truncated(zipf(n=1e12, s=1.1), lo=10, hi=9000)",
        "truncated(zipf(n=100, s=2), lo=3)",
    ] {
        let law = parse(text);
        let (first, second) = summed(&law);
        assert_near(text, law.mean(), first, 1e-10);
        assert_near(text, law.second_moment(), second, 1e-10);
    }
}

#[test]
fn sums_over_many_ranks_have_their_known_values() {
    // With s = 0 all ranks are alike; with s = 1 the sum is the harmonic number.
    let n = 1e12;
    let alike = parse("zipf(n=1e12, s=0)");
    assert_near("mean", alike.mean(), (n + 1.0) / 2.0, 1e-12);
    assert_near("second", alike.second_moment(), (n + 1.0) * (2.0 * n + 1.0) / 6.0, 1e-12);
    let harmonic = n.ln() + 0.577_215_664_901_532_9 + 0.5 / n;
    let classic = parse("zipf(n=1e12, s=1)");
    assert_near("mean", classic.mean(), n / harmonic, 1e-12);
    assert_near("first", classic.cdf(1.0), 1.0 / harmonic, 1e-12);
    let zeta_3 = 1.202_056_903_159_594_3;
    assert_near("zeta", parse("zipf(n=1e12, s=3)").cdf(1.0), 1.0 / zeta_3, 1e-12);
}

#[test]
fn truncation_is_the_law_itself_where_it_cuts_nothing() {
    for text in ["exp(7s)", "lognormal(mu=0, sigma=2)", "geometric(4)", "uniform(1, 2)"] {
        let (law, cut) = (parse(text), parse(&format!("truncated({text}, lo=-5)")));
        assert_eq!(law.mean(), cut.mean(), "{text}");
        assert_eq!(law.second_moment(), cut.second_moment(), "{text}");
        assert_eq!(law.quantile(0.3), cut.quantile(0.3), "{text}");
    }
}

#[test]
fn truncated_exponentials_have_their_closed_form() {
    // Without a memory: lo + mean. Below a bound: m - h / (e^(h/m) - 1).
    let mean = |text: &str| parse(text).mean();
    assert_near("lower", mean("truncated(exp(7), lo=500)"), 507.0, 1e-12);
    let expected = 7.0 - 3.0 / (3.0f64 / 7.0).exp_m1();
    assert_near("upper", mean("truncated(exp(7), hi=3)"), expected, 1e-12);
    let second = parse("truncated(exp(7), lo=500)").second_moment();
    assert_near("second", second, 500.0f64.powi(2) + 2.0 * 500.0 * 7.0 + 98.0, 1e-12);
    // A partial mean of the lognormal law: E[X] Φ(σ - b) / Φ(-b), with b = (ln lo - μ)/σ.
    let b = 1e5f64.ln() / 2.0;
    let phi = special_upper(b - 2.0) / special_upper(b);
    let lognormal = mean("truncated(lognormal(mu=0, sigma=2), lo=1e5)");
    assert_near("lognormal", lognormal, 2.0f64.exp() * phi, 1e-11);
}

fn special_upper(z: f64) -> f64 {
    super::super::special::normal_cdf(-z)
}

#[test]
fn a_mix_truncates_part_by_part() {
    let law = parse("truncated(mix(0.9: exp(1), 0.1: exp(100)), lo=50, hi=300)");
    let part = |m: f64| {
        let weight = (-50.0 / m).exp() - (-300.0 / m).exp();
        let length = 250.0f64;
        (weight, 50.0 + m - length / (length / m).exp_m1())
    };
    let ((w, a), (v, b)) = (part(1.0), part(100.0));
    let expected = (0.9 * w * a + 0.1 * v * b) / (0.9 * w + 0.1 * v);
    assert_near("mean", law.mean(), expected, 1e-11);
    // Half the probability at 1, a quarter evenly above it, given at least 1.
    let atom = parse("truncated(mix(0.5: 1, 0.5: uniform(0, 2)), lo=1)");
    assert_near("mean", atom.mean(), (0.5 + 0.25 * 1.5) / 0.75, 1e-14);
    assert_near("atom", atom.cdf(1.0), 2.0 / 3.0, 1e-14);
}

#[test]
fn the_tail_index_is_that_of_the_heaviest_part() {
    let index = |text: &str| parse(text).tail_index();
    assert_eq!(index("pareto(shape=2.3, scale=1)"), 2.3);
    assert_eq!(index("mix(0.9: exp(1), 0.05: pareto(shape=2.7, scale=1), 0.05: const(2))"), 2.7);
    assert_eq!(index("truncated(pareto(shape=1.5, scale=1), lo=4)"), 1.5);
    for light in [
        "truncated(pareto(shape=1.5, scale=1), hi=4)",
        "bounded_pareto(shape=1.1, lo=1, hi=9)",
        "lognormal(mu=0, sigma=3)",
        "weibull(shape=0.3, scale=1)",
    ] {
        assert_eq!(index(light), f64::INFINITY, "{light}");
    }
}
