//! Numbers for people: three significant digits, and a unit that leaves a number of 1 or more.
//!
//! `python/thinktime/present/units.py` does the same for tables and pages; a test keeps the two
//! equal. Text for files comes from `units`, which loses nothing.

/// The most digits of a number, if fewer would make two of them look alike.
const DIGITS_MAX: usize = 9;
/// The most digits of a share that is nearly all.
const SHARE_DIGITS_MAX: usize = 7;

/// The units of times; each is used from this many seconds on.
const TIMES: [(f64, f64, &str); 6] = [
    (7200.0, 3600.0, "h"),
    (120.0, 60.0, "min"),
    (1.0, 1.0, "s"),
    (1e-3, 1e-3, "ms"),
    (1e-6, 1e-6, "µs"),
    (0.0, 1e-9, "ns"),
];

/// A time in seconds, as in `4.70 ms`; a dash if it is not finite.
#[must_use]
pub fn time(seconds: f64) -> String {
    time_to(seconds, 3)
}

/// Two times in as many digits as distinguish them, as in `1.0014 ms` and `1.0000 ms`.
#[must_use]
pub fn times_apart(one: f64, other: f64) -> (String, String) {
    apart(|digits| (time_to(one, digits), time_to(other, digits)))
}

/// A share between 0 and 1, as in `1.50 %`.
#[must_use]
pub fn percent(share: f64) -> String {
    percent_to(share, 3)
}

/// A whole number with its thousands apart, as in `100,000`.
#[must_use]
pub fn count(number: u64) -> String {
    grouped(&number.to_string())
}

/// A rate, whose unit stands behind it, as in `99.3`.
#[must_use]
pub fn rate(value: f64) -> String {
    number(value, 3)
}

/// Two rates in as many digits as distinguish them.
#[must_use]
pub fn rates_apart(one: f64, other: f64) -> (String, String) {
    apart(|digits| (number(one, digits), number(other, digits)))
}

/// A number as people write it; a power of ten if it has too many digits, as in `1.00e298`.
#[must_use]
pub fn plain(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-4..1e9).contains(&size) {
        format!("{value:.2e}")
    } else {
        format!("{value:.3}")
    }
}

/// Two shares in as many digits as distinguish them.
#[must_use]
pub fn percents_apart(one: f64, other: f64) -> (String, String) {
    apart(|digits| (percent_to(one, digits), percent_to(other, digits)))
}

/// The first of two texts, with more and more digits, that differ.
fn apart(texts: impl Fn(usize) -> (String, String)) -> (String, String) {
    (3..DIGITS_MAX)
        .map(&texts)
        .find(|(one, other)| one != other)
        .unwrap_or_else(|| texts(DIGITS_MAX))
}

/// In more digits if it would look like all, which it is not.
fn percent_to(share: f64, digits: usize) -> String {
    let looks_like_all = |digits: usize| share < 1.0 && rounded(100.0 * share, digits) >= 100.0;
    let less = (digits..=SHARE_DIGITS_MAX).find(|digits| !looks_like_all(*digits));
    format!("{} %", number(100.0 * share, less.unwrap_or(digits)))
}

fn time_to(seconds: f64, digits: usize) -> String {
    if !seconds.is_finite() {
        return "—".to_owned();
    }
    if seconds == 0.0 {
        return "0 s".to_owned();
    }
    let size = rounded(seconds.abs(), digits);
    let fits = |(from, ..): &&(f64, f64, &str)| size >= from * (1.0 - 1e-9);
    let (_, unit, name) = TIMES.iter().find(fits).unwrap_or(&TIMES[5]);
    format!("{} {name}", number(seconds / unit, digits))
}

/// A number to this many significant digits, without an exponent, its thousands apart.
fn number(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let value = rounded(value, digits);
    let power = (value.abs().log10() + 1e-9).floor() as i64;
    let decimals = (digits as i64 - 1 - power).max(0) as usize;
    let text = format!("{:.decimals$}", value.abs());
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let sign = if value < 0.0 { "\u{2212}" } else { "" };
    format!("{sign}{}{rest}", grouped(whole))
}

/// Digits with their thousands apart.
fn grouped(whole: &str) -> String {
    let mut text = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn rounded(value: f64, digits: usize) -> f64 {
    format!("{value:.*e}", digits - 1).parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_their_thousands_apart() {
        assert_eq!([0, 999, 1000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn times_have_three_digits_and_a_unit_that_fits() {
        let table = [
            (0.0, "0 s"),
            (1.5e-9, "1.50 ns"),
            (50e-6, "50.0 µs"),
            (999.6e-6, "1.00 ms"),
            (0.242_168_918, "242 ms"),
            (59.99, "60.0 s"),
            (119.0, "119 s"),
            (120.0, "2.00 min"),
            (2_763.055_555_555_56 * 3600.0, "2,760 h"),
            (-0.0047, "\u{2212}4.70 ms"),
            (f64::NAN, "—"),
        ];
        for (seconds, words) in table {
            assert_eq!(time(seconds), words);
        }
    }

    #[test]
    fn two_times_never_look_alike_without_need() {
        let texts = |one: &str, other: &str| (one.to_owned(), other.to_owned());
        assert_eq!(times_apart(0.001_468, 1e-3), texts("1.47 ms", "1.00 ms"));
        assert_eq!(times_apart(0.001_001_4, 1e-3), texts("1.001 ms", "1.000 ms"));
        assert_eq!(times_apart(1.0, 1.0).0, times_apart(1.0, 1.0).1);
    }

    #[test]
    fn no_number_is_longer_than_it_can_be_read() {
        assert_eq!(plain(1.25), "1.250");
        assert_eq!(plain(1e300), "1.00e300");
        assert_eq!(plain(0.0), "0.000");
    }

    #[test]
    fn shares_have_three_digits() {
        assert_eq!(percent(0.015), "1.50 %");
        assert_eq!(percent(1.0), "100 %");
        assert_eq!(percent(0.99986), "99.99 %", "a share below 1 does not look like 1");
        assert_eq!(percent(1.0 - 1e-12), "100 %", "digits have an end");
    }
}
