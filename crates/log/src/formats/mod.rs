//! The formats of access logs.
//!
//! One format is one file plus one line in [`FORMATS`], which gives it its name, its line of help,
//! its detection (whether it reads most of a file's first lines) and its general tests (see
//! `tests.rs`).

mod actix;
mod added;
mod added_time;
mod alb;
mod apache;
mod array;
mod by_values;
mod caddy;
mod choice;
mod cloudfront;
mod clues;
mod column_names;
mod combined;
mod common;
mod csv;
mod dates;
mod dialect;
mod django;
mod elb;
mod envoy;
mod extras;
mod fastly;
mod gcp;
mod gin;
mod haproxy;
mod har;
mod head;
mod host_first;
mod iis;
mod joined;
mod joiner;
mod json;
mod keyed;
mod layout_format;
mod log_order;
mod logfmt;
mod ltsv;
mod meanings;
mod misnomers;
mod nginx;
mod nginx_proxy_manager;
mod one_group;
mod pairs;
mod pino;
mod prefix;
mod rails;
mod s3;
mod scanner;
mod squid;
#[cfg(test)]
pub(crate) mod tests;
mod thinktime;
mod traefik;
mod tree;
mod uvicorn;
mod uwsgi;
mod w3c;
mod worldcup;
mod zeek;

use std::fmt;
use std::sync::Arc;

pub(crate) use choice::{Choice, find};
pub(crate) use head::Head;
pub(crate) use joiner::{Half, Joiner};
use thinktime_core::error::Invalid;

use crate::entry::Entry;
use crate::reason::Reason;
use crate::time::Clock;

/// A format as users see it.
#[derive(Debug)]
pub struct FormatEntry {
    /// Its name in options and reports.
    pub name: &'static str,
    /// The programs that write such logs, in one line.
    pub summary: &'static str,
    /// The address of its description.
    pub source: &'static str,
    /// A part of a log, as text; empty for binary formats.
    pub example: &'static str,
    /// The argument that the user may add after a colon, if any, as in `csv:time=ts,address=ip`.
    pub argument: Option<&'static str>,
    pub(crate) open: Open,
}

/// Makes the reader of a file, given its begin. Returns nothing if the begin lacks the format's own
/// marks, or a necessary argument is missing.
pub(crate) type Open =
    fn(&Head<'_>, &FormatOptions<'_>) -> Result<Option<Arc<dyn Format>>, Invalid>;

/// The user's options for a format.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FormatOptions<'a> {
    /// The text after the format's name.
    pub(crate) argument: Option<&'a str>,
    /// The field that identifies the user.
    pub(crate) user: Option<&'a str>,
}

/// All formats, in the order of detection: stricter ones come first.
pub static FORMATS: &[&FormatEntry] = &[
    &traefik::TEXT,
    &combined::KNOWN,
    &common::KNOWN,
    &apache::KNOWN,
    &nginx::KNOWN,
    &nginx_proxy_manager::KNOWN,
    &gin::KNOWN,
    &django::KNOWN,
    &uvicorn::KNOWN,
    &actix::KNOWN,
    &uwsgi::KNOWN,
    &rails::KNOWN,
    &squid::KNOWN,
    &haproxy::KNOWN,
    &envoy::TEXT,
    &s3::KNOWN,
    &elb::KNOWN,
    &alb::KNOWN,
    &cloudfront::KNOWN,
    &iis::KNOWN,
    &zeek::KNOWN,
    &har::KNOWN,
    &caddy::KNOWN,
    &envoy::JSON,
    &traefik::JSON,
    &fastly::KNOWN,
    &gcp::KNOWN,
    &pino::KNOWN,
    &json::KNOWN,
    &logfmt::HEROKU,
    &logfmt::KNOWN,
    &ltsv::KNOWN,
    &thinktime::KNOWN,
    &csv::PARQUET,
    &csv::KNOWN,
    &worldcup::KNOWN,
];

/// The units into which a file is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Lines.
    Lines,
    /// Records of this many bytes.
    Records(usize),
    /// The whole file.
    Whole,
}

/// Takes entries.
pub(crate) type Take<'t> = dyn FnMut(&Entry<'_>) + 't;

/// Reads one file's lines. It is immutable, so that all threads share it.
pub(crate) trait Format: fmt::Debug + Send + Sync {
    /// How the file is cut.
    fn cut(&self) -> Cut {
        Cut::Lines
    }

    /// Hands over the parts of a file that is cut as a whole, each to be read.
    ///
    /// # Errors
    /// If the file ends within a part, or is damaged from there on.
    fn parts<'a>(&self, file: &'a [u8], each: &mut dyn FnMut(&'a [u8])) -> Result<(), Reason> {
        each(file);
        Ok(())
    }

    /// What joins the lines of a request before they are read, if each of them is a part of one.
    fn joiner(&self) -> Option<Joiner> {
        None
    }

    /// Reads a line, or another part of the file, and hands over its entries: mostly one.
    fn read(&self, line: &[u8], clock: &mut Clock, take: &mut Take<'_>) -> Result<(), Reason>;

    /// The names of unused columns, if columns have names.
    fn unused_fields(&self) -> Vec<String> {
        Vec::new()
    }

    /// What else the lines could mean, in words, with the option that decides.
    fn doubts(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether durations may be in another unit than seconds: neither the format nor the column's
    /// name says.
    fn unit_open(&self) -> bool {
        false
    }

    /// Whether the begin of a request and its answer have a line each.
    fn has_halves(&self) -> bool {
        false
    }

    /// What such a line is; nothing if it is another one.
    fn half(&self, _line: &[u8]) -> Option<Half> {
        None
    }

    /// Reads the line of a request's begin with that of its answer, if this is known.
    fn join(
        &self,
        begin: &[u8],
        _answer: Option<&[u8]>,
        clock: &mut Clock,
        take: &mut Take<'_>,
    ) -> Result<(), Reason> {
        self.read(begin, clock, take)
    }

    /// Whether lines that begin with `#` may change the format of later ones.
    fn has_directives(&self) -> bool {
        false
    }

    /// The reader after a line that begins with `#`, if that changes it.
    fn directive(&self, _line: &[u8]) -> Option<Arc<dyn Format>> {
        None
    }
}
