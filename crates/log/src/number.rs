//! Numbers in logs, read from bytes without rounding.

/// Ten to the power of the index.
const POWERS: [i64; 10] =
    [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000];

/// The value of one digit.
#[inline]
pub(crate) fn digit(byte: u8) -> Option<u8> {
    let value = byte.wrapping_sub(b'0');
    (value < 10).then_some(value)
}

/// The value of two digits.
#[inline]
pub(crate) fn two_digits(tens: u8, ones: u8) -> Option<u8> {
    Some(digit(tens)? * 10 + digit(ones)?)
}

/// A whole number of 1 to 19 digits.
#[inline]
pub(crate) fn integer(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > 19 {
        return None;
    }
    let mut value = 0;
    for byte in text {
        value = value * 10 + u64::from(digit(*byte)?);
    }
    Some(value)
}

/// A decimal number such as `-1`, `0.25` or `1.5e-7` times `unit`, to the nearest below, with the
/// number of digits after the point.
pub(crate) fn decimal(text: &[u8], unit: i64) -> Option<(i64, usize)> {
    if memchr::memchr2(b'e', b'E', text).is_some() {
        return exponential(text, unit);
    }
    let (sign, text) = match text.strip_prefix(b"-") {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    let point = text.iter().position(|byte| matches!(byte, b'.' | b',')).unwrap_or(text.len());
    let before = i64::try_from(integer(&text[..point])?).ok()?;
    let after = text.get(point + 1..).unwrap_or_default();
    let kept = &after[..after.len().min(9)];
    if !after.iter().all(u8::is_ascii_digit) {
        return None;
    }
    // At most 10^9 times 10^9: it fits.
    let fraction = i64::try_from(integer(kept).unwrap_or(0)).ok()?;
    let fraction = fraction.checked_mul(unit)? / POWERS[kept.len()];
    Some((sign * before.checked_mul(unit)?.checked_add(fraction)?, after.len()))
}

/// As [`decimal`], for numbers with an exponent, which Go writes for small ones.
fn exponential(text: &[u8], unit: i64) -> Option<(i64, usize)> {
    let number: f64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    let value = number * unit as f64;
    (value.abs() < 9e18).then_some((value as i64, 9))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_keep_all_digits() {
        assert_eq!(decimal(b"1286536309.586", 1_000_000_000), Some((1_286_536_309_586_000_000, 3)));
        assert_eq!(decimal(b"-1", 1000), Some((-1000, 0)));
        assert_eq!(decimal(b"0.000021", 1_000_000_000), Some((21_000, 6)));
        assert_eq!(decimal(b"2.", 10), Some((20, 0)));
        assert_eq!(decimal(b"1.1234567899", 1_000_000_000), Some((1_123_456_789, 10)));
        assert_eq!(decimal(b"5e-7", 1_000_000_000), Some((500, 9)));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["", "-", ".5", "1.2.3", "1x", "0x1", "9999999999999999999", "1e99", "e"] {
            assert_eq!(decimal(text.as_bytes(), 1_000_000_000), None, "{text}");
        }
        assert_eq!(decimal(b"99999999999", 1_000_000_000), None, "too large");
        assert_eq!(integer(b"12345678901234567890"), None);
    }
}
