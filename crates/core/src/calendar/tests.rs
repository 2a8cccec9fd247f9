//! A calendar is compared with a sorted set.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Pushes and pops, compared with a sorted set; `monotone` pushes nothing before the last popped
/// key.
fn compare(
    steps: Vec<(u32, u64, bool)>,
    scales: (u32, u32),
    monotone: bool,
) -> Result<(), TestCaseError> {
    let (mut calendar, mut model) = (Calendar::new(), BTreeSet::new());
    let mut now = 0u64;
    for (at, (scale, random, pop)) in steps.into_iter().enumerate() {
        if pop {
            let expected = model.pop_first();
            prop_assert_eq!(calendar.pop(), expected);
            now = expected.filter(|_| monotone).map_or(now, |(key, _)| key);
        } else {
            let shift = if scale % 4 > 0 { scales.0 } else { scales.1 };
            let key = now.saturating_add(random.checked_shr(shift).unwrap_or(0));
            calendar.push(key, at);
            model.insert((key, at));
        }
        prop_assert_eq!(calendar.next(), model.first().map_or(u64::MAX, |(key, _)| *key));
    }
    for expected in model {
        prop_assert_eq!(calendar.pop(), Some(expected));
    }
    prop_assert_eq!(calendar.pop(), None);
    Ok(())
}

/// Three fifths are pushes: they become many.
fn steps() -> impl Strategy<Value = Vec<(u32, u64, bool)>> {
    prop::collection::vec((any::<u32>(), any::<u64>(), prop::bool::weighted(0.4)), 0..3000)
}

proptest! {
    /// They come out as a stable sort would give them, whatever the mix of pushes and pops, and
    /// however far apart the keys are: with a shift of 64 they are all the same.
    #[test]
    fn pops_are_a_stable_sort(
        steps in steps(),
        scales in (0u32..=64, 0u32..=64),
        monotone in any::<bool>(),
    ) {
        compare(steps, scales, monotone)?;
    }

    /// So they do in a long balance of pushes and pops: the days are laid out anew again and again.
    #[test]
    fn a_number_that_stays_the_same(
        number in 1usize..200,
        randoms in prop::collection::vec((any::<u32>(), any::<u64>()), 3000),
        scales in (16u32..=64, 16u32..=64),
    ) {
        let held = |at: usize| at > number && at.is_multiple_of(2);
        let steps = randoms.into_iter().enumerate();
        let steps = steps.map(|(at, (scale, random))| (scale, random, held(at)));
        compare(steps.collect(), scales, true)?;
    }
}
