//! Reads the requests of access logs, for workloads that replay them.

use std::ops::{ControlFlow, Range};
use std::path::Path;

use thinktime_core::error::Invalid;
use thinktime_core::replay::{LogOptions, LogRequest, RequestLog, user_number};
use thinktime_core::time::Nanos;
use thinktime_log::{Entry, LogReader, Options, Source};

/// The identification of users.
#[derive(Clone, Copy, Debug)]
enum UserBy {
    Address,
    AddressAndAgent,
    Field,
}

/// The kept parts of some entries: their texts lie in one buffer.
#[derive(Debug, Default)]
struct Batch {
    digests: Vec<Digest>,
    texts: Vec<u8>,
}

#[derive(Debug)]
struct Digest {
    time_ns: i64,
    resolution_ns: u64,
    duration: Nanos,
    user: u64,
    method: Range<usize>,
    target: Range<usize>,
}

/// Reads the requests of the log at `path`: a file, or several by a pattern.
///
/// # Errors
/// If no such file exists, its format is unknown, or an option is wrong.
pub(crate) fn read(path: &Path, options: &LogOptions) -> Result<RequestLog, Invalid> {
    let (by, field) = match options.user.as_str() {
        "address" => (UserBy::Address, None),
        "agent" => (UserBy::AddressAndAgent, None),
        "field" => (UserBy::Field, None),
        name => (UserBy::Field, Some(name.to_owned())),
    };
    // `-` would be standard input, and a log is read more than once.
    let name = match path.to_string_lossy() {
        name if name == "-" => "./-".to_owned(),
        name => name.into_owned(),
    };
    let failed = |error: thinktime_log::LogError| Invalid::new(error.to_string());
    let sources = Source::expand(std::slice::from_ref(&name)).map_err(failed)?;
    let reader = Options { format: options.format.clone(), user: field, ..Options::default() };
    let reader = LogReader::new(sources, reader)?;
    let mut log = RequestLog::new(options);
    let report = reader.run(
        |entry, batch: &mut Batch| batch.add(entry, by),
        |batch| batch.empty_into(&mut log),
        |_| ControlFlow::Continue(()),
    );
    let report = report.map_err(|error| match options.format {
        Some(_) => failed(error),
        None => Invalid::new(format!("{error} (if it is a column of times, say format=times)")),
    })?;
    log.add_unreadable(report.bad_lines());
    Ok(log.of_file(&name))
}

impl Batch {
    fn add(&mut self, entry: &Entry<'_>, by: UserBy) {
        let user = match by {
            UserBy::Field if !entry.user.is_empty() => user_number(&[&entry.user]),
            UserBy::Address | UserBy::Field => user_number(&[&entry.address]),
            UserBy::AddressAndAgent => user_number(&[&entry.address, &entry.agent]),
        };
        let begin = self.texts.len();
        // A table of requests need not have methods.
        let told = !entry.method.is_empty() || !entry.path.starts_with(b"/");
        self.texts.extend_from_slice(if told { &entry.method } else { b"GET" });
        let middle = self.texts.len();
        self.texts.extend_from_slice(&entry.path);
        if !entry.query.is_empty() {
            self.texts.push(b'?');
            self.texts.extend_from_slice(&entry.query);
        }
        self.digests.push(Digest {
            time_ns: entry.time_ns,
            resolution_ns: entry.resolution_ns,
            duration: entry.duration.unwrap_or(Nanos::ZERO),
            user,
            method: begin..middle,
            target: middle..self.texts.len(),
        });
    }

    fn empty_into(&mut self, log: &mut RequestLog) {
        for Digest { time_ns, resolution_ns, duration, user, method, target } in
            self.digests.drain(..)
        {
            let (method, target) = (&self.texts[method], &self.texts[target]);
            log.add(&LogRequest { time_ns, resolution_ns, duration, user, method, target });
        }
        self.texts.clear();
    }
}
