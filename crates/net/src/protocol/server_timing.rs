//! The server's own time, from the response's field `Server-Timing`.
//!
//! Source: W3C Working Draft "Server Timing", 11 April 2023: a list of metrics, each with a name,
//! and perhaps with a duration in milliseconds, as in `db;dur=53.2, app;desc="x";dur=47`.

use thinktime_core::time::Nanos;

/// The field's name, in lower case.
pub const SERVER_TIMING: &str = "server-timing";
/// The metric that stands for the whole, if present.
const TOTAL: &[u8] = b"total";
/// Longer durations, of more than a day, are ignored; in milliseconds.
const LONGEST_MS: f64 = 1e8;
/// The longest representable time; [`Nanos::MAX`] means that there is none.
const LONGEST: Nanos = Nanos(u64::MAX - 1);

/// The content of the fields of one response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerTiming {
    /// The duration of the first metric `total` that has one; else [`Nanos::MAX`].
    total: Nanos,
    /// The sum of all durations; [`Nanos::MAX`] without any.
    sum: Nanos,
}

impl Default for ServerTiming {
    fn default() -> ServerTiming {
        ServerTiming { total: Nanos::MAX, sum: Nanos::MAX }
    }
}

impl ServerTiming {
    /// Adds the value of a field; there may be several. A metric counts as one without duration if
    /// that is no number, negative, infinite or above 10^8 ms.
    #[cold]
    pub fn take(&mut self, value: &[u8]) {
        for metric in pieces(value, b',') {
            let mut parts = pieces(metric, b';');
            let name = parts.next().unwrap_or_default().trim_ascii();
            let Some(time) = parts.find_map(duration_text).and_then(duration) else { continue };
            if name.is_empty() {
                continue;
            }
            self.sum = if self.sum.is_never() { time } else { LONGEST.min(self.sum + time) };
            if self.total.is_never() && name.eq_ignore_ascii_case(TOTAL) {
                self.total = time;
            }
        }
    }

    /// The server's time: of the metric `total`, else the sum of all; [`Nanos::MAX`] if no metric
    /// has a duration.
    #[must_use]
    pub fn time(self) -> Nanos {
        if self.total.is_never() { self.sum } else { self.total }
    }
}

/// The value of a parameter that is named `dur`, without blanks and quotes.
fn duration_text(parameter: &[u8]) -> Option<&[u8]> {
    let at = parameter.iter().position(|byte| *byte == b'=')?;
    let (name, value) = (parameter[..at].trim_ascii(), parameter[at + 1..].trim_ascii());
    let value = match value.strip_prefix(b"\"") {
        Some(quoted) => quoted.split(|byte| *byte == b'"').next().unwrap_or_default(),
        None => value,
    };
    name.eq_ignore_ascii_case(b"dur").then_some(value)
}

fn duration(text: &[u8]) -> Option<Nanos> {
    let ms: f64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    (0.0..=LONGEST_MS).contains(&ms).then(|| Nanos::from_secs_f64(ms * 1e-3))
}

/// The pieces between separators outside quoted strings; an unclosed string lasts to the end.
fn pieces(text: &[u8], separator: u8) -> impl Iterator<Item = &[u8]> {
    let (mut quoted, mut escaped) = (false, false);
    text.split(move |byte| {
        let separates = *byte == separator && !quoted;
        quoted ^= *byte == b'"' && !escaped;
        escaped = quoted && *byte == b'\\' && !escaped;
        separates
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn time_ms(values: &[&str]) -> Option<f64> {
        let mut timing = ServerTiming::default();
        values.iter().for_each(|value| timing.take(value.as_bytes()));
        let time = timing.time();
        (!time.is_never()).then(|| time.as_secs_f64() * 1e3)
    }

    #[test]
    fn the_total_counts_or_else_the_sum() {
        for (values, expected) in [
            (&["db;dur=53.2"][..], Some(53.2)),
            (&["db;dur=53.2, app;desc=\"x\";dur=47"], Some(100.2)),
            (&["db;dur=53.2", "app;dur=47"], Some(100.2)),
            (&["db;dur=53.2, total;dur=60, app;dur=47"], Some(60.0)),
            (&["db;dur=5", "Total;dur=6;desc=all"], Some(6.0)),
            (&["total;dur=6, total;dur=7"], Some(6.0)),
            (&["total, db;dur=2"], Some(2.0)),
            (&["total;dur=x, db;dur=2"], Some(2.0)),
            (&["cpu;dur=0"], Some(0.0)),
            (&["  a ; Dur = 1e1 ,\tb;DUR=.5"], Some(10.5)),
            (&["a;dur=\"2.5\""], Some(2.5)),
        ] {
            let found = time_ms(values);
            let close = found.zip(expected).is_some_and(|(one, other)| (one - other).abs() < 1e-6);
            assert!(close, "{values:?}: {found:?}");
        }
    }

    #[test]
    fn quoted_strings_hold_anything() {
        assert_eq!(time_ms(&["a;desc=\"x, b;dur=5; dur=7\";dur=1"]), Some(1.0));
        assert_eq!(time_ms(&["a;desc=\"\\\", b;dur=5\";dur=1, c;dur=2"]), Some(3.0));
        assert_eq!(time_ms(&["a;desc=\"\\\\\";dur=1, c;dur=2"]), Some(3.0));
        assert_eq!(time_ms(&["a;dur=1, b;desc=\"never closed, c;dur=5"]), Some(1.0));
    }

    #[test]
    fn what_is_no_duration_is_left_out() {
        for value in [
            "",
            ",;,;=,",
            "cache",
            "cache;desc=hit",
            "a;dur",
            "a;dur=",
            "a;dur=-1",
            "a;dur=NaN",
            "a;dur=inf",
            "a;dur=-inf",
            "a;dur=1e400",
            "a;dur=1e9",
            "a;dur=53ms",
            "a;dur=1,5x",
            "a;duration=5",
            ";dur=5",
            "a;dur=x;dur=5",
            "a;dur=\"",
            "\"a;dur=5",
        ] {
            let found = time_ms(&[value]);
            // A comma ends a metric, whatever follows.
            assert_eq!(found, (value == "a;dur=1,5x").then_some(1.0), "{value}");
        }
        let mut timing = ServerTiming::default();
        timing.take(b"\xff;dur=\xff, \0;dur=1");
        assert_eq!(timing.time(), Nanos(1_000_000));
    }

    #[test]
    fn many_long_durations_are_no_eternity() {
        let value = vec!["a;dur=1e8"; 200_000].join(",");
        assert!(time_ms(&[&value]).is_some());
    }

    /// Pieces of fields, valid and invalid.
    fn piece() -> impl Strategy<Value = Vec<u8>> {
        let words: Vec<&[u8]> = vec![
            &b"total"[..],
            b";dur=",
            b"12.5",
            b",",
            b";",
            b"=",
            b"\"",
            b"\\",
            b" ",
            b"desc",
            b"-",
            b"e7",
            b"NaN",
            b"\xff",
            b"0",
        ];
        prop_oneof![
            proptest::sample::select(words).prop_map(<[u8]>::to_vec),
            prop::collection::vec(any::<u8>(), 0..4),
        ]
    }

    proptest! {
        /// Metrics are found whatever stands beside them.
        #[test]
        fn what_is_written_is_read(
            metrics in prop::collection::vec((0u32..1_000_000, "[ -~]{0,20}", any::<bool>()), 1..9),
            whole in prop::option::of(0u32..1_000_000),
            cut in 0usize..9,
        ) {
            let written = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
            let mut fields: Vec<String> = metrics
                .iter()
                .map(|(us, text, first)| {
                    let (dur, desc) =
                        (format!(";dur={}.{:03}", us / 1000, us % 1000), written(text));
                    let desc = format!(";desc=\"{desc}\"");
                    if *first { format!("m{dur}{desc}") } else { format!("m{desc} {dur}") }
                })
                .collect();
            if let Some(us) = whole {
                fields.push(format!("total;dur={}.{:03}", us / 1000, us % 1000));
            }
            let cut = cut.min(fields.len());
            let mut timing = ServerTiming::default();
            timing.take(fields[..cut].join(", ").as_bytes());
            timing.take(fields[cut..].join(",").as_bytes());
            let sum: u32 = metrics.iter().map(|(us, ..)| us).sum();
            prop_assert_eq!(timing.time(), Nanos(1000 * u64::from(whole.unwrap_or(sum))));
        }

        /// Nothing panics; a time is never negative, nor above the maximum.
        #[test]
        fn anything_is_taken(parts in prop::collection::vec(piece(), 0..60)) {
            let value = parts.concat();
            let mut timing = ServerTiming::default();
            timing.take(&value);
            let time = timing.time();
            prop_assert!(time.is_never() || time.as_secs_f64() <= 1e6 * value.len() as f64);
        }
    }
}
