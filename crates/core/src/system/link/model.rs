//! A system file's link, checked.

use thinktime_file::error::{Invalid, unknown};
use thinktime_file::schema::{Scalar, SchemaError};
use thinktime_file::system::LinkTable;
use thinktime_file::units::{Dimension, Quantity, parse_share, parse_time, parse_transfer_rate};
use thinktime_file::workload::Reuse;

use super::window::CongestionControl;
use crate::system::node::NodeModel;
use crate::system::read::{ReadResult, Reading, named};

/// A link, checked.
#[derive(Clone, Debug)]
pub struct LinkModel {
    /// Its name.
    pub name: String,
    /// The travel time of a packet one way, in seconds.
    pub delay_s: f64,
    /// The largest deviation of the delay, in seconds.
    pub jitter_s: f64,
    /// The rate of either direction in bytes a second, and the buffer before it in bytes.
    pub rate: Option<(f64, f64)>,
    /// The probability that a packet is lost.
    pub loss: f64,
    /// The requests that set up a connection; `None` if the workload decides.
    pub connections: Option<Reuse>,
    /// How the window grows and shrinks.
    pub congestion_control: CongestionControl,
    /// Segments before the first acknowledgement.
    pub initial_window: u32,
    /// The bytes of a response in a segment.
    pub segment: u64,
    /// The least margin of a retransmission timeout over a round trip, in seconds.
    pub minimum_timeout_s: f64,
}

/// Headers of IPv4 and TCP with time stamps.
pub(super) const HEADER_BYTES: f64 = 52.0;
/// No time of a link is longer.
const LONGEST_S: f64 = 3600.0;
const SEGMENT_MAX: f64 = 65_536.0;
/// The smallest rate, in bytes a second.
const RATE_MIN: f64 = 125.0;
const LOSS_END: f64 = 0.5;
/// The default size of the buffer: this time at the rate, but at least this many bytes.
const BUFFER_S: f64 = 0.1;
const BUFFER_MIN: f64 = 30_000.0;

const CONTROLS: [(&str, CongestionControl); 2] =
    [("cubic", CongestionControl::Cubic), ("reno", CongestionControl::Reno)];
/// The words of the workload file.
const CONNECTIONS: [(&str, Reuse); 3] = [
    ("keep-alive", Reuse::KeepAlive),
    ("per-session", Reuse::PerSession),
    ("per-request", Reuse::PerRequest),
];

impl LinkModel {
    /// The bytes that it carries at least for messages of this many bytes in the mean: with the
    /// headers of their segments.
    pub(in crate::system) fn on_the_wire(&self, bytes: f64) -> f64 {
        bytes + HEADER_BYTES * (bytes / self.segment as f64).max(1.0)
    }

    fn from_table(table: &LinkTable) -> ReadResult<LinkModel> {
        let delay_s = time("delay", table.delay.as_ref(), 0.0, 0.0)?;
        let jitter_s = time("jitter", table.jitter.as_ref(), 0.0, 0.0)?;
        if jitter_s > delay_s {
            return wrong("jitter", "must be at most the `delay`");
        }
        let segment = size("segment", table.segment.as_ref())?.unwrap_or(1448.0).floor();
        if !(1.0..=SEGMENT_MAX).contains(&segment) {
            return wrong("segment", "must be from 1 B to 64 KiB");
        }
        let initial_window = table.initial_window.unwrap_or(10);
        if !(1..=1000).contains(&initial_window) {
            return wrong("initial_window", "must be from 1 to 1000 segments");
        }
        let control = table.congestion_control.as_ref();
        let control = one_of("congestion_control", control, &CONTROLS)?;
        Ok(LinkModel {
            name: named(&table.name)?,
            delay_s,
            jitter_s,
            rate: rate(table, segment + HEADER_BYTES)?,
            loss: loss(table.loss.as_ref())?,
            connections: one_of("connections", table.connections.as_ref(), &CONNECTIONS)?,
            congestion_control: control.unwrap_or_default(),
            initial_window,
            segment: segment as u64,
            minimum_timeout_s: time("minimum_timeout", table.minimum_timeout.as_ref(), 0.2, 1e-3)?,
        })
    }
}

fn wrong<T>(key: &str, message: impl Into<String>) -> ReadResult<T> {
    Err((key.to_owned(), Invalid::new(message)))
}

/// The meaning of a word.
fn one_of<T: Copy>(key: &str, word: Option<&String>, all: &[(&str, T)]) -> ReadResult<Option<T>> {
    let Some(word) = word else { return Ok(None) };
    match all.iter().find(|(name, _)| name == word) {
        Some((_, meaning)) => Ok(Some(*meaning)),
        None => {
            let what = key.replace('_', " ");
            let error = unknown(&what, word, all.iter().map(|(name, _)| *name));
            Err((key.to_owned(), error))
        }
    }
}

fn time(key: &str, value: Option<&Scalar>, default: f64, least: f64) -> ReadResult<f64> {
    let Some(value) = value else { return Ok(default) };
    let seconds = parse_time(&value.text()).map_err(|error| (key.to_owned(), error))?;
    match seconds {
        _ if seconds > LONGEST_S => wrong(key, "must be at most an hour"),
        _ if seconds < least => wrong(key, "must be at least 1ms"),
        _ => Ok(seconds),
    }
}

fn size(key: &str, value: Option<&Scalar>) -> ReadResult<Option<f64>> {
    let Some(value) = value else { return Ok(None) };
    let parsed = Quantity::parse(&value.text()).and_then(|size| size.expect(Dimension::Size));
    Ok(Some(parsed.map_err(|error| (key.to_owned(), error))?))
}

fn loss(value: Option<&Scalar>) -> ReadResult<f64> {
    let Some(value) = value else { return Ok(0.0) };
    match parse_share(&value.text()) {
        Ok(loss) if loss < LOSS_END => Ok(loss),
        Ok(_) => wrong("loss", "must be below a half, as in loss = \"1%\""),
        Err(error) => Err(("loss".to_owned(), error)),
    }
}

/// The rate with the buffer before it, which has room for at least one packet.
fn rate(table: &LinkTable, packet: f64) -> ReadResult<Option<(f64, f64)>> {
    let buffer = size("buffer", table.buffer.as_ref())?;
    let Some(value) = &table.rate else {
        return match buffer {
            None => Ok(None),
            Some(_) => {
                wrong("buffer", "holds packets that wait for the `rate`, which is not given")
            }
        };
    };
    let rate = parse_transfer_rate(&value.text()).map_err(|error| ("rate".to_owned(), error))?;
    if rate < RATE_MIN {
        return wrong("rate", "must be at least 1kbit/s");
    }
    let buffer = buffer.unwrap_or((BUFFER_S * rate).max(BUFFER_MIN).max(packet));
    if !(packet..=1e12).contains(&buffer) {
        let message =
            format!("must have room for a packet of {packet} bytes, and for 1 TB at most");
        return wrong("buffer", message);
    }
    Ok(Some((rate, buffer)))
}

impl NodeModel for LinkModel {
    fn read(reading: &Reading<'_>) -> Result<Vec<LinkModel>, SchemaError> {
        let name = |one: &LinkModel| one.name.clone();
        reading.all("link", &reading.file.link, LinkModel::from_table, name)
    }

    fn name(&self) -> &str {
        &self.name
    }
}
