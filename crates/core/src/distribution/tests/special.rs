//! Special functions and numeric helpers compared with values computed with 60 digits (mpmath).

use super::super::numeric::{integrate, least, least_whole};
use super::super::special::{gamma, normal_cdf, normal_quantile, normal_upper_scaled};
use super::*;

/// Shape, x, P and Q.
const GAMMA: [(f64, f64, f64, f64); 21] = [
    (0.02, 1e-30, 0.2540224661497238, 0.7459775338502762),
    (0.02, 0.5, 0.9886897147264062, 0.01131028527359381),
    (0.5, 1e-08, 0.00011283791633342487, 0.9998871620836666),
    (0.5, 3.0, 0.9856941215645704, 0.01430587843542964),
    (0.5, 200.0, 1.0, 5.5072482372124675e-89),
    (1.0, 0.001, 0.0009995001666250085, 0.999000499833375),
    (1.0, 30.0, 0.9999999999999064, 9.357622968840175e-14),
    (2.5, 0.1, 0.0008861387888124426, 0.9991138612111875),
    (2.5, 2.5, 0.5841198130044921, 0.41588018699550794),
    (2.5, 40.0, 0.9999999999999991, 8.391825114831611e-16),
    (16.5, 5.0, 3.7289334478415744e-05, 0.9999627106655216),
    (16.5, 60.0, 0.9999999999917757, 8.224297425930323e-12),
    (999.5, 800.0, 6.163316233870521e-12, 0.9999999999938367),
    (999.5, 1000.0, 0.5105133384156069, 0.48948666158439313),
    (999.5, 1300.0, 1.0, 1.6399939893369022e-18),
    (1000.5, 800.0, 4.909405729743171e-12, 0.9999999999950906),
    (1000.5, 1000.0, 0.4978971501419767, 0.5021028498580233),
    (1000.5, 1300.0, 1.0, 2.1399873312205178e-18),
    (1000000.0, 994000.0, 9.178900262302024e-10, 0.99999999908211),
    (1000000.0, 1000100.0, 0.5399588284317236, 0.4600411715682764),
    (1000000.0, 1010000.0, 1.0, 1.0606997477586902e-23),
];

/// z, Φ(z) and exp(z²/2) (1 - Φ(z)).
const NORMAL: [(f64, f64, f64); 14] = [
    (-38.0, 2.88542835e-316, 0.0),
    (-20.0, 2.7536241186062337e-89, 0.0),
    (-8.0, 6.220960574271784e-16, 0.0),
    (-3.0, 0.0013498980316300946, 0.0),
    (-1.0, 0.15865525393145705, 0.0),
    (-0.3, 0.3820885778110474, 0.0),
    (0.0, 0.5, 0.5),
    (0.3, 0.6179114221889527, 0.39967529734325513),
    (1.0, 0.8413447460685429, 0.2615782918651234),
    (1.5, 0.9331927987311419, 0.2057806669773947),
    (3.0, 0.9986501019683699, 0.12151394835556217),
    (8.0, 0.9999999999999993, 0.049122546212424935),
    (40.0, 1.0, 0.00996733518830131),
    (1000000.0, 1.0, 3.9894228040103374e-07),
];

#[test]
fn incomplete_gamma_functions_keep_their_digits_in_both_tails() {
    for (shape, x, lower, upper) in GAMMA {
        let point = gamma(shape, x);
        let what = format!("gamma({shape}, {x})");
        assert_near(&what, point.lower, lower, 5e-13);
        assert_near(&what, point.upper, upper, 5e-13);
    }
}

#[test]
fn the_normal_law_keeps_its_digits_in_the_tail() {
    for (z, lower, scaled) in NORMAL {
        assert_near("cdf", normal_cdf(z), lower, 2e-13);
        if z >= 0.0 {
            assert_near("scaled", normal_upper_scaled(z), scaled, 1e-13);
        }
        if (1e-300..0.999).contains(&lower) {
            assert!((normal_quantile(lower) - z).abs() < 1e-13 * (1.0 + z.abs()), "{z}");
        }
    }
}

#[test]
fn integrals_are_exact() {
    assert_near("exp", integrate(f64::exp, &[0.0, 1.0]), 1f64.exp_m1(), 1e-15);
    // A root at the edge and a narrow peak.
    assert_near("root", integrate(f64::sqrt, &[0.0, 1.0]), 2.0 / 3.0, 1e-12);
    let peak = |x: f64| 1.0 / (1e-6 + x * x);
    let expected = 2.0 * 1000.0 * 1000f64.atan();
    assert_near("peak", integrate(peak, &[-1.0, 1.0]), expected, 1e-12);
}

#[test]
fn the_least_number_is_found_exactly() {
    assert_eq!(least(-1e300, 1e300, |x| x >= -7.25), -7.25);
    assert_eq!(least(-1.0, 1.0, |x| x > 0.0), f64::from_bits(1));
    assert_eq!(least(3.0, 4.0, |_| true), 3.0);
    for wanted in [1.0, 2.0, 37.0, 1e6, 123_456_789.0] {
        for guess in [-5.0, 1.0, 36.0, 1e6, 1e12] {
            let found = least_whole(guess, (1.0, 1e9), |k| k < wanted);
            assert_eq!(found, wanted, "from {guess}");
        }
    }
    assert_eq!(least_whole(5.0, (1.0, 10.0), |_| true), 10.0);
}
