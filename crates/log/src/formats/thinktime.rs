//! The rows of a result of Thinktime's own, `requests.parquet`, which arrives here as text.
//!
//! Times count from the run's start, as if it had begun in 1970. A session is a client with its
//! number as address. A request's name is its path, because rows have no targets. Its population is
//! its host, which gives each request's owner. A page is the base's number in its session; a
//! request of no page is one by itself. Further attempts belong to the same request, and are left
//! out; so are further replications, which overlap the first.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Format, FormatEntry, Take};
use crate::entry::{Entry, Text};
use crate::number::integer;
use crate::reason::Reason;
use crate::source::PARQUET_SEPARATOR;
use crate::time::Clock;
use thinktime_core::time::Nanos;

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "thinktime",
    summary: "requests.parquet of Thinktime's own results",
    source: "docs/results.md",
    example: "",
    argument: None,
    open: |head, _| {
        let Some(header) = head.lines().find(|line| !line.is_empty()) else { return Ok(None) };
        let names: Vec<&[u8]> = header.split(|byte| *byte == PARQUET_SEPARATOR).collect();
        let place = |name: &str| names.iter().position(|own| *own == name.as_bytes());
        let places = NAMES.map(place);
        let optional = OPTIONAL.map(place);
        if places.contains(&None) {
            return Ok(None);
        }
        let places = places.map(Option::unwrap_or_default);
        Ok(Some(Arc::new(Rows { header: header.to_owned(), places, optional }) as Arc<dyn Format>))
    },
};

const NAMES: [&str; 7] =
    ["session", "attempt", "name", "scheduled_ns", "done_ns", "status", "bytes_received"];

/// Columns that older results lack.
const OPTIONAL: [&str; 4] = ["replication", "population", "page", "request"];

/// Rows whose columns of these places have the names above.
#[derive(Debug)]
struct Rows {
    header: Vec<u8>,
    places: [usize; NAMES.len()],
    optional: [Option<usize>; OPTIONAL.len()],
}

impl Format for Rows {
    fn read(&self, line: &[u8], _clock: &mut Clock, take: &mut Take<'_>) -> Result<(), Reason> {
        if line == self.header {
            return Ok(());
        }
        let cells: Vec<&[u8]> = line.split(|byte| *byte == PARQUET_SEPARATOR).collect();
        let cell = |column: usize| cells.get(self.places[column]).copied();
        let number = |column: usize| cell(column).and_then(integer);
        if cell(1).ok_or(Reason::NotThisFormat)? != b"1" {
            return Ok(());
        }
        let optional = self.optional.map(|place| cells.get(place?).copied());
        let [replication, population, page, request] = optional;
        if replication.is_some_and(|number| !matches!(number, b"0" | b"")) {
            return Ok(());
        }
        let scheduled_ns = number(3).ok_or(Reason::NoTime)?;
        let duration = number(4).map(|done_ns| Nanos(done_ns.saturating_sub(scheduled_ns)));
        // A row that is cut short has no name: its path is `/`.
        let name = cell(2).unwrap_or_default();
        let slash: &[u8] = if name.starts_with(b"/") { b"" } else { b"/" };
        let name: Text<'_> = Cow::Owned([slash, name].concat());
        let entry = Entry {
            time_ns: i64::try_from(scheduled_ns).map_err(|_| Reason::ImpossibleDate)?,
            resolution_ns: 1,
            duration,
            address: Cow::Borrowed(cell(0).unwrap_or_default()),
            method: Cow::Borrowed(b"GET"),
            path: name,
            // A single population has no name.
            host: Cow::Borrowed(population.unwrap_or_default()),
            status: number(5).and_then(|status| u16::try_from(status).ok()),
            bytes: number(6),
            page: page_of(page, request),
            ..Entry::default()
        };
        entry.check()?;
        take(&entry);
        Ok(())
    }
}

/// The page of a request: its own if it belongs to none; `None` if the results name no pages.
fn page_of(page: Option<&[u8]>, request: Option<&[u8]>) -> Option<u32> {
    let number = page.and_then(integer).or_else(|| page.and(request).and_then(integer))?;
    u32::try_from(number).ok()
}
