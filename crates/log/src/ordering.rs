//! Sorting by numbers, as lists of places.

/// Numbers up to this are counted one by one, with any number of requests.
const COUNTED: usize = 1 << 16;

/// The places of numbers by their size; equal numbers keep their order.
///
/// Counting sort; large and sparse numbers are sorted by their lower and their upper half.
///
/// # Panics
///
/// If there are more than 2^32.
#[must_use]
pub fn order_by_number(numbers: &[u32]) -> Vec<u32> {
    assert!(u32::try_from(numbers.len()).is_ok(), "places are kept in 32 bits");
    let mut order: Vec<u32> = (0..numbers.len() as u32).collect();
    if numbers.is_sorted() {
        return order;
    }
    let most = numbers.iter().max().map_or(0, |number| *number as usize + 1);
    if most <= numbers.len().max(COUNTED) {
        return counted(&order, most, |place| numbers[place as usize] as usize);
    }
    for shift in [0, 16] {
        order =
            counted(&order, COUNTED, |place| (numbers[place as usize] >> shift) as usize & 0xffff);
    }
    order
}

/// Places by a key below `keys`; those of one key keep their order.
fn counted(order: &[u32], keys: usize, key: impl Fn(u32) -> usize) -> Vec<u32> {
    let mut free = vec![0_u32; keys];
    order.iter().for_each(|place| free[key(*place)] += 1);
    let mut before = 0;
    for count in &mut free {
        before += std::mem::replace(count, before);
    }
    let mut sorted = vec![0; order.len()];
    for place in order {
        let next = &mut free[key(*place)];
        sorted[*next as usize] = *place;
        *next += 1;
    }
    sorted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A stable sort.
    fn sorted(numbers: &[u32]) -> Vec<u32> {
        let mut order: Vec<u32> = (0..numbers.len() as u32).collect();
        order.sort_by_key(|place| numbers[*place as usize]);
        order
    }

    proptest! {
        #[test]
        fn numbers_of_any_size_are_put_in_order(
            numbers in prop_oneof![
                prop::collection::vec(0..20_u32, 0..200),
                prop::collection::vec(any::<u32>(), 0..200),
                prop::collection::vec(65_530..65_540_u32, 0..200),
            ],
        ) {
            prop_assert_eq!(order_by_number(&numbers), sorted(&numbers));
        }
    }

    #[test]
    fn numbers_that_rise_stay_where_they_are() {
        assert_eq!(order_by_number(&[0, 0, 3, u32::MAX]), [0, 1, 2, 3]);
    }
}
