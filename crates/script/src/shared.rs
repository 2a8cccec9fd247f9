//! Variables that all clients share.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

/// The value of a shared variable.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shared {
    Flag(bool),
    Number(f64),
    Text(Vec<u8>),
}

/// Keeps shared variables and locks. Sessions are named by their slots. A server that several
/// machines share can stand behind this as well.
pub(crate) trait SharedVariables: Debug {
    /// The variable's value, if it has one.
    fn get(&self, name: &str) -> Option<Shared>;

    /// Sets it; nothing removes it.
    fn put(&mut self, name: &str, value: Option<Shared>);

    /// Adds to a number, which is 0 where there is none, and gives the sum; nothing where the
    /// variable is no number.
    fn add(&mut self, name: &str, amount: f64) -> Option<f64>;

    /// Asks for the lock; says whether the session has it now. If not, it waits, the smallest
    /// priority first, among equals first come, first served.
    fn lock(&mut self, name: &str, slot: usize, priority: f64) -> Grant;

    /// Gives the lock back, if the session has it; gives the session that has it now. `Err` where
    /// it had none.
    fn unlock(&mut self, name: &str, slot: usize) -> Result<Option<usize>, ()>;

    /// The session has left: gives back all its locks, and those who have them now.
    fn leave(&mut self, slot: usize) -> Vec<usize>;
}

/// What comes of asking for a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grant {
    Given,
    Waits,
    /// The session has it already.
    Held,
}

/// Within one process.
#[derive(Debug, Default)]
pub(crate) struct Local {
    values: BTreeMap<String, Shared>,
    locks: BTreeMap<String, Lock>,
    asked: u64,
}

#[derive(Debug)]
struct Lock {
    holder: usize,
    /// (priority, order of asking, slot); a float's bits, flipped below zero, keep its order.
    waiting: BTreeSet<(u64, u64, usize)>,
}

impl SharedVariables for Local {
    fn get(&self, name: &str) -> Option<Shared> {
        self.values.get(name).cloned()
    }

    fn put(&mut self, name: &str, value: Option<Shared>) {
        match value {
            Some(value) => self.values.insert(name.to_owned(), value),
            None => self.values.remove(name),
        };
    }

    fn add(&mut self, name: &str, amount: f64) -> Option<f64> {
        let sum = match self.values.get(name) {
            None => amount,
            Some(Shared::Number(number)) => number + amount,
            Some(_) => return None,
        };
        self.put(name, Some(Shared::Number(sum)));
        Some(sum)
    }

    fn lock(&mut self, name: &str, slot: usize, priority: f64) -> Grant {
        let Some(lock) = self.locks.get_mut(name) else {
            let lock = Lock { holder: slot, waiting: BTreeSet::new() };
            self.locks.insert(name.to_owned(), lock);
            return Grant::Given;
        };
        if lock.holder == slot {
            return Grant::Held;
        }
        self.asked += 1;
        lock.waiting.insert((ordered(priority), self.asked, slot));
        Grant::Waits
    }

    fn unlock(&mut self, name: &str, slot: usize) -> Result<Option<usize>, ()> {
        let lock = self.locks.get_mut(name).filter(|lock| lock.holder == slot).ok_or(())?;
        let Some((_, _, next)) = lock.waiting.pop_first() else {
            self.locks.remove(name);
            return Ok(None);
        };
        lock.holder = next;
        Ok(Some(next))
    }

    fn leave(&mut self, slot: usize) -> Vec<usize> {
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

    #[test]
    fn locks_go_by_priority_then_by_turn() {
        let mut local = Local::default();
        assert_eq!(local.lock("a", 1, 0.0), Grant::Given);
        assert_eq!(local.lock("a", 1, 0.0), Grant::Held);
        for (slot, priority) in [(2, 5.0), (3, -1.0), (4, 5.0), (5, 0.0)] {
            assert_eq!(local.lock("a", slot, priority), Grant::Waits);
        }
        assert_eq!(local.unlock("a", 7), Err(()));
        let mut order = vec![1];
        while let Some(next) = local.unlock("a", order[order.len() - 1]).unwrap() {
            order.push(next);
        }
        assert_eq!(order, [1, 3, 5, 2, 4]);
        assert_eq!(local.lock("a", 9, 0.0), Grant::Given);
    }

    #[test]
    fn who_leaves_gives_its_locks_back() {
        let mut local = Local::default();
        local.lock("a", 1, 0.0);
        local.lock("b", 1, 0.0);
        local.lock("b", 2, 0.0);
        assert_eq!(local.leave(1), [2]);
        assert_eq!(local.lock("a", 3, 0.0), Grant::Given);
    }

    #[test]
    fn only_numbers_are_added_to() {
        let mut local = Local::default();
        assert_eq!(local.add("n", 2.0), Some(2.0));
        assert_eq!(local.add("n", 0.5), Some(2.5));
        local.put("n", Some(Shared::Flag(true)));
        assert_eq!(local.add("n", 1.0), None);
        local.put("n", None);
        assert_eq!(local.get("n"), None);
    }
}
