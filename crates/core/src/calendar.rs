//! A calendar queue: the smallest key first, equal keys in the order of their pushing.
//!
//! A heap compares on every level. With many keys, a push here is entered under its day without
//! comparisons. Keys are sorted only within a day, when that day comes (R. Brown, Calendar queues,
//! CACM 31(10), 1988). Keys beyond the last day wait unsorted. When all days are over, these are
//! laid out on new days of a suitable width (as in the rungs of the ladder queue of W. T. Tang, R.
//! S. M. Goh and I. L.-J. Thng, ACM TOMACS 15(3), 2005). So a width that no longer fits is not
//! kept. A key pushed onto the current day is inserted in order, or goes to a heap if that takes
//! too long. So a few keys, or keys that no width suits, cost as much as in a heap.

use self::overflow::{NONE, NOTHING, Overflow};
use crate::heap::{Heap, Node};

mod overflow;
#[cfg(test)]
mod tests;

/// The priority queue of timers.
#[derive(Clone, Debug)]
pub(crate) struct Calendar<T> {
    /// The rest of the days that have come, except for the heap: sorted, and removed before the
    /// place `gone`.
    near: Vec<Node<T>>,
    gone: usize,
    /// Also of the days that have come. Empty, with `near`, only when all is empty.
    heap: Heap<T>,
    /// The first one of the heap was removed: its place is kept for the next push.
    spent: bool,
    /// The first entry of each day's list.
    days: Vec<u32>,
    /// The entries on days to come and beyond, and free places, each in a list.
    entries: Vec<Entry<T>>,
    free: u32,
    far: Overflow,
    /// The beginning of the first day, and the logarithm of a day's width.
    begin: u64,
    shift: u32,
    /// The first day that has not come.
    tomorrow: u64,
    /// The smallest key of all; the greatest number when the queue is empty.
    next: u64,
    pushed: u64,
    /// After this many pushes onto the heap the days are laid out anew.
    patience: usize,
}

/// A node of a list.
#[derive(Clone, Copy, Debug)]
struct Entry<T> {
    key: u64,
    order: u64,
    item: T,
    after: u32,
}

/// A push onto a day that has come goes to the heap when this many are left there, unless it comes
/// after all of them.
const NEAR_MAX: usize = 8;
/// The most days: their lists' beginnings take a quarter of a mebibyte.
const DAYS_MAX: usize = 1 << 16;
/// All days together are 2^5 times as long as the first eighth takes to come. For exponential times
/// this is four to eight times their mean, so that little lies beyond.
const LENGTH_LOG: u32 = 5;

impl<T: Copy> Calendar<T> {
    pub(crate) fn new() -> Calendar<T> {
        Calendar {
            near: Vec::with_capacity(8 * NEAR_MAX),
            gone: 0,
            heap: Heap::new(),
            spent: false,
            days: Vec::new(),
            entries: Vec::new(),
            free: NONE,
            far: NOTHING,
            begin: 0,
            shift: 63,
            tomorrow: u64::MAX,
            next: u64::MAX,
            pushed: 0,
            patience: 0,
        }
    }

    /// The smallest key; the greatest number when the queue is empty.
    #[inline(always)]
    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, key: u64, item: T) {
        self.pushed += 1;
        self.next = self.next.min(key);
        let day = key.saturating_sub(self.begin) >> self.shift;
        if day < self.tomorrow {
            self.push_near(key, item);
        } else if let Some(list) = self.days.get(day as usize) {
            let node = Node { key, order: self.pushed, item };
            self.days[day as usize] = self.enter(node, *list);
        } else {
            self.push_far(key, item);
        }
    }

    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<(u64, T)> {
        if self.heap.len() > 0 {
            return self.pop_near_or_heap();
        }
        let Node { key, item, .. } = *self.near.get(self.gone)?;
        self.gone += 1;
        if let Some(node) = self.near.get(self.gone) {
            self.next = node.key;
        } else {
            self.open_next();
        }
        Some((key, item))
    }

    /// As [`Calendar::pop`], if the heap has an entry.
    #[inline(never)]
    fn pop_near_or_heap(&mut self) -> Option<(u64, T)> {
        self.drop_spent();
        let (first, near) = (self.heap.first(), self.near.get(self.gone));
        self.spent = first.is_some_and(|first| near.is_none_or(|near| first.before(near)));
        let Node { key, item, .. } = *if self.spent { first } else { near }?;
        self.gone += usize::from(!self.spent);
        let heap = if self.spent { self.heap.peek_second() } else { self.heap.peek() };
        let heap = heap.map_or(u64::MAX, |(key, _)| key);
        self.next = self.near.get(self.gone).map_or(heap, |near| heap.min(near.key));
        if self.gone == self.near.len() && self.heap.len() == usize::from(self.spent) {
            self.drop_spent();
            self.open_next();
        }
        Some((key, item))
    }

    #[inline(always)]
    fn drop_spent(&mut self) {
        if self.spent {
            self.spent = false;
            self.heap.pop();
        }
    }

    /// Pushes onto a day that has come.
    #[inline(never)]
    fn push_near(&mut self, key: u64, item: T) {
        let node = Node { key, order: self.pushed, item };
        if self.near.len() == self.near.capacity() && 2 * self.gone >= self.near.len() {
            self.near.drain(..self.gone);
            self.gone = 0;
        }
        // It comes after all with the same key.
        if self.near.last().is_none_or(|last| last.key <= key) {
            self.near.push(node);
        } else if self.near.len() - self.gone < NEAR_MAX {
            let before = self.near[self.gone..].iter().rposition(|node| node.key <= key);
            self.near.insert(before.map_or(self.gone, |before| self.gone + before + 1), node);
        } else {
            self.push_heap(node);
        }
    }

    #[inline(always)]
    fn push_heap(&mut self, node: Node<T>) {
        if self.spent {
            self.spent = false;
            self.heap.replace_first(node);
        } else {
            self.heap.push_node(node);
        }
        if self.patience > 0 {
            self.patience -= 1;
        } else {
            self.lay_out_all();
        }
    }

    #[inline(never)]
    fn push_far(&mut self, key: u64, item: T) {
        let node = Node { key, order: self.pushed, item };
        self.far.list = self.enter(node, self.far.list);
        self.far.count(key);
    }

    /// Puts a node before a list; gives the place.
    #[inline(always)]
    fn enter(&mut self, node: Node<T>, after: u32) -> u32 {
        let Node { key, order, item } = node;
        let entry = Entry { key, order, item, after };
        let at = self.free;
        if let Some(place) = self.entries.get_mut(at as usize) {
            self.free = place.after;
            *place = entry;
            return at;
        }
        self.entries.push(entry);
        self.entries.len() as u32 - 1
    }

    /// When the days that have come are used up, the next day with an entry comes.
    #[inline(always)]
    fn open_next(&mut self) {
        self.near.clear();
        (self.gone, self.next) = (0, u64::MAX);
        if self.tomorrow < u64::MAX {
            self.open_day();
        }
    }

    #[inline(never)]
    fn open_day(&mut self) {
        if !self.take_day() {
            self.lay_out();
            self.take_day();
        }
        self.near.sort_unstable_by_key(Node::rank);
        self.next = self.near.first().map_or(u64::MAX, |node| node.key);
    }

    /// Takes the entries of the next day that has any; says whether there is such a day.
    #[inline]
    fn take_day(&mut self) -> bool {
        // `lay_out` puts `tomorrow` beyond all days if no entry is left for one.
        let days = self.days.get_mut(self.tomorrow as usize..).unwrap_or_default();
        let Some(over) = days.iter().position(|list| *list != NONE) else {
            return false;
        };
        self.tomorrow += over as u64 + 1;
        let list = std::mem::replace(&mut days[over], NONE);
        let (mut at, mut last) = (list, list);
        while let Some(entry) = self.entries.get(at as usize) {
            self.near.push(Node { key: entry.key, order: entry.order, item: entry.item });
            (at, last) = (entry.after, at);
        }
        self.entries[last as usize].after = std::mem::replace(&mut self.free, list);
        true
    }

    /// Lays out days for the far entries; without any, the current day takes all.
    fn lay_out(&mut self) {
        let Overflow { list, len, smallest } = std::mem::replace(&mut self.far, NOTHING);
        if len == 0 {
            (self.tomorrow, self.shift) = (u64::MAX, 63);
            return;
        }
        let days = (2 * len).next_power_of_two().clamp(16, DAYS_MAX);
        self.days.resize(days, NONE);
        let length_log = self.eighth_log(list, len, smallest) + LENGTH_LOG;
        self.shift = length_log.saturating_sub(days.ilog2()).min(63);
        (self.begin, self.tomorrow, self.patience) = (smallest, 0, 8 * len);
        let mut at = list;
        while let Some(entry) = self.entries.get_mut(at as usize) {
            let (this, day) = (at, (entry.key - smallest) >> self.shift);
            at = entry.after;
            let list = if let Some(list) = self.days.get_mut(day as usize) {
                list
            } else {
                self.far.count(entry.key);
                &mut self.far.list
            };
            entry.after = std::mem::replace(list, this);
        }
    }

    /// The logarithm, rounded up, of the distance from the smallest key to the end of a list's
    /// first eighth.
    fn eighth_log(&self, list: u32, len: usize, smallest: u64) -> u32 {
        let (mut counts, mut at) = ([0; 65], list);
        while let Some(entry) = self.entries.get(at as usize) {
            counts[64 - (entry.key - smallest).leading_zeros() as usize] += 1;
            at = entry.after;
        }
        let (mut log, mut so_far) = (0, counts[0]);
        while 8 * so_far < len {
            log += 1;
            so_far += counts[log];
        }
        log as u32
    }

    /// Frequent use of the heap shows that the days are too wide, or were laid out for few entries.
    #[cold]
    fn lay_out_all(&mut self) {
        let heap = std::mem::replace(&mut self.heap, Heap::new());
        self.near.drain(..self.gone);
        self.near.extend_from_slice(heap.nodes());
        while self.take_day() {}
        for node in std::mem::take(&mut self.near) {
            self.far.list = self.enter(node, self.far.list);
            self.far.count(node.key);
        }
        self.gone = 0;
        self.open_day();
    }
}
