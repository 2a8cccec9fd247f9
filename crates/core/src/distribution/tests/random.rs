//! Properties for random texts and parameters.

use proptest::prelude::*;

use super::*;
use crate::random::{Purpose, Stream};

/// Texts that resemble the notation: names, numbers, units and punctuation in any order.
fn near_notation() -> impl Strategy<Value = String> {
    const OTHERS: &str = "(|)|(|)|, |, |=|: |mean|cv2|shape|scale|lo|hi|mu|sigma|lambda|n|s|k|\
        0.5|1|2|3.5|-1|1e300|1e-300|0|ms|kB|/s|%|/3|demands.txt| ";
    let words = ENTRIES.iter().map(|entry| entry.name).chain(OTHERS.split('|'));
    let words = prop::sample::select(words.collect::<Vec<_>>());
    prop::collection::vec(words, 0..16).prop_map(|words| words.concat())
}

/// Numbers over many orders of magnitude.
fn magnitude(from: f64, to: f64) -> impl Strategy<Value = f64> {
    (from.ln()..to.ln()).prop_map(f64::exp)
}

/// Any simple law with valid parameters.
fn simple() -> BoxedStrategy<String> {
    let scale = || magnitude(1e-9, 1e9);
    prop_oneof![
        scale().prop_map(|m| format!("exp({m})")),
        (scale(), magnitude(1.0, 1e9)).prop_map(|(m, c)| format!("h2({m}, cv2={c})")),
        (1u32..3000, scale()).prop_map(|(k, m)| format!("erlang({k}, {m})")),
        (magnitude(1e-2, 1e6), scale()).prop_map(|(a, b)| format!("gamma(shape={a}, scale={b})")),
        (-20.0..20.0, magnitude(1e-3, 8.0))
            .prop_map(|(m, s)| format!("lognormal(mu={m}, sigma={s})")),
        (magnitude(0.1, 100.0), scale()).prop_map(|(a, b)| format!("pareto(shape={a}, scale={b})")),
        (magnitude(1e-3, 50.0), scale(), magnitude(1.001, 1e9))
            .prop_map(|(a, lo, r)| format!("bounded_pareto(shape={a}, lo={lo}, hi={})", lo * r)),
        (magnitude(0.05, 100.0), scale())
            .prop_map(|(a, b)| format!("weibull(shape={a}, scale={b})")),
        (scale(), scale()).prop_map(|(mu, l)| format!("inverse_gaussian(mu={mu}, lambda={l})")),
        magnitude(1.0, 1e12).prop_map(|m| format!("geometric({m})")),
        magnitude(1e-9, 1e9).prop_map(|m| format!("poisson({m})")),
        (1u64..1_000_000_000_000, 0.0..5.0f64).prop_map(|(n, s)| format!("zipf(n={n}, s={s})")),
        (-1e6..1e6f64, magnitude(1e-6, 1e6))
            .prop_map(|(lo, width)| format!("uniform({lo}, {})", lo + width)),
    ]
    .boxed()
}

/// A simple law, or one made of others.
fn any_law() -> impl Strategy<Value = String> {
    let mixed = (simple(), simple(), 0.01..0.99f64)
        .prop_map(|(a, b, w)| format!("mix({w}: {a}, {}: {b})", 1.0 - w));
    prop_oneof![3 => simple(), 1 => mixed]
}

fn check(text: &str, law: &Distribution, u: f64) -> Result<(), TestCaseError> {
    prop_assert_eq!(&parse(&law.to_string()), law, "{}", text);
    prop_assert!(!law.mean().is_nan(), "{}: mean", text);
    prop_assert!(!law.second_moment().is_nan(), "{}: second moment", text);
    let (low, high) = law.range();
    // Rounding can put a mean of nearly equal values just outside.
    prop_assert!(law.mean() >= low - 1e-9 * low.abs(), "{}: mean {}", text, law.mean());
    prop_assert!(law.mean() <= high + 1e-9 * high.abs(), "{}: mean {}", text, law.mean());
    let x = law.quantile(u);
    prop_assert!((low..=high).contains(&x), "{}: quantile {}", text, x);
    let slack = 1e-9 * u.min(1.0 - u) + 1e-14;
    // The value itself is exact to 12 digits only, except for atoms.
    let after = if law.is_discrete() { x } else { x + 1e-12 * x.abs() };
    prop_assert!(law.cdf(after) >= u - slack, "{}: {} for {}", text, x, u);
    let sample = law.sample(&mut Stream::new(u.to_bits(), 0, Purpose::Demand));
    prop_assert!((low..=high).contains(&sample), "{}: sample {}", text, sample);
    Ok(())
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in near_notation()) {
        if let Ok(law) = Distribution::parse(&text, &OneFile) {
            prop_assert!(!law.quantile(0.5).is_nan(), "{text}");
        }
    }

    #[test]
    fn valid_parameters_give_numbers(text in any_law(), u in 1e-12..1.0f64) {
        check(&text, &parse(&text), u)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn truncation_stays_within_its_bounds(
        text in any_law(), a in 1e-6..0.999f64, b in 1e-6..0.999f64, u in 1e-9..1.0f64,
    ) {
        let law = parse(&text);
        let (lo, hi) = (law.quantile(a.min(b)), law.quantile(a.max(b)));
        for bounds in [format!("lo={lo}, hi={hi}"), format!("lo={lo}"), format!("hi={hi}")] {
            let text = format!("truncated({text}, {bounds})");
            // A continuous law has nothing between two equal bounds.
            if let Ok(law) = Distribution::parse(&text, &OneFile) {
                check(&text, &law, u)?;
            }
        }
    }
}
