//! Requests whose begin and answer have a line each, as Fastify and Rails write them.

use std::sync::Arc;

use super::joiner::{BETWEEN, Joiner};
use super::{Format, Head, Take};
use crate::reason::Reason;
use crate::time::Clock;

const MIXED: &str = "requests of one process overlap, and their lines have no identifier: those \
    that do have no status and no duration; Rails writes one by `config.log_tags = [:request_id]`";

/// A file whose lines are halves of requests. The reading thread joins them, and a line to be read
/// is then a begin, perhaps with its answer behind [`BETWEEN`].
#[derive(Debug)]
pub(super) struct Joined {
    lines: Arc<dyn Format>,
    doubts: Vec<String>,
}

impl Joined {
    /// Of a file with this begin, whose lines are read so.
    pub(super) fn new(lines: Arc<dyn Format>, head: &Head<'_>) -> Joined {
        let mut joiner = Joiner::new(lines.clone());
        joiner.take(head.bytes, &mut Vec::new());
        let mut doubts = lines.doubts();
        doubts.extend(joiner.has_mixed().then(|| MIXED.to_owned()));
        Joined { lines, doubts }
    }
}

impl Format for Joined {
    fn joiner(&self) -> Option<Joiner> {
        Some(Joiner::new(self.lines.clone()))
    }

    fn read(&self, line: &[u8], clock: &mut Clock, take: &mut Take<'_>) -> Result<(), Reason> {
        match memchr::memchr(BETWEEN, line) {
            Some(end) => self.lines.join(&line[..end], Some(&line[end + 1..]), clock, take),
            None => self.lines.read(line, clock, take),
        }
    }

    fn unused_fields(&self) -> Vec<String> {
        self.lines.unused_fields()
    }

    fn doubts(&self) -> Vec<String> {
        self.doubts.clone()
    }

    fn unit_open(&self) -> bool {
        self.lines.unit_open()
    }
}
