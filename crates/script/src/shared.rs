//! Variables that all clients share: kept here, or by the driver, which asks a server.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use thinktime_core::program::{
    Shared, SharedAnswer, SharedFailure, SharedOperation, SharedRequest,
};

/// The keeper of shared variables and locks. Sessions are named by their slots.
#[derive(Debug)]
pub(crate) enum Variables {
    Here(Local),
    /// The driver, which takes these requests and reports the answers.
    Outside(VecDeque<SharedRequest>),
}

/// The result of a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    Is(SharedAnswer),
    /// The session waits for the answer.
    Waits,
}

/// Sessions that now have a lock for which they waited, with its token.
pub(crate) type LockGrant = Vec<(usize, u64)>;

impl Variables {
    /// A session's request: its result, and the sessions that have a lock now because of it.
    pub(crate) fn ask(&mut self, slot: usize, operation: SharedOperation) -> (Outcome, LockGrant) {
        match self {
            Variables::Here(local) => local.ask(slot, operation),
            Variables::Outside(wishes) => {
                wishes.push_back(SharedRequest { slot, operation });
                (Outcome::Waits, Vec::new())
            }
        }
    }

    /// The session has left: gives back all its locks; gives the sessions that have them now.
    pub(crate) fn leave(&mut self, slot: usize) -> LockGrant {
        match self {
            Variables::Here(local) => local.leave(slot),
            Variables::Outside(wishes) => {
                wishes.push_back(SharedRequest { slot, operation: SharedOperation::Leave });
                Vec::new()
            }
        }
    }
}

/// Within one process.
#[derive(Debug, Default)]
pub(crate) struct Local {
    values: BTreeMap<String, Shared>,
    locks: BTreeMap<String, Lock>,
    asked: u64,
    /// The last token.
    given: u64,
}

#[derive(Debug)]
struct Lock {
    holder: usize,
    /// (priority, order of asking, slot); a float's bits, flipped below zero, keep its order.
    waiting: BTreeSet<(u64, u64, usize)>,
}

impl Local {
    fn ask(&mut self, slot: usize, operation: SharedOperation) -> (Outcome, LockGrant) {
        let is = |answer| (Outcome::Is(answer), Vec::new());
        match operation {
            SharedOperation::Get(name) => is(SharedAnswer::Value(self.values.get(&name).cloned())),
            SharedOperation::Put(name, value) => {
                match value {
                    Some(value) => self.values.insert(name, value),
                    None => self.values.remove(&name),
                };
                is(SharedAnswer::Done)
            }
            SharedOperation::Add(name, amount) => is(self.add(name, amount)),
            SharedOperation::Lock(name, priority) => (self.lock(&name, slot, priority), Vec::new()),
            SharedOperation::Unlock(name) => match self.unlock(&name, slot) {
                Ok(next) => (Outcome::Is(SharedAnswer::Done), next.into_iter().collect()),
                Err(why) => is(SharedAnswer::Failed(why)),
            },
            SharedOperation::Leave => (Outcome::Is(SharedAnswer::Done), self.leave(slot)),
        }
    }

    fn add(&mut self, name: String, amount: f64) -> SharedAnswer {
        let sum = match self.values.get(&name) {
            None => amount,
            Some(Shared::Number(number)) => number + amount,
            Some(_) => return SharedAnswer::Failed(SharedFailure::NoNumber),
        };
        self.values.insert(name, Shared::Number(sum));
        SharedAnswer::Value(Some(Shared::Number(sum)))
    }

    fn lock(&mut self, name: &str, slot: usize, priority: f64) -> Outcome {
        let Some(lock) = self.locks.get_mut(name) else {
            let lock = Lock { holder: slot, waiting: BTreeSet::new() };
            self.locks.insert(name.to_owned(), lock);
            self.given += 1;
            return Outcome::Is(SharedAnswer::Token(self.given));
        };
        if lock.holder == slot {
            return Outcome::Is(SharedAnswer::Failed(SharedFailure::Held));
        }
        self.asked += 1;
        lock.waiting.insert((ordered(priority), self.asked, slot));
        Outcome::Waits
    }

    /// Gives the lock back, if the session has it; returns the session that has it now.
    fn unlock(&mut self, name: &str, slot: usize) -> Result<Option<(usize, u64)>, SharedFailure> {
        let lock = self.locks.get_mut(name).filter(|lock| lock.holder == slot);
        let lock = lock.ok_or(SharedFailure::NotHeld)?;
        let Some((_, _, next)) = lock.waiting.pop_first() else {
            self.locks.remove(name);
            return Ok(None);
        };
        lock.holder = next;
        self.given += 1;
        Ok(Some((next, self.given)))
    }

    fn leave(&mut self, slot: usize) -> LockGrant {
        let held = self.locks.iter().filter(|(_, lock)| lock.holder == slot);
        let names: Vec<String> = held.map(|(name, _)| name.clone()).collect();
        names.iter().filter_map(|name| self.unlock(name, slot).ok().flatten()).collect()
    }
}

/// A number whose order as an integer is the float's.
fn ordered(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(local: &mut Local, name: &str, slot: usize) -> Option<u64> {
        match local.lock(name, slot, 0.0) {
            Outcome::Is(SharedAnswer::Token(token)) => Some(token),
            _ => None,
        }
    }

    #[test]
    fn locks_go_by_priority_then_by_turn() {
        let mut local = Local::default();
        assert_eq!(token(&mut local, "a", 1), Some(1));
        let held = Outcome::Is(SharedAnswer::Failed(SharedFailure::Held));
        assert_eq!(local.lock("a", 1, 0.0), held);
        for (slot, priority) in [(2, 5.0), (3, -1.0), (4, 5.0), (5, 0.0)] {
            assert_eq!(local.lock("a", slot, priority), Outcome::Waits);
        }
        assert_eq!(local.unlock("a", 7), Err(SharedFailure::NotHeld));
        let mut order = vec![(1, 1)];
        while let Some(next) = local.unlock("a", order[order.len() - 1].0).unwrap() {
            order.push(next);
        }
        assert_eq!(order, [(1, 1), (3, 2), (5, 3), (2, 4), (4, 5)]);
        assert_eq!(token(&mut local, "a", 9), Some(6));
    }

    #[test]
    fn who_leaves_gives_its_locks_back() {
        let mut local = Local::default();
        local.lock("a", 1, 0.0);
        local.lock("b", 1, 0.0);
        local.lock("b", 2, 0.0);
        assert_eq!(local.leave(1), [(2, 3)]);
        assert_eq!(token(&mut local, "a", 3), Some(4));
    }

    #[test]
    fn only_numbers_are_added_to() {
        let mut local = Local::default();
        let sum = |sum| SharedAnswer::Value(Some(Shared::Number(sum)));
        assert_eq!(local.add("n".to_owned(), 2.0), sum(2.0));
        assert_eq!(local.add("n".to_owned(), 0.5), sum(2.5));
        local.ask(0, SharedOperation::Put("n".to_owned(), Some(Shared::Flag(true))));
        let wrong = SharedAnswer::Failed(SharedFailure::NoNumber);
        assert_eq!(local.add("n".to_owned(), 1.0), wrong);
        local.ask(0, SharedOperation::Put("n".to_owned(), None));
        let gone = local.ask(0, SharedOperation::Get("n".to_owned())).0;
        assert_eq!(gone, Outcome::Is(SharedAnswer::Value(None)));
    }

    #[test]
    fn what_is_kept_outside_is_asked_for_in_order() {
        let mut variables = Variables::Outside(VecDeque::new());
        let operation = SharedOperation::Add("n".to_owned(), 1.0);
        assert_eq!(variables.ask(4, operation.clone()).0, Outcome::Waits);
        assert_eq!(variables.leave(4), []);
        let Variables::Outside(wishes) = variables else { panic!() };
        let all: Vec<_> = wishes.into_iter().map(|one| (one.slot, one.operation)).collect();
        assert_eq!(all, [(4, operation), (4, SharedOperation::Leave)]);
    }
}
