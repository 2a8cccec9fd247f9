//! A queue in a ring whose size is a power of two.
//!
//! The places of its ends are counts that only grow, so that neither end is ever wrapped around: a
//! push and a pop take half the instructions of the standard library's.

/// First in, first out.
#[derive(Clone, Debug)]
pub(crate) struct Ring<T> {
    /// Empty at first, then a power of two.
    items: Vec<T>,
    popped: usize,
    pushed: usize,
}

impl<T: Copy + Default> Ring<T> {
    pub(crate) fn new() -> Ring<T> {
        Ring { items: Vec::new(), popped: 0, pushed: 0 }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.pushed.wrapping_sub(self.popped)
    }

    #[inline(always)]
    pub(crate) fn push_back(&mut self, item: T) {
        if self.len() == self.items.len() {
            self.grow();
        }
        let place = self.place(self.pushed);
        self.items[place] = item;
        self.pushed = self.pushed.wrapping_add(1);
    }

    #[inline(always)]
    pub(crate) fn front(&self) -> Option<&T> {
        if self.pushed == self.popped { None } else { self.items.get(self.place(self.popped)) }
    }

    pub(crate) fn back(&self) -> Option<&T> {
        let last = self.place(self.pushed.wrapping_sub(1));
        self.items.get(last).filter(|_| self.len() > 0)
    }

    /// Removes the first item; there must be one.
    #[inline(always)]
    pub(crate) fn pop_front(&mut self) {
        debug_assert!(self.len() > 0, "nothing to pop");
        self.popped = self.popped.wrapping_add(1);
    }

    #[inline(always)]
    fn place(&self, number: usize) -> usize {
        number & self.items.len().wrapping_sub(1)
    }

    #[cold]
    fn grow(&mut self) {
        let old = std::mem::take(&mut self.items);
        let numbers = self.popped..self.popped.wrapping_add(old.len());
        let in_order = numbers.map(|number| old[number & (old.len() - 1)]);
        let mut items: Vec<T> = in_order.collect();
        (self.popped, self.pushed) = (0, items.len());
        items.resize((2 * items.len()).max(16), T::default());
        self.items = items;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    /// All items, from the first one on.
    fn items(ring: &Ring<usize>) -> impl Iterator<Item = usize> + '_ {
        (0..ring.len()).map(|at| ring.items[ring.place(ring.popped.wrapping_add(at))])
    }

    proptest! {
        /// It equals the queue of the standard library.
        #[test]
        fn it_is_first_in_first_out(
            steps in prop::collection::vec(prop::bool::weighted(0.7), 0..300)
        ) {
            let (mut ring, mut model) = (Ring::new(), VecDeque::new());
            for (at, push) in steps.into_iter().enumerate() {
                if push {
                    ring.push_back(at);
                    model.push_back(at);
                } else if model.pop_front().is_some() {
                    ring.pop_front();
                }
                prop_assert_eq!(ring.front(), model.front());
                prop_assert_eq!(ring.back(), model.back());
                prop_assert_eq!(ring.len(), model.len());
                prop_assert!(items(&ring).eq(model.iter().copied()));
            }
        }
    }
}
