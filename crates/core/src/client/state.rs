//! The readable state of clients.

use thinktime_file::time::Nanos;

use super::Clients;
use crate::attempt::Attempt;

/// The client of an attempt. Its belongings, such as cookies, go by this as long as it is the same
/// client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The session's slot; that of the parent, if the attempt is a child's.
    pub slot: usize,
    /// The session's number.
    pub session: u64,
    /// The number of times that it began again.
    pub turn: u32,
}

impl Clients {
    /// Whether every request is over and no other will begin.
    #[must_use]
    pub fn finished(&self) -> bool {
        self.done() || (self.open == 0 && self.next_wake() >= self.limit.until)
    }

    /// As [`Clients::finished`], but may become true only after the next wake-up: costs nothing.
    #[inline]
    #[must_use]
    pub fn done(&self) -> bool {
        self.closed && self.open == 0
    }

    /// The end of the time in which requests began: the limit's, or the time of the last request if
    /// their number was limited.
    #[must_use]
    pub fn window_end(&self) -> Nanos {
        if self.launched < self.limit.requests && !self.limit.until.is_never() {
            self.limit.until
        } else {
            self.last_launch
        }
    }

    /// Whether no further request will begin.
    #[inline]
    #[must_use]
    pub fn closed(&self) -> bool {
        self.closed
    }

    /// The client of an attempt, while it is in flight.
    #[must_use]
    pub fn owner(&self, attempt: &Attempt) -> Owner {
        let own = self.original(attempt.ticket.slot());
        let slot = self.slots.parent(own).unwrap_or(own);
        let turn = self.slots.get(self.slots.ticket(slot)).turn;
        Owner { slot, session: attempt.session, turn }
    }

    /// The number of sessions that have begun: those that have come, and closed ones. Not those
    /// that were present before the run began.
    #[must_use]
    pub fn sessions_begun(&self) -> u64 {
        self.populations.iter().map(|one| one.sessions_begun - one.left_out).sum()
    }

    /// The number of counted requests that have begun.
    #[must_use]
    pub fn requests_begun(&self) -> u64 {
        self.launched
    }

    /// The number of present sessions: those that think, and those that wait for a response.
    #[must_use]
    pub fn sessions(&self) -> u64 {
        self.slots.number() - self.loading
    }

    /// A session that has left, by its slot and its number; reported only if connections belong to
    /// sessions ([`Reuse::PerSession`](thinktime_file::workload::Reuse)).
    pub fn left(&mut self) -> Option<(usize, u64)> {
        self.slots.left.as_mut()?.pop()
    }

    /// Whether the next event is a session's arrival, not a timer.
    #[must_use]
    pub fn arrival_is_next(&self) -> bool {
        self.arriving && !self.closed && self.next <= self.timers.next()
    }

    /// Whether no action of clients depends on when a response comes: sessions have one request
    /// that is never repeated, without programs or a limit of requests in flight.
    #[must_use]
    pub fn act_without_responses(&self) -> bool {
        let Some(only) = self.populations.only() else { return false };
        only.arrives()
            && only.laws.one_request
            && only.programs.is_none()
            && only.course.is_none()
            && only.limits.concurrency == u64::MAX
            && only.breaker.is_none()
            && self.hedges.is_none()
            && self.kinds.iter().all(|kind| kind.retry.attempts == 1)
    }

    /// Whether there are pages: requests that are followed by others, their objects.
    #[must_use]
    pub fn has_pages(&self) -> bool {
        self.kinds.iter().any(|kind| kind.objects.is_some())
    }

    /// When a request last began.
    #[must_use]
    pub fn last_begun(&self) -> Nanos {
        self.last_launch
    }

    /// The number of requests begun and not over.
    #[must_use]
    pub fn open_requests(&self) -> u64 {
        self.open
    }

    /// The attempts that are waiting for their response, as at the end of an interrupted run.
    pub fn waiting(&self) -> impl Iterator<Item = Attempt> + '_ {
        self.slots.waiting()
    }

    /// The requests that are between two attempts, each as the attempt that would come next.
    pub fn between_attempts(&self, now: Nanos) -> impl Iterator<Item = Attempt> + '_ {
        self.slots.between(now)
    }
}
