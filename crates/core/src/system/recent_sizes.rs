//! Sizes of recent targets: a size is drawn from its target each time, which costs more than a
//! lookup, and popular targets recur.

use crate::request::Sizes;

/// A table in which each target has one place, which the next target of that place takes over.
#[derive(Clone, Debug, Default)]
pub(super) struct RecentSizes {
    /// Empty until the first lookup of a size.
    places: Vec<Known>,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    /// The request's kind: several may have the same target, and each has a law of its own.
    kind: u32,
    target: u64,
    size: u64,
}

/// A power of two; 192 KiB of memory, which fits a core's own cache.
const PLACES: usize = 8192;
const NOTHING: Known = Known { kind: u32::MAX, target: 0, size: 0 };

impl RecentSizes {
    /// The size of the response to the target of this key, of a request of this kind, in bytes.
    #[inline]
    pub(super) fn of(&mut self, kind: u32, target: u64, sizes: &Sizes) -> u64 {
        if self.places.is_empty() {
            self.places = vec![NOTHING; PLACES];
        }
        // The key is a hash whose last bits are its best.
        let known = &mut self.places[target as usize % PLACES];
        if (known.kind, known.target) != (kind, target) {
            *known = Known { kind, target, size: sizes.of_key(target) };
        }
        known.size
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::NoFiles;
    use crate::workload::Workload;
    use thinktime_file::schema::Source;

    #[test]
    fn what_is_known_is_what_is_drawn() {
        let request = |name: &str| {
            format!("[[request]]\nname = '{name}'\nget = '/a'\nsize = 'uniform(0, 1e9)'\n")
        };
        let text = format!(
            "name = 'w'\n[arrivals]\nmodel = 'open'\nrate = 1\n{}{}",
            request("a"),
            request("b").replace("1e9", "1e6")
        );
        let workload = Workload::parse(Source { file: "", text: &text }, &NoFiles).unwrap();
        let sizes = |kind: usize| workload.requests[kind].size.as_ref().unwrap();
        let mut known = RecentSizes::default();
        // Twice as many keys as places, so that each place is taken over; each key comes a second
        // time at once.
        for target in (0..2 * PLACES as u64).flat_map(|target| [target, target]) {
            for kind in [0, 1, 0] {
                let size = known.of(kind as u32, target, sizes(kind));
                assert_eq!(size, sizes(kind).of_key(target));
            }
        }
    }
}
