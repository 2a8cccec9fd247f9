//! A workload divided among several event loops.

use thinktime_file::time::Nanos;

/// A part of a workload's sessions: every `of`-th one, from number `part` on. A session's actions
/// depend on its number alone, so all shares together are the whole workload, whatever their
/// number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Which share, from 0.
    pub part: u64,
    /// The number of shares, 1 or more.
    pub of: u64,
    /// Sessions that came before this time are left out: another process began them.
    pub from: Nanos,
    /// Requests that count and that another process began before that: they belong to the share's
    /// limit.
    pub begun: u64,
}

impl Share {
    /// All of it.
    pub const WHOLE: Share = Share::new(0, 1);

    /// The share of this number, from 0, of this many; from the start of the run.
    #[must_use]
    pub const fn new(part: u64, of: u64) -> Share {
        Share { part, of, from: Nanos::ZERO, begun: 0 }
    }

    /// The number, within the workload, of this share's `number`-th session, from 0.
    #[inline(always)]
    pub(crate) fn session(self, number: u64) -> u64 {
        number * self.of + self.part
    }

    /// This share's first item of a sequence.
    pub(crate) fn first<T>(self, mut next: impl FnMut() -> T) -> T {
        (0..self.part).fold(next(), |_, _| next())
    }

    /// This share's next item of a sequence.
    #[inline(always)]
    pub(crate) fn next<T>(self, mut next: impl FnMut() -> T) -> T {
        (1..self.of).fold(next(), |_, _| next())
    }

    /// This share of a number; all of [`u64::MAX`], which stands for no limit.
    pub(crate) fn of_number(self, number: u64) -> u64 {
        match number {
            u64::MAX => number,
            _ => number / self.of + u64::from(self.part < number % self.of),
        }
    }

    /// The number of a limit's requests that are left to this share.
    pub(crate) fn of_requests(self, limit: u64) -> u64 {
        match limit {
            u64::MAX => limit,
            _ => self.of_number(limit).saturating_sub(self.begun),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_together_are_the_whole() {
        for of in 1..5 {
            let shares = (0..of).map(|part| Share::new(part, of));
            for number in [0, 1, 7, 100] {
                let parts: u64 = shares.clone().map(|share| share.of_number(number)).sum();
                assert_eq!(parts, number, "{of} shares");
            }
            let mut sessions: Vec<u64> = shares
                .flat_map(|share| (0..share.of_number(20)).map(move |n| share.session(n)))
                .collect();
            sessions.sort_unstable();
            assert_eq!(sessions, (0..20).collect::<Vec<_>>());
        }
        assert_eq!(Share::new(1, 3).of_number(u64::MAX), u64::MAX);
    }
}
