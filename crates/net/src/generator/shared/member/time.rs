//! The effects of time: unanswered calls fail, and the server receives signs of life.

use thinktime_core::program::{SharedAnswer, SharedFailure};
use thinktime_core::time::Nanos;

use super::{Member, Purpose, State};

/// The shortest time between two checks: very many calls may wait.
const LOOK: Nanos = Nanos(5_000_000);

impl Member {
    /// The time between two signs of life.
    pub(super) fn beat(&self) -> Nanos {
        Nanos(self.settings.lease.0 / 3)
    }

    /// Advances time. Gives the time since which an overdue answer is missing, if any.
    pub(in super::super) fn pass(&mut self, now: Nanos) -> Option<Nanos> {
        let wait = self.settings.wait;
        if now < self.next_look {
            return None;
        }
        self.next_look = now + LOOK;
        self.give_up(now);
        self.script.as_ref()?;
        if let Some(first) = self.sent.front()
            && first.sent + wait < now
        {
            return Some(first.sent);
        }
        if self.next_beat <= now {
            self.next_beat = now + self.beat();
            self.call(now, Purpose::Silent, vec![b"beat".to_vec()]);
            // Once a lease: the previous one may have vanished silently.
            let long = Nanos(2 * self.beat().0);
            let due = self
                .locks
                .iter()
                .filter(|(_, lock)| lock.state == State::Waiting && lock.asked + long < now);
            let due: Vec<u64> = due.map(|(ticket, _)| *ticket).collect();
            for ticket in due {
                self.ask_for(now, ticket);
            }
        }
        None
    }

    /// Fails calls that have waited for too long.
    fn give_up(&mut self, now: Nanos) {
        let wait = self.settings.wait;
        let all = self.sent.iter().chain(&self.unsent);
        let late: Vec<(usize, u64)> = all
            .take_while(|call| call.asked + wait < now)
            .filter_map(|call| match call.purpose {
                Purpose::Get(slot) | Purpose::Tell(slot) | Purpose::Unlock(slot) => {
                    Some((slot, call.id))
                }
                Purpose::Lock(_) | Purpose::Silent => None,
            })
            .collect();
        for (slot, id) in late {
            self.deliver(slot, id, SharedAnswer::Failed(self.silence()));
        }
        if self.script.is_none() {
            let asking = &self.asking;
            self.unsent.retain(|call| match call.purpose {
                Purpose::Get(slot) | Purpose::Tell(slot) | Purpose::Unlock(slot) => {
                    asking.get(&slot) == Some(&call.id)
                }
                Purpose::Lock(_) | Purpose::Silent => true,
            });
        }
        self.give_up_locks(now);
    }

    fn give_up_locks(&mut self, now: Nanos) {
        let (wait, up) = (self.settings.wait, self.script.is_some());
        let since = |lock: &super::Lock| match (lock.state, up) {
            (State::Held, _) | (State::Waiting, true) => now,
            (State::Asking, true) => lock.asked,
            (_, false) => lock.asked.max(self.down_since),
        };
        let late = self.locks.iter().filter(|(_, lock)| since(lock) + wait < now);
        let late: Vec<(u64, usize)> = late.map(|(ticket, lock)| (*ticket, lock.slot)).collect();
        for (ticket, slot) in late {
            self.withdraw(now, ticket);
            self.fail(slot, self.silence());
        }
    }

    fn silence(&self) -> SharedFailure {
        SharedFailure::Unavailable(self.settings.silent.clone())
    }
}
