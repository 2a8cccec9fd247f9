//! Numbers for recurring texts: targets and users.

use std::hash::{DefaultHasher, Hasher};

/// No number.
const EMPTY: u32 = u32::MAX;

/// Finds the numbers of items by their hashes. The items are kept elsewhere: a number takes 5 to 11
/// bytes here.
#[derive(Clone, Debug, Default)]
struct Index {
    /// Numbers, each at the place of its hash or behind it. The length is a power of two.
    places: Vec<u32>,
    count: u32,
}

impl Index {
    /// The number of the item that has this hash and for which `is` holds; the next number, if
    /// there is no such item.
    fn number(
        &mut self,
        hash: u64,
        is: impl Fn(u32) -> bool,
        hash_of: impl Fn(u32) -> u64,
    ) -> (u32, bool) {
        if self.places.len() * 3 <= (self.count as usize + 1) * 4 {
            self.grow(hash_of);
        }
        let mut place = self.place(hash);
        while self.places[place] != EMPTY {
            if is(self.places[place]) {
                return (self.places[place], false);
            }
            place = (place + 1) & (self.places.len() - 1);
        }
        let fresh = self.count;
        assert!(fresh < EMPTY, "fewer than 2^32 different ones");
        self.places[place] = fresh;
        self.count += 1;
        (fresh, true)
    }

    fn place(&self, hash: u64) -> usize {
        hash as usize & (self.places.len() - 1)
    }

    fn grow(&mut self, hash_of: impl Fn(u32) -> u64) {
        self.places = vec![EMPTY; (self.places.len() * 2).max(16)];
        for number in 0..self.count {
            let mut place = self.place(hash_of(number));
            while self.places[place] != EMPTY {
                place = (place + 1) & (self.places.len() - 1);
            }
            self.places[place] = number;
        }
    }
}

fn hash_of(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

/// Texts in one buffer, each of them once.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    buffer: String,
    ends: Vec<usize>,
    index: Index,
}

impl Texts {
    /// The text's number, from 0 in the order of their first appearance.
    pub(super) fn number(&mut self, text: &str) -> u32 {
        let (buffer, ends) = (&self.buffer, &self.ends);
        let known = |number| part(buffer, ends, number);
        let (number, fresh) = self.index.number(
            hash_of(text.as_bytes()),
            |number| known(number) == text,
            |number| hash_of(known(number).as_bytes()),
        );
        if fresh {
            self.buffer.push_str(text);
            self.ends.push(self.buffer.len());
        }
        number
    }

    /// The text of this number.
    pub(super) fn get(&self, number: u32) -> &str {
        part(&self.buffer, &self.ends, number)
    }

    /// No further text comes.
    pub(super) fn close(&mut self) {
        self.index = Index::default();
        self.buffer.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

fn part<'a>(buffer: &'a str, ends: &[usize], number: u32) -> &'a str {
    let at = number as usize;
    let begin = at.checked_sub(1).map_or(0, |before| ends[before]);
    &buffer[begin..ends[at]]
}

/// Users, each of them once, by their hashes.
#[derive(Clone, Debug, Default)]
pub(super) struct Users {
    names: Vec<u64>,
    index: Index,
}

impl Users {
    /// The user's number, from 0 in the order of their first appearance.
    pub(super) fn number(&mut self, name: u64) -> u32 {
        let names = &self.names;
        let hash = |name: u64| hash_of(&name.to_le_bytes());
        let is = |number: u32| names[number as usize] == name;
        let (number, fresh) =
            self.index.number(hash(name), is, |number| hash(names[number as usize]));
        if fresh {
            self.names.push(name);
        }
        number
    }

    /// The hash of the user of this number.
    pub(super) fn name(&self, number: u32) -> u64 {
        self.names[number as usize]
    }

    /// The number of users.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// No further user comes.
    pub(super) fn close(&mut self) {
        self.index = Index::default();
        self.names.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn texts_keep_their_numbers(texts in prop::collection::vec("[ab/]{0,4}", 0..200)) {
            let (mut known, mut list) = (Texts::default(), Vec::<&String>::new());
            for text in &texts {
                let number = known.number(text) as usize;
                match list.iter().position(|other| *other == text) {
                    Some(place) => prop_assert_eq!(number, place),
                    None => {
                        prop_assert_eq!(number, list.len());
                        list.push(text);
                    }
                }
            }
            known.close();
            for (number, text) in list.iter().enumerate() {
                prop_assert_eq!(known.get(number as u32), text.as_str());
            }
        }
    }

    #[test]
    fn many_users_are_told_apart() {
        let mut users = Users::default();
        for round in 0..2 {
            for user in 0..10_000_u64 {
                assert_eq!(users.number(user << 40), user as u32, "{round}");
            }
        }
        assert_eq!((users.len(), users.name(7)), (10_000, 7 << 40));
    }
}
