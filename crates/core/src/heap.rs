//! A four-ary heap: the smallest key first, equal keys in the order of their pushing.
//!
//! Four children a node make the heap half as deep as a binary one, and they lie side by side in
//! memory: fewer cache misses a push and a pop.
//!
//! [`Heap::pop_before_push`] leaves a hole at the top. The push that follows fills it, and sinks
//! from there: one way through the heap instead of two, where a timer is set as soon as another
//! has run out.

/// The priority queue of timers and of waiting jobs.
#[derive(Clone, Debug)]
pub(crate) struct Heap<T> {
    nodes: Vec<Node<T>>,
    pushed: u64,
    /// The first node has been popped; what stands there is void.
    hole: bool,
}

#[derive(Clone, Copy, Debug)]
struct Node<T> {
    key: u64,
    /// Breaks ties, so that the order never depends on the heap's shape.
    order: u64,
    item: T,
}

impl<T> Node<T> {
    /// Key and order as one number, which compares without a branch: which of two comes first is
    /// as good as random, and a processor that guesses it is wrong half of the time.
    #[inline(always)]
    fn rank(&self) -> u128 {
        u128::from(self.key) << 64 | u128::from(self.order)
    }

    #[inline(always)]
    fn before(&self, other: &Node<T>) -> bool {
        self.rank() < other.rank()
    }
}

impl<T: Copy> Heap<T> {
    pub(crate) fn new() -> Heap<T> {
        Heap { nodes: Vec::new(), pushed: 0, hole: false }
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len() - usize::from(self.hole)
    }

    /// The smallest key and its item.
    #[inline]
    pub(crate) fn peek(&self) -> Option<(u64, &T)> {
        let first = if self.hole {
            self.nodes.iter().take(5).skip(1).min_by_key(|node| node.rank())
        } else {
            self.nodes.first()
        };
        first.map(|node| (node.key, &node.item))
    }

    #[inline]
    pub(crate) fn push(&mut self, key: u64, item: T) {
        self.pushed += 1;
        self.push_in_order(key, self.pushed, item);
    }

    /// Pushes with an order of the caller's own among equal keys. Not to be mixed with
    /// [`Heap::push`].
    #[inline]
    pub(crate) fn push_in_order(&mut self, key: u64, order: u64, item: T) {
        let node = Node { key, order, item };
        if self.hole {
            self.hole = false;
            return self.sift_down(node);
        }
        let mut at = self.nodes.len();
        self.nodes.push(node);
        while at > 0 {
            let parent = (at - 1) / 4;
            if !node.before(&self.nodes[parent]) {
                break;
            }
            self.nodes[at] = self.nodes[parent];
            at = parent;
        }
        self.nodes[at] = node;
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<(u64, T)> {
        let first = self.pop_before_push()?;
        self.fill_hole();
        Some(first)
    }

    /// As [`Heap::pop`], at less cost if the next thing done to the heap is a push; at a little
    /// more if it is not.
    #[inline]
    pub(crate) fn pop_before_push(&mut self) -> Option<(u64, T)> {
        self.fill_hole();
        let first = *self.nodes.first()?;
        self.hole = true;
        Some((first.key, first.item))
    }

    #[inline]
    fn fill_hole(&mut self) {
        if self.hole {
            self.hole = false;
            if let Some(last) = self.nodes.pop()
                && !self.nodes.is_empty()
            {
                self.sift_down(last);
            }
        }
    }

    /// Takes any one out, at the least cost.
    #[inline]
    pub(crate) fn pop_any(&mut self) -> Option<(u64, T)> {
        self.fill_hole();
        self.nodes.pop().map(|node| (node.key, node.item))
    }

    /// Takes out the items that are so, at a cost that grows with the number of items.
    pub(crate) fn remove(&mut self, so: impl Fn(&T) -> bool) {
        self.fill_hole();
        let nodes = std::mem::take(&mut self.nodes);
        for node in nodes.into_iter().filter(|node| !so(&node.item)) {
            self.push_in_order(node.key, node.order, node.item);
        }
    }

    /// Puts `node` in the place of the first one and lets it sink.
    fn sift_down(&mut self, node: Node<T>) {
        let length = self.nodes.len();
        let mut at = 0;
        loop {
            let first = 4 * at + 1;
            if first >= length {
                break;
            }
            let child = match self.nodes[first..].first_chunk::<4>() {
                Some([a, b, c, d]) => {
                    let left = usize::from(b.before(a));
                    let right = 2 + usize::from(d.before(c));
                    let of = |at: usize| self.nodes[first + at].rank();
                    first + if of(right) < of(left) { right } else { left }
                }
                None => {
                    let rank = |at: &usize| self.nodes[*at].rank();
                    (first..length).min_by_key(rank).unwrap_or(first)
                }
            };
            if !self.nodes[child].before(&node) {
                break;
            }
            self.nodes[at] = self.nodes[child];
            at = child;
        }
        self.nodes[at] = node;
    }

    /// Changes every key by a function that keeps their order.
    pub(crate) fn map_keys(&mut self, change: impl Fn(u64) -> u64) {
        for node in &mut self.nodes {
            node.key = change(node.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Pops come out as a stable sort would give them, whatever the mix of pushes and pops.
        #[test]
        fn pops_are_a_stable_sort(
            steps in prop::collection::vec((prop::option::of(0u64..20), any::<bool>()), 0..200)
        ) {
            let mut heap = Heap::new();
            let mut model: Vec<(u64, usize)> = Vec::new();
            for (at, (step, push_follows)) in steps.into_iter().enumerate() {
                match step {
                    Some(key) => {
                        heap.push(key, at);
                        model.push((key, at));
                    }
                    None => {
                        model.sort_unstable();
                        let expected = (!model.is_empty()).then(|| model.remove(0));
                        let first = heap.peek().map(|(key, item)| (key, *item));
                        let popped =
                            if push_follows { heap.pop_before_push() } else { heap.pop() };
                        prop_assert_eq!(first, expected);
                        prop_assert_eq!(popped, expected);
                    }
                }
                prop_assert_eq!(heap.len(), model.len());
            }
        }
    }
}
