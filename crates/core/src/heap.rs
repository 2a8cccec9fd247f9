//! A four-ary heap: the smallest key first, equal keys in the order of their pushing.
//!
//! Four children a node make the heap half as deep as a binary one, and they lie side by side in
//! memory: fewer cache misses a push and a pop.

/// The priority queue of timers and of waiting jobs.
#[derive(Clone, Debug)]
pub(crate) struct Heap<T> {
    nodes: Vec<Node<T>>,
    pushed: u64,
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
        Heap { nodes: Vec::new(), pushed: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The smallest key and its item.
    #[inline]
    pub(crate) fn peek(&self) -> Option<(u64, &T)> {
        self.nodes.first().map(|node| (node.key, &node.item))
    }

    /// As [`Heap::peek`], for what will be the first one after the next pop.
    #[inline]
    pub(crate) fn peek_second(&self) -> Option<(u64, &T)> {
        let children = self.nodes.iter().take(5).skip(1);
        children.min_by_key(|node| node.rank()).map(|node| (node.key, &node.item))
    }

    /// Pops the first one and pushes another, by one way through the heap instead of two.
    #[inline]
    pub(crate) fn replace_first(&mut self, key: u64, item: T) {
        self.pushed += 1;
        self.sift_down(Node { key, order: self.pushed, item });
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
        let last = self.nodes.pop()?;
        let Some(first) = self.nodes.first().copied() else { return Some((last.key, last.item)) };
        self.sift_down(last);
        Some((first.key, first.item))
    }

    /// Takes any one out, at the least cost.
    #[inline]
    pub(crate) fn pop_any(&mut self) -> Option<(u64, T)> {
        self.nodes.pop().map(|node| (node.key, node.item))
    }

    /// Takes out the items that are so, at a cost that grows with the number of items.
    pub(crate) fn remove(&mut self, so: impl Fn(&T) -> bool) {
        let nodes = std::mem::take(&mut self.nodes);
        for node in nodes.into_iter().filter(|node| !so(&node.item)) {
            self.push_in_order(node.key, node.order, node.item);
        }
    }

    /// Puts `node` in the place of the first one and lets it sink.
    #[inline]
    fn sift_down(&mut self, node: Node<T>) {
        let nodes = self.nodes.as_mut_slice();
        let mut at = 0;
        // The first of the children; the last group may be smaller than four.
        let mut first = 1;
        while let Some(children) = nodes.get(first..).and_then(<[_]>::first_chunk::<4>) {
            let left = usize::from(children[1].before(&children[0]));
            let right = 2 + usize::from(children[3].before(&children[2]));
            // Both are below four, which the compiler is told, so that it need not look.
            let which = if children[right % 4].before(&children[left % 4]) { right } else { left };
            let child = children[which % 4];
            if !child.before(&node) {
                return nodes[at] = node;
            }
            nodes[at] = child;
            at = first + which;
            first = 4 * at + 1;
        }
        let last = (first..nodes.len()).min_by_key(|child| nodes[*child].rank());
        if let Some(child) = last.filter(|child| nodes[*child].before(&node)) {
            nodes[at] = nodes[child];
            at = child;
        }
        nodes[at] = node;
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
            steps in prop::collection::vec(prop::option::of(0u64..20), 0..200)
        ) {
            let mut heap = Heap::new();
            let mut model: Vec<(u64, usize)> = Vec::new();
            for (at, step) in steps.into_iter().enumerate() {
                match step {
                    Some(key) => {
                        heap.push(key, at);
                        model.push((key, at));
                    }
                    None => {
                        model.sort_unstable();
                        let expected = (!model.is_empty()).then(|| model.remove(0));
                        prop_assert_eq!(heap.pop(), expected);
                    }
                }
                prop_assert_eq!(heap.len(), model.len());
            }
        }
    }
}
