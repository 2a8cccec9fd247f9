//! A four-ary heap: the smallest key first, equal keys in the order of their pushing.
//!
//! Four children for each node make the heap half as deep as a binary one, and they lie side by
//! side in memory: fewer cache misses for each push and pop.

/// The priority queue of waiting jobs.
///
/// The first node is at the place 3, its children are the group 1, and those of the node at place p
/// are the group p - 2. Empty places hold a node that comes after all others: so a group always has
/// four, and no code need count them.
#[derive(Clone, Debug)]
pub(crate) struct Heap<T> {
    groups: Vec<[Node<T>; 4]>,
    len: usize,
    pushed: u64,
}

/// The place of the first node.
const FIRST: usize = 3;

/// An item with its order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node<T> {
    pub(crate) key: u64,
    /// Breaks ties, so that the order never depends on the heap's shape.
    pub(crate) order: u64,
    pub(crate) item: T,
}

impl<T> Node<T> {
    /// Key and order as one number, which compares without a branch. The outcome of a comparison is
    /// as good as random, and a processor that predicts it is wrong half of the time.
    #[inline(always)]
    pub(crate) fn rank(&self) -> u128 {
        u128::from(self.key) << 64 | u128::from(self.order)
    }

    #[inline(always)]
    pub(crate) fn before(&self, other: &Node<T>) -> bool {
        self.rank() < other.rank()
    }
}

impl<T: Copy> Node<T> {
    /// The content of an empty place: it comes after all others.
    #[inline(always)]
    fn nobody(&self) -> Node<T> {
        Node { key: u64::MAX, order: u64::MAX, item: self.item }
    }
}

impl<T: Copy> Heap<T> {
    pub(crate) fn new() -> Heap<T> {
        Heap { groups: Vec::new(), len: 0, pushed: 0 }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// All nodes, in no order except that the first one comes first.
    #[inline]
    pub(crate) fn nodes(&self) -> &[Node<T>] {
        // Before the first push there is no group, and so no place FIRST.
        self.groups.as_flattened().get(FIRST..FIRST + self.len).unwrap_or_default()
    }

    /// The smallest key and its item.
    #[inline]
    pub(crate) fn peek(&self) -> Option<(u64, &T)> {
        let first = &self.groups.first()?[FIRST];
        (self.len > 0).then_some((first.key, &first.item))
    }

    /// As [`Heap::peek`], with the item's order.
    #[inline(always)]
    pub(crate) fn first(&self) -> Option<&Node<T>> {
        self.groups.first().filter(|_| self.len > 0).map(|group| &group[FIRST])
    }

    /// As [`Heap::peek`], for the item that will be first after the next pop.
    #[inline]
    pub(crate) fn peek_second(&self) -> Option<(u64, &T)> {
        let second = earliest(self.groups.get(1)?).1;
        (self.len > 1).then_some((second.key, &second.item))
    }

    /// Pops the first one and pushes another, in one pass through the heap instead of two.
    #[inline(never)]
    pub(crate) fn replace_first(&mut self, node: Node<T>) {
        self.sift_down(node);
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
        self.push_node(Node { key, order, item });
    }

    #[inline]
    pub(crate) fn push_node(&mut self, node: Node<T>) {
        let mut at = FIRST + self.len;
        if at / 4 == self.groups.len() {
            self.groups.push([node.nobody(); 4]);
        }
        self.len += 1;
        let nodes = self.groups.as_flattened_mut();
        while at > FIRST {
            let parent = at / 4 + 2;
            if !node.before(&nodes[parent]) {
                break;
            }
            nodes[at] = nodes[parent];
            at = parent;
        }
        nodes[at] = node;
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<(u64, T)> {
        self.pop_node().map(|node| (node.key, node.item))
    }

    #[inline]
    pub(crate) fn pop_node(&mut self) -> Option<Node<T>> {
        let first = *self.nodes().first()?;
        let last = self.take_last();
        if self.len > 0 {
            self.sift_down(last);
        }
        Some(first)
    }

    /// Removes an arbitrary item: the one that costs least.
    #[inline]
    pub(crate) fn pop_any(&mut self) -> Option<(u64, T)> {
        let any = self.peek().is_some().then(|| self.take_last())?;
        Some((any.key, any.item))
    }

    /// Removes the node at the last place; the heap must not be empty.
    #[inline]
    fn take_last(&mut self) -> Node<T> {
        self.len -= 1;
        let place = &mut self.groups.as_flattened_mut()[FIRST + self.len];
        let last = *place;
        *place = last.nobody();
        last
    }

    /// The key of an item for which this holds, at a cost that grows with the number of items.
    pub(crate) fn key_of(&self, so: impl Fn(&T) -> bool) -> Option<u64> {
        self.nodes().iter().find(|node| so(&node.item)).map(|node| node.key)
    }

    /// Removes the items for which this holds, at a cost that grows with the number of items.
    pub(crate) fn remove(&mut self, so: impl Fn(&T) -> bool) {
        let left: Vec<Node<T>> =
            self.nodes().iter().filter(|node| !so(&node.item)).copied().collect();
        (self.groups, self.len) = (Vec::new(), 0);
        for node in left {
            self.push_node(node);
        }
    }

    /// Puts `node` in the place of the first one and lets it sink.
    #[inline(always)]
    fn sift_down(&mut self, node: Node<T>) {
        let groups = self.groups.as_mut_slice();
        let mut at = FIRST;
        while let Some(children) = groups.get(at - 2) {
            let (which, child) = earliest(children);
            if !child.before(&node) {
                break;
            }
            let (place, child) = (4 * (at - 2) + which, *child);
            groups.as_flattened_mut()[at] = child;
            at = place;
        }
        groups.as_flattened_mut()[at] = node;
    }

    /// Changes every key by a function that keeps their order.
    pub(crate) fn map_keys(&mut self, change: impl Fn(u64) -> u64) {
        let nodes = self.groups.as_flattened_mut().iter_mut().skip(FIRST).take(self.len);
        nodes.for_each(|node| node.key = change(node.key));
    }
}

/// The first of a group.
#[inline(always)]
fn earliest<T>(group: &[Node<T>; 4]) -> (usize, &Node<T>) {
    let left = usize::from(group[1].before(&group[0]));
    let right = 2 + usize::from(group[3].before(&group[2]));
    // All are below four, and the compiler knows it, so that it need not check.
    let which = if group[right % 4].before(&group[left % 4]) { right } else { left };
    (which % 4, &group[which % 4])
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
