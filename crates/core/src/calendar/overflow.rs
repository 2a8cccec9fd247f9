//! The entries beyond the last day of a calendar.

/// A list in no order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Overflow {
    pub(super) list: u32,
    pub(super) len: usize,
    pub(super) smallest: u64,
}

pub(super) const NOTHING: Overflow = Overflow { list: NONE, len: 0, smallest: u64::MAX };
/// The end of a list.
pub(super) const NONE: u32 = u32::MAX;

impl Overflow {
    #[inline(always)]
    pub(super) fn count(&mut self, key: u64) {
        self.len += 1;
        self.smallest = self.smallest.min(key);
    }
}
