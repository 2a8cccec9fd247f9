//! `latency.hlog`: response times as an HdrHistogram log, one histogram a request name.

use std::path::Path;
use std::time::Duration;

use hdrhistogram::Histogram;
use hdrhistogram::serialization::interval_log::{
    IntervalLogHistogram, IntervalLogIterator, IntervalLogWriterBuilder, LogEntry,
    LogIteratorError, Tag,
};
use hdrhistogram::serialization::{Deserializer, V2DeflateSerializer};
use thinktime_core::statistics::Tally;

use crate::DataError;

/// The histograms as a log, in nanoseconds, each over the whole measured time and tagged with its
/// request name (blanks and commas become `_`).
///
/// # Errors
/// If a histogram cannot be encoded, in words.
pub(crate) fn log_of<'a>(
    duration_s: f64,
    tallies: impl IntoIterator<Item = (&'a str, &'a Tally)>,
) -> Result<Vec<u8>, String> {
    let fail = |error: &dyn std::fmt::Debug| format!("{error:?}");
    let mut out = Vec::new();
    let mut serializer = V2DeflateSerializer::new();
    let mut builder = IntervalLogWriterBuilder::new();
    builder.add_comment("Response times in nanoseconds, one histogram a request name");
    let mut log =
        builder.begin_log_with(&mut out, &mut serializer).map_err(|error| fail(&error))?;
    let duration = Duration::try_from_secs_f64(duration_s).unwrap_or_default();
    for (name, tally) in tallies {
        let safe: String =
            name.chars().map(|c| if c.is_whitespace() || c == ',' { '_' } else { c }).collect();
        log.write_histogram(&tally.histogram(), Duration::ZERO, duration, Tag::new(&safe))
            .map_err(|error| fail(&error))?;
    }
    Ok(out)
}

/// Reads the log back: (request name, histogram in nanoseconds).
///
/// # Errors
/// If the file cannot be read or is no such log.
pub fn read_log(path: &Path) -> Result<Vec<(String, Histogram<u64>)>, DataError> {
    let bytes = std::fs::read(path).map_err(|error| DataError::new(path, error))?;
    let mut histograms = Vec::new();
    for entry in IntervalLogIterator::new(&bytes) {
        let entry = entry.map_err(|error| DataError::new(path, damaged(&error)))?;
        if let LogEntry::Interval(interval) = entry {
            histograms.push((tag_of(&interval), decode(path, &interval)?));
        }
    }
    Ok(histograms)
}

fn damaged(error: &LogIteratorError) -> String {
    let LogIteratorError::ParseError { offset } = error;
    format!("is damaged at byte {offset}")
}

fn tag_of(interval: &IntervalLogHistogram<'_>) -> String {
    interval.tag().map_or_else(String::new, |tag| tag.as_str().to_owned())
}

fn decode(path: &Path, interval: &IntervalLogHistogram<'_>) -> Result<Histogram<u64>, DataError> {
    use base64::Engine as _;
    let encoded = interval.encoded_histogram();
    let bytes = base64::engine::general_purpose::STANDARD
        .decode(encoded)
        .map_err(|error| DataError::new(path, error))?;
    Deserializer::new()
        .deserialize(&mut bytes.as_slice())
        .map_err(|error| DataError::new(path, format!("{error:?}")))
}
