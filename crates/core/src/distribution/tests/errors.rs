//! Refused notations, and the words of their errors.

use super::*;

/// A notation, and a part of the message that refuses it.
const REFUSED: &[(&str, &str)] = &[
    ("expo(1)", "did you mean `exp`?"),
    ("const(exp(1))", "needs a number for `value`"),
    ("exp(0)", "positive mean"),
    ("exp(-3ms)", "positive mean"),
    ("exp(1, 2)", "too many"),
    ("uniform(3)", "needs `hi`"),
    ("uniform(3, 3)", "`lo` below `hi`"),
    ("uniform(1ms, 3kB)", "has both a time"),
    ("h2(10ms)", "needs `cv2`"),
    ("h2(10ms, cv2=0.5)", "`cv2` of 1 or more, not 0.5"),
    ("h2(10ms, cv=8)", "did you mean `cv2`?"),
    ("h2(0, cv2=8)", "positive `mean`"),
    ("h2(1, cv2=8ms)", "for `cv2`: found a time"),
    ("erlang(0, 1s)", "whole number from 1 to 1e9 for `k`"),
    ("erlang(2.5, 1s)", "whole number"),
    ("erlang(2s, 1s)", "for `k`: found a time"),
    ("erlang(2, 0s)", "positive `mean`"),
    ("gamma(shape=0, scale=1)", "positive `shape`"),
    ("gamma(shape=1, scale=-1)", "positive `scale`"),
    ("gamma(shape=1e13, scale=1)", "at most 1e12"),
    ("lognormal(mu=1s, sigma=1)", "for `mu`: found a time"),
    ("lognormal(mu=1, sigma=0)", "positive `sigma`"),
    ("pareto(shape=0, scale=1ms)", "positive `shape`"),
    ("pareto(shape=1, scale=0ms)", "positive `scale`"),
    ("bounded_pareto(shape=1, lo=0, hi=3)", "positive `lo`"),
    ("bounded_pareto(shape=1, lo=5, hi=3)", "`lo` below `hi`, not 5 and 3"),
    ("bounded_pareto(shape=-1, lo=1, hi=3)", "positive `shape`"),
    ("bounded_pareto(shape=1, lo=1B, hi=3s)", "has both a size"),
    ("weibull(shape=-1, scale=1)", "positive `shape`"),
    ("weibull(shape=1)", "needs `scale`; write it as weibull("),
    ("inverse_gaussian(mu=0, lambda=1)", "positive `mu`"),
    ("inverse_gaussian(mu=1, lambda=0)", "positive `lambda`"),
    ("inverse_gaussian(mu=1ms, lambda=1B)", "has both"),
    ("geometric(0.5)", "mean from 1 to 1e12, not 0.5"),
    ("geometric(4ms)", "wanted a number without a unit"),
    ("poisson(0)", "mean above 0"),
    ("poisson(1e13)", "up to 1e12"),
    ("zipf(n=0, s=1)", "whole number from 1 to 1e12 for `n`"),
    ("zipf(n=1e13, s=1)", "whole number"),
    ("zipf(n=10, s=-1)", "`s` of 0 or more, not -1"),
    ("zipf(n=10)", "needs `s`"),
    ("discrete()", "sum to 1, not 0"),
    ("discrete(3ms)", "weight before each argument"),
    ("discrete(0.5: 1, 0.4: 2)", "sum to 1, not 0.9"),
    ("discrete(0.5: 1, 0.5: exp(1))", "number after each weight"),
    ("discrete(1.5: 1, -0.5: 2)", "positive `weight`, not -0.5"),
    ("discrete(1s: 1)", "weights without a unit"),
    ("discrete(0.5: 1ms, 0.5: 1B)", "has both a time"),
    ("mix(0.5: exp(1), 0.4: exp(2))", "`mix` needs weights that sum to 1, not 0.9"),
    ("mix(0.5: exp(1ms), 0.5: exp(1kB))", "has both a time such as"),
    ("mix(0: exp(1), 1: exp(2))", "positive `weight`, not 0"),
    ("mix(1: exp(0))", "positive mean"),
    ("mix(exp(1))", "weight before"),
    ("truncated(exp(1))", "needs `lo` or `hi`"),
    ("truncated(lo=1)", "needs `law`"),
    ("truncated(exp(1s), lo=3, hi=2)", "`lo` not above `hi`"),
    ("truncated(exp(1s), hi=0s)", "leaves nothing of `exp(1s)`"),
    ("truncated(exp(1s), lo=2h)", "leaves nothing"),
    ("truncated(exp(1s), lo=1B)", "has both"),
    ("truncated(exp(1s), lo=exp(2))", "needs a number for `lo`"),
    ("truncated(uniform(0, 1), lo=0.5, hi=0.5)", "leaves nothing"),
    ("truncated(geometric(3), lo=1.2, hi=1.8)", "leaves nothing"),
    ("truncated(mix(0.5: 1, 0.5: 2), lo=3)", "leaves nothing"),
    ("truncated(const(1), lo=2)", "leaves nothing"),
    ("empirical()", "needs `file`"),
    ("empirical(3ms)", "name of a file"),
    ("empirical(other.txt)", "`other.txt` cannot be read"),
];

#[test]
fn wrong_parameters_are_refused_with_the_reason() {
    for (text, expected) in REFUSED {
        let message = match Distribution::parse(text, &OneFile) {
            Ok(law) => panic!("{text} was read as {law}"),
            Err(error) => error.to_string(),
        };
        assert!(message.contains(expected), "{text}: {message}");
    }
}

#[test]
fn wrong_files_are_named_with_the_line() {
    struct Text(&'static str);
    impl Files for Text {
        fn read(&self, _name: &str) -> Result<String, Invalid> {
            Ok(self.0.to_owned())
        }
    }
    for (text, expected) in [
        ("", "`x.txt` holds no values"),
        ("# nothing\n\n", "holds no values"),
        ("1ms\n\nfast\n", "`x.txt`, line 3: `fast` is not a number"),
        ("1ms\n2 parsecs\n", "line 2: unknown unit `parsecs`"),
        ("1ms\n2kB\n", "line 2: `empirical` has both a time"),
        ("1e999\n", "line 1: `1e999` is not finite"),
    ] {
        let error = Distribution::parse("empirical(x.txt)", &Text(text)).unwrap_err();
        assert!(error.to_string().contains(expected), "{text}: {error}");
    }
}

#[test]
fn laws_without_a_scale_say_so() {
    for text in ["geometric(4)", "poisson(2)", "zipf(n=3, s=1)", "empirical(demands.txt)"] {
        let error = parse(text).scaled(2.0).unwrap_err().to_string();
        assert!(error.contains("cannot be written as stretched by 2"), "{error}");
    }
    assert!(parse("exp(1)").scaled(0.0).is_err());
    assert!(parse("exp(1)").scaled(f64::NAN).is_err());
}

#[test]
fn negative_values_are_no_times() {
    for text in ["uniform(-1, 1)", "mix(0.5: -1, 0.5: 2)", "discrete(0.5: -1, 0.5: 1)"] {
        assert!(parse(text).expect(Dimension::Time).is_err(), "{text}");
    }
    assert!(parse("truncated(uniform(-1, 1), lo=0)").expect(Dimension::Time).is_ok());
}
