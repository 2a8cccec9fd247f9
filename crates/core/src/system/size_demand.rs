//! Demands that depend on the size of the response: a time, and the transfer.

use thinktime_file::error::Invalid;
use thinktime_file::time::Nanos;
use thinktime_file::units::{Dimension, parse_transfer_rate};

use super::finite_mean::finite_mean;
use crate::distribution::Distribution;
use crate::files::Files;
use crate::random::StreamFamily;
use crate::request::Sizes;

/// A demand such as `0.29ms + size / 12.5MB/s`.
#[derive(Clone, Debug)]
pub struct SizeDemand {
    /// The time of every response, whatever its size, in seconds.
    pub time: Option<Distribution>,
    /// The transfer rate in bytes a second.
    pub bytes_per_s: f64,
}

impl SizeDemand {
    /// Parses the sum of `size / RATE` and perhaps the distribution of a time; `None` if the text
    /// has no `size`.
    pub(super) fn parse(text: &str, files: &dyn Files) -> Result<Option<SizeDemand>, Invalid> {
        let terms = terms(text);
        let rates: Vec<&str> = terms.iter().filter_map(|term| rate_of(term)).collect();
        let times: Vec<&str> = terms.into_iter().filter(|term| rate_of(term).is_none()).collect();
        let (rate, time) = match (rates.as_slice(), times.as_slice()) {
            ([], _) => return Ok(None),
            ([rate], []) => (*rate, None),
            ([rate], [time]) => (*rate, Some(*time)),
            _ => return Err(Invalid::new(format!("`{text}` {USAGE}"))),
        };
        let Some(rate) = rate.trim_start().strip_prefix('/') else {
            return Err(Invalid::new(format!("`{text}` {USAGE}")));
        };
        let time = time.map(|text| Distribution::parse(text, files)?.expect(Dimension::Time));
        let time = time.transpose()?.map(finite_mean).transpose()?;
        Ok(Some(SizeDemand { time, bytes_per_s: parse_transfer_rate(rate)? }))
    }

    /// The demand of one request with a response of this many bytes.
    #[inline]
    pub(super) fn draw(&self, family: StreamFamily, session: u64, serial: u64, size: u64) -> Nanos {
        let time = |law: &Distribution| law.sample(&mut family.substream(session, serial));
        let time = self.time.as_ref().map_or(0.0, time);
        Nanos::from_secs_f64(time + size as f64 / self.bytes_per_s)
    }

    /// The mean in seconds, for responses of these sizes, or for no responses.
    #[must_use]
    pub fn mean(&self, sizes: Option<&Sizes>) -> f64 {
        let time = self.time.as_ref().map_or(0.0, Distribution::mean);
        time + sizes.map_or(0.0, Sizes::mean) / self.bytes_per_s
    }
}

const USAGE: &str = "is not a sum of `size / RATE` and at most one time, as in \
                     0.29ms + size / 12.5MB/s";

/// The text after the word `size`, if a term begins with it.
fn rate_of(term: &str) -> Option<&str> {
    let rest = term.strip_prefix("size")?;
    let word = rest.starts_with(|next: char| next.is_ascii_alphanumeric() || next == '_');
    (!word).then_some(rest)
}

/// The terms of a sum, outside of brackets. A plus of an exponent, as in 1e+3, does not end a term.
fn terms(text: &str) -> Vec<&str> {
    let (mut terms, mut depth, mut begin) = (Vec::new(), 0_i32, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            '+' if depth == 0 && !ends_in_exponent(&text[begin..at]) => {
                terms.push(text[begin..at].trim());
                begin = at + 1;
            }
            _ => {}
        }
    }
    terms.push(text[begin..].trim());
    terms
}

fn ends_in_exponent(text: &str) -> bool {
    let number = text.strip_suffix(['e', 'E']);
    number.is_some_and(|number| number.ends_with(|last: char| last.is_ascii_digit() || last == '.'))
}
