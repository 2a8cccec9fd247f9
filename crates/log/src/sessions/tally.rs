//! Counts of values in fine bins: memory that does not grow with their number.

/// Numbers below this have a bin each; above, a bin is at most 1/128 of its value wide.
const EXACT: u64 = 256;
const EXACT_BITS: u32 = EXACT.trailing_zeros();

/// Counts of whole numbers: exact ones up to 255, then in bins whose width is less than 1 % of
/// their values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    counts: Vec<u64>,
    total: u64,
}

/// One bin of a [`Tally`]: values from `low` to below `high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bin {
    /// The smallest value in it.
    pub low: u64,
    /// The first value above it.
    pub high: u64,
    /// How many values are in it.
    pub count: u64,
}

impl Tally {
    /// Counts a value.
    #[inline]
    pub fn add(&mut self, value: u64) {
        let place = place(value);
        if place >= self.counts.len() {
            self.counts.resize(place + 1, 0);
        }
        self.counts[place] += 1;
        self.total += 1;
    }

    /// How many values there are.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The bins that hold anything, in order.
    pub fn bins(&self) -> impl Iterator<Item = Bin> + '_ {
        let filled = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        filled.map(|(place, count)| Bin { low: low(place), high: low(place + 1), count: *count })
    }
}

fn place(value: u64) -> usize {
    let shift = (u64::BITS - value.leading_zeros()).saturating_sub(EXACT_BITS);
    // Above the exact ones, the leading eight bits name the bin; the first of them is always 1.
    ((u64::from(shift) << (EXACT_BITS - 1)) + (value >> shift)) as usize
}

/// The smallest value in the bin at this index.
fn low(place: usize) -> u64 {
    let place = place as u64;
    if place < EXACT {
        return place;
    }
    let shift = (place >> (EXACT_BITS - 1)) - 1;
    let bits = place - (shift << (EXACT_BITS - 1));
    bits.checked_shl(shift as u32).filter(|low| low >> shift == bits).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn small_numbers_are_exact() {
        let mut tally = Tally::default();
        [0, 0, 7, 255].iter().for_each(|value| tally.add(*value));
        let found: Vec<_> = tally.bins().map(|bin| (bin.low, bin.high, bin.count)).collect();
        assert_eq!(found, [(0, 1, 2), (7, 8, 1), (255, 256, 1)]);
    }

    proptest! {
        #[test]
        fn a_value_is_in_its_narrow_bin(value in 0..u64::MAX / 2, shift in 0..62_u32) {
            let value = value >> shift;
            let mut tally = Tally::default();
            tally.add(value);
            let bin = tally.bins().next().unwrap();
            prop_assert!(bin.low <= value && value < bin.high, "{bin:?}");
            prop_assert!(bin.high - bin.low <= (bin.low / 128).max(1), "{bin:?}");
        }

        #[test]
        fn bins_leave_no_gap(place in 0..7000_usize) {
            prop_assert!(low(place) < low(place + 1));
        }
    }
}
