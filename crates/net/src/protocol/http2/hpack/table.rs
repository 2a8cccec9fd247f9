//! The tables of fields, RFC 7541 section 2.3 and appendix A.

use std::collections::VecDeque;

/// The default size of the dynamic table, in bytes.
pub(super) const SIZE_MAX: usize = 4096;
/// The overhead of a field in the table besides its name and value, in bytes.
pub(super) const OVERHEAD: usize = 32;

/// The table that never changes; its first index is 1.
pub(super) const STATIC: [(&str, &str); 61] = [
    (":authority", ""),
    (":method", "GET"),
    (":method", "POST"),
    (":path", "/"),
    (":path", "/index.html"),
    (":scheme", "http"),
    (":scheme", "https"),
    (":status", "200"),
    (":status", "204"),
    (":status", "206"),
    (":status", "304"),
    (":status", "400"),
    (":status", "404"),
    (":status", "500"),
    ("accept-charset", ""),
    ("accept-encoding", "gzip, deflate"),
    ("accept-language", ""),
    ("accept-ranges", ""),
    ("accept", ""),
    ("access-control-allow-origin", ""),
    ("age", ""),
    ("allow", ""),
    ("authorization", ""),
    ("cache-control", ""),
    ("content-disposition", ""),
    ("content-encoding", ""),
    ("content-language", ""),
    ("content-length", ""),
    ("content-location", ""),
    ("content-range", ""),
    ("content-type", ""),
    ("cookie", ""),
    ("date", ""),
    ("etag", ""),
    ("expect", ""),
    ("expires", ""),
    ("from", ""),
    ("host", ""),
    ("if-match", ""),
    ("if-modified-since", ""),
    ("if-none-match", ""),
    ("if-range", ""),
    ("if-unmodified-since", ""),
    ("last-modified", ""),
    ("link", ""),
    ("location", ""),
    ("max-forwards", ""),
    ("proxy-authenticate", ""),
    ("proxy-authorization", ""),
    ("range", ""),
    ("referer", ""),
    ("refresh", ""),
    ("retry-after", ""),
    ("server", ""),
    ("set-cookie", ""),
    ("strict-transport-security", ""),
    ("transfer-encoding", ""),
    ("user-agent", ""),
    ("vary", ""),
    ("via", ""),
    ("www-authenticate", ""),
];

/// The last fields, newest first, as far as there is room for them.
#[derive(Debug)]
pub(super) struct Table {
    fields: VecDeque<Field>,
    size: usize,
    most: usize,
}

/// Name and value, one after the other.
#[derive(Debug)]
struct Field {
    text: Box<[u8]>,
    name: usize,
}

impl Table {
    pub(super) fn new() -> Table {
        Table { fields: VecDeque::new(), size: 0, most: SIZE_MAX }
    }

    /// The field of an index, in the static table or this one.
    pub(super) fn get(&self, index: usize) -> Option<(&[u8], &[u8])> {
        let index = index.checked_sub(1)?;
        if let Some((name, value)) = STATIC.get(index) {
            return Some((name.as_bytes(), value.as_bytes()));
        }
        let field = self.fields.get(index - STATIC.len())?;
        Some(field.text.split_at(field.name))
    }

    /// The index of a field that was added.
    pub(super) fn find(&self, name: &[u8], value: &[u8]) -> Option<usize> {
        let same = |field: &Field| field.text.split_at(field.name) == (name, value);
        self.fields.iter().position(same).map(|place| place + STATIC.len() + 1)
    }

    /// Adds a field, and forgets old ones to make room. One that is larger than the whole table
    /// empties it, and is not kept.
    pub(super) fn add(&mut self, name: &[u8], value: &[u8]) {
        let size = name.len() + value.len() + OVERHEAD;
        self.shrink_to(self.most.saturating_sub(size));
        if size <= self.most {
            let text = [name, value].concat().into_boxed_slice();
            self.fields.push_front(Field { text, name: name.len() });
            self.size += size;
        }
    }

    /// Sets the size that the table may have, in bytes.
    pub(super) fn resize(&mut self, most: usize) {
        self.most = most;
        self.shrink_to(most);
    }

    fn shrink_to(&mut self, size: usize) {
        while self.size > size
            && let Some(field) = self.fields.pop_back()
        {
            self.size -= field.text.len() + OVERHEAD;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_fields_make_room_for_new_ones() {
        let mut table = Table::new();
        table.resize(2 * (OVERHEAD + 2));
        for name in ["a", "b", "c"] {
            table.add(name.as_bytes(), b"1");
        }
        assert_eq!(table.get(62), Some((&b"c"[..], &b"1"[..])));
        assert_eq!((table.find(b"b", b"1"), table.find(b"a", b"1")), (Some(63), None));
        assert_eq!((table.get(64), table.get(0)), (None, None));
        table.add(b"large", &[0; 100]);
        assert_eq!((table.get(62), table.size), (None, 0));
    }
}
