use proptest::prelude::*;

use super::*;

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        hex.chars().filter_map(|c| c.to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

fn fields(block: &[u8]) -> Result<Vec<(String, String)>, Http3Error> {
    let mut fields = Vec::new();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    decode(block, |name, value| fields.push((text(name), text(value))))?;
    Ok(fields)
}

fn block(fields: &[(&str, &str)]) -> Vec<u8> {
    let mut encoder = Encoder::new();
    for (name, value) in fields {
        encoder.push(name, value.as_bytes());
    }
    encoder.finish().0
}

/// RFC 9204, appendix B.1; the others use a dynamic table.
#[test]
fn the_example_of_the_standard_is_read() {
    let read = fields(&bytes("0000510b2f696e6465782e68746d6c"));
    assert_eq!(read, Ok(vec![(":path".to_owned(), "/index.html".to_owned())]));
    for block in ["03811011", "028010", "0500 80 c1 81"] {
        assert_eq!(fields(&bytes(block)), Err(Http3Error::Decompression), "{block}");
    }
}

#[test]
fn fields_of_the_static_table_are_written_by_their_index() {
    let written = block(&[(":method", "GET"), (":scheme", "https"), (":path", "/")]);
    assert_eq!(written, [0, 0, 0xc0 | 17, 0xc0 | 23, 0xc0 | 1]);
    // Another value than the table's, a name beyond four bits, and an unknown one.
    assert_eq!(block(&[("server", "~")]), [0, 0, 0x5f, 92 - 15, 1, b'~']);
    assert_eq!(block(&[("x-a", "0")]), [0, 0, 0x23, b'x', b'-', b'a', 1, b'0']);
}

#[test]
fn all_entries_of_the_static_table_are_found_and_read() {
    for (place, (name, value)) in STATIC.iter().enumerate() {
        let written = block(&[(name, value)]);
        let mut index = Vec::new();
        push_integer(&mut index, 0xc0, 6, place);
        assert_eq!(written[2..], index, "{name}: {value}");
        assert_eq!(fields(&written), Ok(vec![((*name).to_owned(), (*value).to_owned())]));
    }
}

#[test]
fn blocks_that_make_no_sense_are_refused() {
    // Nothing, half a prefix, a negative base, an index beyond the table, dynamic indices of all
    // kinds, a name without value.
    for block in [
        "",
        "00",
        "0080",
        "0000ff24",
        "000080",
        "000040",
        "000010",
        "000000",
        "000023",
        "0000216161",
    ] {
        assert_eq!(fields(&bytes(block)), Err(Http3Error::Decompression), "{block}");
    }
    assert_eq!(fields(&bytes("0000")), Ok(Vec::new()));
}

#[test]
fn a_small_block_cannot_make_a_large_list() {
    let block = [&[0, 0][..], &[0xc0; 2000]].concat();
    assert_eq!(fields(&block), Err(Http3Error::HeadTooLarge));
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        written in prop::collection::vec(("[a-z-]{1,40}|:path|age|server", "[ -~]{0,200}"), 0..9),
    ) {
        let mut encoder = Encoder::new();
        for (name, value) in &written {
            encoder.push(name, value.as_bytes());
        }
        let (block, list) = encoder.finish();
        let size: usize = written.iter().map(|(name, value)| name.len() + value.len() + 32).sum();
        prop_assert_eq!(list, size as u64);
        prop_assert_eq!(fields(&block), Ok(written));
    }

    #[test]
    fn anything_is_read_or_refused(block in prop::collection::vec(any::<u8>(), 0..200)) {
        fields(&block).ok();
        fields(&[&[0, 0], &block[..]].concat()).ok();
    }
}
