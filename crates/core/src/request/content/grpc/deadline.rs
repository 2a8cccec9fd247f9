//! The header fields of a call that are gRPC's own, with its deadline.

use thinktime_file::time::Nanos;

/// The fields of a call whose client waits this long, if not for ever: so its server can stop work
/// that nobody waits for.
pub(crate) fn own_headers(deadline: Nanos) -> Vec<(String, String)> {
    let timeout = (!deadline.is_never()).then(|| ("grpc-timeout", timeout_text(deadline)));
    let fields = [("content-type", "application/grpc".to_owned()), ("te", "trailers".to_owned())];
    fields.into_iter().chain(timeout).map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The number of nanoseconds in each unit of gRPC, and its letter.
const UNITS: [(u64, char); 6] = [
    (1, 'n'),
    (1_000, 'u'),
    (1_000_000, 'm'),
    (1_000_000_000, 'S'),
    (60_000_000_000, 'M'),
    (3_600_000_000_000, 'H'),
];
/// Numbers have at most 8 digits.
const NUMBER_MAX: u64 = 99_999_999;

/// A time as gRPC writes it: in the finest unit that can hold it, rounded up so that no server
/// gives up before its client. All times fit in hours.
fn timeout_text(time: Nanos) -> String {
    let (hour, rest) = UNITS.split_last().expect("there are units");
    let fits = |(size, _): &&(u64, char)| time.0.div_ceil(*size) <= NUMBER_MAX;
    let (size, unit) = rest.iter().find(fits).unwrap_or(hour);
    format!("{}{unit}", time.0.div_ceil(*size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rounded_up_in_units_that_hold_them() {
        let cases = [
            (1, "1n"),
            (99_999_999, "99999999n"),
            (100_000_000, "100000u"),
            (250_000_001, "250001u"),
            (99_999_999_000, "99999999u"),
            (99_999_999_001, "100000m"),
            (3_600_000_000_000, "3600000m"),
            (99_999_999_000_001, "100000S"),
            (u64::MAX - 1, "5124096H"),
        ];
        for (time, text) in cases {
            assert_eq!(timeout_text(Nanos(time)), text, "{time}");
        }
    }

    #[test]
    fn a_call_without_a_timeout_has_no_deadline() {
        assert_eq!(own_headers(Nanos::MAX).len(), 2);
        let last = ("grpc-timeout".to_owned(), "1500000u".to_owned());
        assert_eq!(own_headers(Nanos(1_500_000_000)).last(), Some(&last));
    }
}
