//! A format behind a prefix.

use std::sync::Arc;

use super::Prefix;
use crate::formats::{Format, Half, Take};
use crate::reason::Reason;
use crate::time::Clock;

/// Lines that have this before them.
#[derive(Debug)]
pub(in crate::formats) struct PrefixChain {
    pub(in crate::formats) prefix: Prefix,
    pub(in crate::formats) inner: Arc<dyn Format>,
}

impl PrefixChain {
    /// Reads what is behind the prefix of a line, whose time is used if that has none.
    fn timed(
        &self,
        line: &[u8],
        clock: &mut Clock,
        mut read_inner: impl FnMut(&mut Clock) -> Result<(), Reason>,
    ) -> Result<(), Reason> {
        let read = read_inner(clock);
        // Few lines have no time of their own: only of these the prefix's time is read.
        if read != Err(Reason::NoTime) || clock.outer.is_some() {
            return read;
        }
        clock.outer = self.prefix.time(line, clock);
        let read = if clock.outer.is_some() { read_inner(clock) } else { read };
        clock.outer = None;
        read
    }
}

impl Format for PrefixChain {
    fn read(&self, line: &[u8], clock: &mut Clock, take: &mut Take<'_>) -> Result<(), Reason> {
        let inner = self.prefix.strip(line).ok_or(Reason::NotThisFormat)?;
        match inner.first() {
            None | Some(b'#') => return Ok(()),
            Some(_) => {}
        }
        self.timed(line, clock, |clock| self.inner.read(&inner, clock, take))
    }

    fn has_halves(&self) -> bool {
        self.inner.has_halves()
    }

    fn half(&self, line: &[u8]) -> Option<Half> {
        let mut half = self.inner.half(&self.prefix.strip(line)?)?;
        half.key.extend_from_slice(self.prefix.source(line));
        Some(half)
    }

    fn join(
        &self,
        begin: &[u8],
        answer: Option<&[u8]>,
        clock: &mut Clock,
        take: &mut Take<'_>,
    ) -> Result<(), Reason> {
        let inner = self.prefix.strip(begin).ok_or(Reason::NotThisFormat)?;
        let answer = answer.and_then(|answer| self.prefix.strip(answer));
        self.timed(begin, clock, |clock| self.inner.join(&inner, answer.as_deref(), clock, take))
    }

    fn unused_fields(&self) -> Vec<String> {
        self.inner.unused_fields()
    }

    fn doubts(&self) -> Vec<String> {
        self.inner.doubts()
    }

    fn unit_open(&self) -> bool {
        self.inner.unit_open()
    }
}
