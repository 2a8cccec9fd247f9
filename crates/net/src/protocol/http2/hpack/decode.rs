//! Reads header blocks.

use super::table::{OVERHEAD, SIZE_MAX, Table};
use crate::protocol::http2::{Http2Error, LIST_BYTES_MAX};
use crate::protocol::literals::{take_integer, take_string};

/// Reads the header blocks of one connection, one after another.
#[derive(Debug)]
pub(crate) struct Decoder {
    table: Table,
    name: Vec<u8>,
    value: Vec<u8>,
}

impl Decoder {
    pub(crate) fn new() -> Decoder {
        Decoder { table: Table::new(), name: Vec::new(), value: Vec::new() }
    }

    /// Reads a whole block, and hands each field's name and value to `take`.
    ///
    /// # Errors
    /// If the block cannot be read, or is too large; no later block can be read then either.
    pub(crate) fn read(
        &mut self,
        mut block: &[u8],
        mut take: impl FnMut(&[u8], &[u8]),
    ) -> Result<(), Http2Error> {
        let mut list = 0;
        let mut begun = false;
        while let Some(&first) = block.first() {
            if first & 0xe0 == 0x20 {
                let size = take_integer(&mut block, 5)?;
                if begun || size > SIZE_MAX {
                    return Err(Http2Error::Compression);
                }
                self.table.resize(size);
                continue;
            }
            begun = true;
            let (name, value) = if first & 0x80 != 0 {
                let index = take_integer(&mut block, 7)?;
                self.table.get(index).ok_or(Http2Error::Compression)?
            } else {
                self.literal(first, &mut block)?;
                (&self.name[..], &self.value[..])
            };
            list += name.len() + value.len() + OVERHEAD;
            if list > LIST_BYTES_MAX {
                return Err(Http2Error::HeadTooLarge);
            }
            take(name, value);
        }
        Ok(())
    }

    /// Reads a field whose value at least is a literal, into `name` and `value`.
    fn literal(&mut self, first: u8, block: &mut &[u8]) -> Result<(), Http2Error> {
        let indexed = first & 0x40 != 0;
        let index = take_integer(block, if indexed { 6 } else { 4 })?;
        if index == 0 {
            take_string(block, &mut self.name)?;
        } else {
            let (name, _) = self.table.get(index).ok_or(Http2Error::Compression)?;
            self.name.clear();
            self.name.extend_from_slice(name);
        }
        take_string(block, &mut self.value)?;
        if indexed {
            self.table.add(&self.name, &self.value);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bytes(hex: &str) -> Vec<u8> {
        let digits: Vec<u8> =
            hex.chars().filter_map(|c| c.to_digit(16)).map(|digit| digit as u8).collect();
        digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
    }

    fn fields(decoder: &mut Decoder, block: &[u8]) -> Result<Vec<String>, Http2Error> {
        let mut fields = Vec::new();
        decoder.read(block, |name, value| {
            let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
            fields.push(format!("{}: {}", text(name), text(value)));
        })?;
        Ok(fields)
    }

    /// RFC 7541, appendix C.4 (requests) and C.6 (responses, which push old fields out of a table
    /// of 256 bytes).
    #[test]
    fn the_examples_of_the_standard_are_read() {
        let mut decoder = Decoder::new();
        let first = fields(&mut decoder, &bytes("828684418cf1e3c2e5f23a6ba0ab90f4ff")).unwrap();
        let common = [":method: GET", ":scheme: http", ":path: /", ":authority: www.example.com"];
        assert_eq!(first, common);
        let second = fields(&mut decoder, &bytes("828684be5886a8eb10649cbf")).unwrap();
        assert_eq!((&second[..4], &second[4][..]), (&first[..], "cache-control: no-cache"));
        let third = "828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf";
        let third = fields(&mut decoder, &bytes(third)).unwrap();
        assert_eq!(third[3..], [":authority: www.example.com", "custom-key: custom-value"]);

        let mut decoder = Decoder::new();
        decoder.table.resize(256);
        let blocks = [
            "488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad1718\
             63c78f0b97c8e9ae82ae43d3",
            "4883640effc1c0bf",
            "88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad94e7821dd7f2e6c7\
             b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007",
        ];
        let read: Vec<_> =
            blocks.iter().map(|block| fields(&mut decoder, &bytes(block)).unwrap()).collect();
        assert_eq!(read[0][..2], [":status: 302", "cache-control: private"]);
        assert_eq!(read[1][0], ":status: 307");
        assert_eq!(read[1][3], "location: https://www.example.com");
        let cookie = "set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1";
        assert_eq!((&read[2][0][..], &read[2][5][..]), (":status: 200", cookie));
    }

    #[test]
    fn blocks_that_make_no_sense_are_refused() {
        // Index zero, an index beyond the tables, a size after a field, a size too large, a name
        // without value.
        for block in ["80", "be", "8220", "3fe21f", "4001", "00"] {
            let read = fields(&mut Decoder::new(), &bytes(block));
            assert_eq!(read, Err(Http2Error::Compression), "{block}");
        }
    }

    #[test]
    fn a_small_block_cannot_make_a_large_list() {
        let mut decoder = Decoder::new();
        let mut block = vec![0x40, 1, b'a', 0x7f, 0xa1, 0x1e];
        block.extend([b'x'; 4000]);
        block.extend([0xbe; 1000]);
        assert_eq!(fields(&mut decoder, &block), Err(Http2Error::HeadTooLarge));
    }

    proptest! {
        #[test]
        fn anything_is_read_or_refused(
            blocks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..8),
        ) {
            let mut decoder = Decoder::new();
            for block in &blocks {
                fields(&mut decoder, block).ok();
            }
        }
    }
}
