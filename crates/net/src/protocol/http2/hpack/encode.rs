//! Writes header blocks.

use super::table::{SIZE_MAX, STATIC, Table};
use crate::protocol::literals::{push_integer, push_string};

/// Whether a field is likely to come again, so that it is worth a place in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Indexing {
    Yes,
    No,
}

/// Writes the header blocks of one connection, one after another.
#[derive(Debug)]
pub(crate) struct Encoder {
    table: Table,
    size: usize,
    /// The smallest size not yet announced to the reader.
    untold: Option<usize>,
}

impl Encoder {
    pub(crate) fn new() -> Encoder {
        Encoder { table: Table::new(), size: SIZE_MAX, untold: None }
    }

    /// Sets the reader's limit of the table, in bytes.
    pub(crate) fn allow(&mut self, size: usize) {
        let size = size.min(SIZE_MAX);
        if size != self.size {
            self.untold = Some(self.untold.map_or(size, |before| before.min(size)));
            self.size = size;
            self.table.resize(size);
        }
    }

    /// Begins a block.
    pub(crate) fn begin(&mut self, block: &mut Vec<u8>) {
        if let Some(smallest) = self.untold.take() {
            push_integer(block, 0x20, 5, smallest);
            if smallest != self.size {
                push_integer(block, 0x20, 5, self.size);
            }
        }
    }

    /// Appends a field. The name is in lower case.
    pub(crate) fn push(&mut self, block: &mut Vec<u8>, name: &str, value: &[u8], keep: Indexing) {
        let mut name_index = 0;
        for (place, (own, own_value)) in STATIC.iter().enumerate() {
            if *own != name {
                continue;
            }
            if own_value.as_bytes() == value && !value.is_empty() {
                return push_integer(block, 0x80, 7, place + 1);
            }
            if name_index == 0 {
                name_index = place + 1;
            }
        }
        if keep == Indexing::Yes
            && let Some(index) = self.table.find(name.as_bytes(), value)
        {
            return push_integer(block, 0x80, 7, index);
        }
        match keep {
            Indexing::Yes => push_integer(block, 0x40, 6, name_index),
            Indexing::No => push_integer(block, 0, 4, name_index),
        }
        if name_index == 0 {
            push_string(block, name.as_bytes());
        }
        push_string(block, value);
        if keep == Indexing::Yes {
            self.table.add(name.as_bytes(), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Decoder;
    use super::*;

    /// RFC 7541, appendix C.4.
    #[test]
    fn the_example_of_the_standard_is_written() {
        let (mut encoder, mut block) = (Encoder::new(), Vec::new());
        for _ in 0..2 {
            block.clear();
            encoder.begin(&mut block);
            for (name, value) in [(":method", "GET"), (":scheme", "http"), (":path", "/")] {
                encoder.push(&mut block, name, value.as_bytes(), Indexing::No);
            }
            encoder.push(&mut block, ":authority", b"www.example.com", Indexing::Yes);
        }
        assert_eq!(block, [0x82, 0x86, 0x84, 0xbe]);
    }

    proptest! {
        /// A reader that follows the changes of size reads the output.
        #[test]
        fn what_is_written_is_read_back(
            blocks in prop::collection::vec((
                prop::option::of(0_usize..5000),
                prop::collection::vec(("[a-z]{1,9}|:path|age", "[ -~]{0,60}", any::<bool>()), 0..6),
            ), 0..20),
        ) {
            let (mut encoder, mut decoder) = (Encoder::new(), Decoder::new());
            for (size, fields) in blocks {
                if let Some(size) = size {
                    encoder.allow(size);
                }
                let mut block = Vec::new();
                encoder.begin(&mut block);
                for (name, value, keep) in &fields {
                    let keep = if *keep { Indexing::Yes } else { Indexing::No };
                    encoder.push(&mut block, name, value.as_bytes(), keep);
                }
                let mut read = Vec::new();
                decoder.read(&block, |name, value| {
                    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
                    read.push((text(name), text(value)));
                }).unwrap();
                let written: Vec<_> =
                    fields.into_iter().map(|(name, value, _)| (name, value)).collect();
                prop_assert_eq!(read, written);
            }
        }
    }
}
