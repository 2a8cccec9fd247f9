//! A set of objects of bounded size in bytes, which forgets the least recently used ones.

/// The end of the list; no object has this number.
const NOBODY: u32 = u32::MAX;

/// A byte-bounded set of objects that forgets the least recently used ones.
///
/// Objects are numbers, preferably small: memory is kept for all up to the largest one seen. Each
/// request costs a constant time, plus a constant time for each object that is evicted.
#[derive(Clone, Debug)]
pub struct Lru {
    capacity: u64,
    bytes: u64,
    /// The most recently used object, and the least recently used one.
    newest: u32,
    oldest: u32,
    objects: Vec<Object>,
}

/// An object and its neighbours in the order of use.
#[derive(Clone, Copy, Debug)]
struct Object {
    newer: u32,
    older: u32,
    /// `None` while it is not in the set.
    size: Option<u64>,
}

impl Lru {
    /// An empty set of at most this many bytes.
    #[must_use]
    pub fn new(capacity: u64) -> Lru {
        Lru { capacity, bytes: 0, newest: NOBODY, oldest: NOBODY, objects: Vec::new() }
    }

    /// A request for an object of this size; says whether it was in the set. Afterwards it is the
    /// most recently used one. An object larger than the whole set is not kept. An object of a new
    /// size counts as present, and has that size from now on.
    ///
    /// # Panics
    /// When the object's number is 2^32 - 1.
    #[inline]
    pub fn ask(&mut self, object: u32, size: u64) -> bool {
        assert!(object != NOBODY, "objects are numbers below 2^32 - 1");
        let place = object as usize;
        if place >= self.objects.len() {
            self.objects.resize(place + 1, Object { newer: NOBODY, older: NOBODY, size: None });
        }
        let known = self.objects[place].size;
        if known == Some(size) && self.newest == object {
            return true;
        }
        if known.is_some() {
            self.forget(object);
        }
        if size <= self.capacity {
            while self.capacity - self.bytes < size {
                self.forget(self.oldest);
            }
            self.keep(object, size);
        }
        known.is_some()
    }

    /// The bytes of all objects in the set.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether an object is in the set.
    #[must_use]
    pub fn has(&self, object: u32) -> bool {
        self.objects.get(object as usize).is_some_and(|known| known.size.is_some())
    }

    fn keep(&mut self, object: u32, size: u64) {
        self.objects[object as usize] =
            Object { newer: NOBODY, older: self.newest, size: Some(size) };
        match self.newest {
            NOBODY => self.oldest = object,
            before => self.objects[before as usize].newer = object,
        }
        self.newest = object;
        self.bytes += size;
    }

    fn forget(&mut self, object: u32) {
        let Object { newer, older, size } = self.objects[object as usize];
        match newer {
            NOBODY => self.newest = older,
            other => self.objects[other as usize].older = older,
        }
        match older {
            NOBODY => self.oldest = newer,
            other => self.objects[other as usize].newer = newer,
        }
        self.objects[object as usize].size = None;
        self.bytes -= size.unwrap_or(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Stream};

    #[test]
    fn the_least_recently_used_goes() {
        let mut set = Lru::new(30);
        let asked: Vec<bool> =
            [1, 2, 3, 1, 4, 2, 1].iter().map(|&object| set.ask(object, 10)).collect();
        assert_eq!(asked, [false, false, false, true, false, false, true]);
        assert_eq!((set.has(1), set.has(2), set.has(3), set.has(4)), (true, true, false, true));
        assert_eq!(set.bytes(), 30);
    }

    #[test]
    fn what_is_larger_than_the_set_is_not_kept_and_drives_nobody_out() {
        let mut set = Lru::new(30);
        assert!(!set.ask(0, 20));
        assert!(!set.ask(1, 31));
        assert!(!set.ask(1, 31));
        assert!(set.ask(0, 20));
        // An object that has grown beyond the set was present, and no longer is.
        assert!(set.ask(0, 40));
        assert!(!set.ask(0, 20));
    }

    #[test]
    fn a_set_of_nothing_holds_only_what_is_empty() {
        let mut set = Lru::new(0);
        assert_eq!(
            [set.ask(5, 1), set.ask(5, 1), set.ask(6, 0), set.ask(6, 0)],
            [false, false, false, true]
        );
    }

    /// Compares with a list that is searched from its beginning.
    #[test]
    fn it_does_what_a_plain_list_does() {
        for capacity in [1, 40, 300, 2000] {
            let mut set = Lru::new(capacity);
            let mut plain: Vec<(u32, u64)> = Vec::new();
            let mut draw = Stream::new(7, capacity, Purpose::Target);
            for _ in 0..20_000 {
                let object = (draw.uniform().powi(3) * 200.0) as u32;
                // A few change their size now and then.
                let size = u64::from(object % 23) + u64::from(draw.uniform() < 0.01);
                let place = plain.iter().position(|&(other, _)| other == object);
                if let Some(place) = place {
                    plain.remove(place);
                }
                if size <= capacity {
                    plain.insert(0, (object, size));
                }
                while plain.iter().map(|&(_, size)| size).sum::<u64>() > capacity {
                    plain.pop();
                }
                assert_eq!(set.ask(object, size), place.is_some());
                assert_eq!(set.bytes(), plain.iter().map(|&(_, size)| size).sum::<u64>());
            }
            assert!((0..200).all(|object| set.has(object) == plain.iter().any(|o| o.0 == object)));
        }
    }
}
