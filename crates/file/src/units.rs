//! Quantities with units: `12ms`, `64KiB`, `300/s`, `1%`, `1/3`.

use crate::error::Invalid;

/// The dimension of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Dimension {
    /// A bare number. As a time it counts seconds, as a size, bytes.
    #[default]
    Number,
    /// Seconds.
    Time,
    /// Bytes.
    Size,
    /// Events a second.
    Rate,
}

impl Dimension {
    /// The word for messages, with examples of its units.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Dimension::Number => "a number without a unit",
            Dimension::Time => "a time such as 250ms, 1.5s or 20min",
            Dimension::Size => "a size such as 512B, 10kB or 4KiB",
            Dimension::Rate => "a rate such as 12/s or 600/min",
        }
    }
}

/// A number in the base unit of its dimension: seconds, bytes or events a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantity {
    /// The number in the base unit.
    pub value: f64,
    /// Its dimension.
    pub dimension: Dimension,
}

/// Every unit, with its dimension and its size in the base unit.
const UNITS: &[(&str, Dimension, f64)] = &[
    ("ns", Dimension::Time, 1e-9),
    ("us", Dimension::Time, 1e-6),
    ("µs", Dimension::Time, 1e-6),
    ("ms", Dimension::Time, 1e-3),
    ("s", Dimension::Time, 1.0),
    ("min", Dimension::Time, 60.0),
    ("h", Dimension::Time, 3600.0),
    ("B", Dimension::Size, 1.0),
    ("kB", Dimension::Size, 1e3),
    ("MB", Dimension::Size, 1e6),
    ("KiB", Dimension::Size, 1024.0),
    ("MiB", Dimension::Size, 1_048_576.0),
    ("/ms", Dimension::Rate, 1e3),
    ("/s", Dimension::Rate, 1.0),
    ("/min", Dimension::Rate, 1.0 / 60.0),
    ("/h", Dimension::Rate, 1.0 / 3600.0),
    ("%", Dimension::Number, 0.01),
];

impl Quantity {
    /// Parses a number with an optional unit, a percentage, or a fraction such as `1/3`.
    ///
    /// # Errors
    /// When the text has no number or an unknown unit.
    pub fn parse(text: &str) -> Result<Quantity, Invalid> {
        let text = text.trim();
        let split = number_length(text);
        let (number, unit) = (&text[..split], text[split..].trim());
        let value: f64 = number.parse().map_err(|_| {
            Invalid::new(format!("`{text}` is not a number with a unit, such as 5ms or 12/s"))
        })?;
        if unit.is_empty() {
            return Ok(Quantity { value, dimension: Dimension::Number });
        }
        if let Some(&(_, dimension, size)) = UNITS.iter().find(|(name, ..)| *name == unit) {
            return Ok(Quantity { value: scale(value, size), dimension });
        }
        match unit.strip_prefix('/').and_then(|divisor| divisor.trim().parse::<f64>().ok()) {
            Some(divisor) if divisor != 0.0 => {
                Ok(Quantity { value: value / divisor, dimension: Dimension::Number })
            }
            _ => Err(Invalid::new(format!(
                "unknown unit `{unit}` in `{text}`: times take ns us ms s min h, \
                 sizes B kB MB KiB MiB, rates /ms /s /min /h"
            ))),
        }
    }

    /// The number, when it has the dimension `wanted` or is bare.
    ///
    /// # Errors
    /// When it has another dimension.
    pub fn expect(self, wanted: Dimension) -> Result<f64, Invalid> {
        if self.dimension == wanted || self.dimension == Dimension::Number {
            return Ok(self.value);
        }
        Err(Invalid::new(format!("found {}, wanted {}", self.dimension.words(), wanted.words())))
    }
}

/// Multiplies so that decimal units stay exact: 0.1 ms is 0.1 / 1000, not 0.1 * 0.001.
fn scale(value: f64, size: f64) -> f64 {
    if size < 1.0 { value / (1.0 / size).round() } else { value * size }
}

/// The length of the number at the start of `text`, exponent included.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        bytes[from..].iter().take_while(|b| b.is_ascii_digit() || **b == b'.').count()
    };
    let sign = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let mut end = sign + digits(sign);
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    end
}

/// Parses a time; a bare number is seconds.
///
/// # Errors
/// When the text is not a time, or a negative or infinite one.
pub fn parse_time(text: &str) -> Result<f64, Invalid> {
    non_negative(text, Quantity::parse(text)?.expect(Dimension::Time)?)
}

/// Parses a rate in events a second; a bare number is events a second.
///
/// # Errors
/// When the text is not a rate, or a negative or infinite one.
pub fn parse_rate(text: &str) -> Result<f64, Invalid> {
    non_negative(text, Quantity::parse(text)?.expect(Dimension::Rate)?)
}

/// Units of rates of transfer that count bits, in bytes a second.
const BIT_RATES: &[(&str, f64)] =
    &[("kbit/s", 125.0), ("Mbit/s", 125e3), ("Gbit/s", 125e6), ("bit/s", 0.125)];

/// Parses a rate of transfer in bytes a second, as in `12.5MB/s` or `100Mbit/s`; a bare number is
/// bytes a second.
///
/// # Errors
/// When the text is not such a rate, or not above 0.
pub fn parse_transfer_rate(text: &str) -> Result<f64, Invalid> {
    let text = text.trim();
    let in_bits = BIT_RATES.iter().find_map(|(unit, size)| Some((text.strip_suffix(unit)?, *size)));
    let in_bytes = || text.strip_suffix("/s").map(|number| (number, 1.0));
    let (number, size) = in_bits.or_else(in_bytes).unwrap_or((text, 1.0));
    let wanted = match in_bits {
        None if number != text => Dimension::Size,
        _ => Dimension::Number,
    };
    match Quantity::parse(number.trim_end()).map(|one| (one.value * size, one.dimension)) {
        Ok((value, dimension)) if dimension == wanted => match value {
            _ if value > 0.0 && value.is_finite() => Ok(value),
            _ => Err(Invalid::new(format!("`{text}` must be above 0, and finite"))),
        },
        _ => Err(Invalid::new(format!(
            "`{text}` is no rate in bytes a second, such as 12.5MB/s or 100Mbit/s"
        ))),
    }
}

/// Parses a share between 0 and 1, as in `0.01` or `1%`.
///
/// # Errors
/// When the text is not a number, or one outside 0 to 1.
pub fn parse_share(text: &str) -> Result<f64, Invalid> {
    let quantity = Quantity::parse(text).and_then(|one| one.expect(Dimension::Number));
    let Ok(value) = quantity else {
        return Err(Invalid::new(format!("`{text}` is not a share, such as 0.01 or 1%")));
    };
    if (0.0..=1.0).contains(&value) {
        return Ok(value);
    }
    Err(Invalid::new(format!("`{text}` is not between 0 and 1 (or 0% and 100%)")))
}

fn non_negative(text: &str, value: f64) -> Result<f64, Invalid> {
    if value >= 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(Invalid::new(format!("`{}` must be a finite number of 0 or more", text.trim())))
}

/// Writes seconds with the largest unit that leaves a number of 1 or more, such that parsing it
/// gives the same number back.
#[must_use]
pub fn format_time(seconds: f64) -> String {
    format_with(
        seconds,
        &[("h", 3600.0), ("min", 60.0), ("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)],
        "s",
    )
}

/// Writes a quantity so that parsing it gives the same number back.
#[must_use]
pub fn format_quantity(quantity: Quantity) -> String {
    let value = quantity.value;
    match quantity.dimension {
        Dimension::Number => value.to_string(),
        Dimension::Time => format_time(value),
        Dimension::Size => format_with(value, &[("MB", 1e6), ("kB", 1e3), ("B", 1.0)], "B"),
        Dimension::Rate => format!("{value}/s"),
    }
}

fn format_with(value: f64, units: &[(&str, f64)], base: &str) -> String {
    let exact = |(name, size): &(&str, f64)| {
        let number = if *size < 1.0 { value * (1.0 / size).round() } else { value / size };
        let tidy = format!("{number}");
        (number >= 1.0 && tidy.len() <= 6 && scale(number, *size) == value)
            .then(|| format!("{tidy}{name}"))
    };
    units.iter().find_map(exact).unwrap_or_else(|| {
        // If no unit is both short and exact, take the fitting one if it is at least exact.
        let fitting = units.iter().find(|(_, size)| value >= *size);
        fitting
            .map(|(name, size)| {
                (
                    if *size < 1.0 { value * (1.0 / size).round() } else { value / size },
                    *name,
                    *size,
                )
            })
            .filter(|(number, _, size)| scale(*number, *size) == value)
            .map_or_else(|| format!("{value}{base}"), |(number, name, _)| format!("{number}{name}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn units_are_read() {
        let value = |text: &str| Quantity::parse(text).unwrap().value;
        assert_eq!(value("5ms"), 0.005);
        assert_eq!(value("0.1ms"), 0.0001);
        assert_eq!(value("1.5 s"), 1.5);
        assert_eq!(value("20min"), 1200.0);
        assert_eq!(value("2KiB"), 2048.0);
        assert_eq!(value("120/min"), 2.0);
        assert_eq!(value("1%"), 0.01);
        assert_eq!(value("1/3"), 1.0 / 3.0);
        assert_eq!(value("1e-3s"), 0.001);
        assert_eq!(value("-2"), -2.0);
    }

    #[test]
    fn wrong_units_are_named() {
        let message = |text: &str| Quantity::parse(text).unwrap_err().to_string();
        assert!(message("5 parsecs").contains("unknown unit `parsecs`"));
        assert!(message("fast").contains("not a number"));
        assert!(message("1/0").contains("unknown unit"));
        assert!(parse_time("5/s").unwrap_err().to_string().contains("wanted a time"));
        assert!(parse_time("-1s").unwrap_err().to_string().contains("0 or more"));
        assert!(parse_share("120%").is_err());
        assert!(parse_rate("12/s").is_ok());
    }

    #[test]
    fn rates_of_transfer_are_bytes_a_second() {
        assert_eq!(parse_transfer_rate("12.5MB/s"), Ok(12.5e6));
        assert_eq!(parse_transfer_rate(" 4 KiB /s "), Ok(4096.0));
        assert_eq!(parse_transfer_rate("1000"), Ok(1000.0));
        assert_eq!(parse_transfer_rate("10Mbit/s"), Ok(1.25e6));
        assert_eq!(parse_transfer_rate("8 bit/s"), Ok(1.0));
        for wrong in [
            "12.5MB", "100/s", "0B/s", "-1B/s", "1MBbit/s", "bit/s", "1MB/min", "fast", "", "/s",
            "1e999B/s",
        ] {
            assert!(parse_transfer_rate(wrong).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn times_written_are_read_back_exactly(seconds in 0.0..1e7f64) {
            prop_assert_eq!(parse_time(&format_time(seconds)).unwrap(), seconds);
        }

        #[test]
        fn any_text_is_read_or_refused(text in ".{0,20}") {
            let _ = Quantity::parse(&text);
        }
    }
}
