//! A priority queue for waiting lines, which are mostly short: the smallest key first, equal keys
//! in the order of their pushing.

use crate::heap::{Heap, Node};

/// The first items are a sorted list, the others a [`Heap`]. Keeping a short list in order takes
/// about a third of a heap's time.
#[derive(Clone, Debug)]
pub(crate) struct Queue<T> {
    /// The first item stands last. Only an empty queue has an empty list.
    first: Vec<Node<T>>,
    /// All of these come after those.
    others: Heap<T>,
    pushed: u64,
}

/// With more than this many, half of the list goes to the heap.
const FIRST_MAX: usize = 32;

impl<T: Copy> Queue<T> {
    pub(crate) fn new() -> Queue<T> {
        Queue { first: Vec::new(), others: Heap::new(), pushed: 0 }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.first.len() + self.others.len()
    }

    /// The smallest key and its item.
    #[inline]
    pub(crate) fn peek(&self) -> Option<(u64, &T)> {
        self.first.last().map(|node| (node.key, &node.item))
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, key: u64, item: T) {
        self.pushed += 1;
        self.push_in_order(key, self.pushed, item);
    }

    /// Pushes with an order of the caller's own among equal keys. Not to be mixed with
    /// [`Queue::push`].
    #[inline(always)]
    pub(crate) fn push_in_order(&mut self, key: u64, order: u64, item: T) {
        let node = Node { key, order, item };
        if self.others.len() > 0 && !self.first.first().is_some_and(|last| node.before(last)) {
            return self.push_to_others(node);
        }
        self.first.push(node);
        let list = self.first.as_mut_slice();
        let mut at = list.len() - 1;
        while at > 0 && list[at - 1].before(&node) {
            list[at] = list[at - 1];
            at -= 1;
        }
        list[at] = node;
        if list.len() > FIRST_MAX {
            self.shorten();
        }
    }

    /// Out of line: waiting lines are mostly so short that there are no others.
    #[inline(never)]
    fn push_to_others(&mut self, node: Node<T>) {
        self.others.push_node(node);
    }

    #[cold]
    fn shorten(&mut self) {
        let last = self.first.drain(..FIRST_MAX / 2);
        last.for_each(|node| self.others.push_node(node));
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<(u64, T)> {
        let node = self.first.pop()?;
        if self.first.is_empty() && self.others.len() > 0 {
            self.refill();
        }
        Some((node.key, node.item))
    }

    #[cold]
    fn refill(&mut self) {
        let others = &mut self.others;
        self.first.extend(std::iter::from_fn(|| others.pop_node()).take(FIRST_MAX / 2));
        self.first.reverse();
    }

    /// The key of an item for which this holds, at a cost that grows with the number of items.
    pub(crate) fn key_of(&self, so: impl Fn(&T) -> bool) -> Option<u64> {
        let first = self.first.iter().find(|node| so(&node.item)).map(|node| node.key);
        first.or_else(|| self.others.key_of(so))
    }

    /// Removes the items for which this holds, at a cost that grows with the number of items.
    pub(crate) fn remove(&mut self, so: impl Fn(&T) -> bool) {
        self.first.retain(|node| !so(&node.item));
        self.others.remove(so);
        if self.first.is_empty() {
            self.refill();
        }
    }

    /// Changes every key by a function that keeps their order.
    pub(crate) fn map_keys(&mut self, change: impl Fn(u64) -> u64) {
        self.first.iter_mut().for_each(|node| node.key = change(node.key));
        self.others.map_keys(change);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Pops come out as a stable sort would give them, whatever the mix of pushes, pops and
        /// removals, with few and with many.
        #[test]
        fn pops_are_a_stable_sort(
            steps in prop::collection::vec((0u64..50, 0u32..100), 0..400),
            pops in 10u32..60,
        ) {
            let (mut queue, mut model) = (Queue::new(), Vec::<(u64, usize)>::new());
            for (at, (key, what)) in steps.into_iter().enumerate() {
                if what < pops {
                    model.sort_unstable();
                    let expected = (!model.is_empty()).then(|| model.remove(0));
                    prop_assert_eq!(queue.peek().map(|(key, item)| (key, *item)), expected);
                    prop_assert_eq!(queue.pop(), expected);
                } else if what == 99 {
                    queue.remove(|item| item % 3 == 0);
                    model.retain(|(_, item)| item % 3 > 0);
                } else {
                    queue.push(key, at);
                    model.push((key, at));
                }
                prop_assert_eq!(queue.len(), model.len());
            }
        }
    }
}
