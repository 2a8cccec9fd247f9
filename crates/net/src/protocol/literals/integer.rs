//! Integers and strings, RFC 7541 section 5.

use super::{Undecodable, huffman};

/// No integer here is used beyond this.
const INTEGER_MAX: usize = 1 << 24;

/// Takes an integer whose first byte holds `bits` bits of it.
pub(crate) fn take_integer(bytes: &mut &[u8], bits: u32) -> Result<usize, Undecodable> {
    let full = (1_usize << bits) - 1;
    let mut value = usize::from(take_byte(bytes)?) & full;
    if value < full {
        return Ok(value);
    }
    for shift in (0..28).step_by(7) {
        let byte = take_byte(bytes)?;
        value += usize::from(byte & 0x7f) << shift;
        if value > INTEGER_MAX {
            break;
        }
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(Undecodable)
}

fn take_byte(bytes: &mut &[u8]) -> Result<u8, Undecodable> {
    let (&first, rest) = bytes.split_first().ok_or(Undecodable)?;
    *bytes = rest;
    Ok(first)
}

/// Takes a string that has its first byte for itself, and replaces the content of `text`.
pub(crate) fn take_string(bytes: &mut &[u8], text: &mut Vec<u8>) -> Result<(), Undecodable> {
    take_string_of(bytes, 7, text)
}

/// Takes a string whose first byte holds `bits` bits of its length, and before these the flag of
/// the Huffman code.
pub(crate) fn take_string_of(
    bytes: &mut &[u8],
    bits: u32,
    text: &mut Vec<u8>,
) -> Result<(), Undecodable> {
    text.clear();
    let coded = bytes.first().is_some_and(|byte| byte >> bits & 1 != 0);
    let length = take_integer(bytes, bits)?;
    let (own, rest) = bytes.split_at_checked(length).ok_or(Undecodable)?;
    *bytes = rest;
    if coded {
        return huffman::decode(own, text);
    }
    text.extend_from_slice(own);
    Ok(())
}

/// Appends an integer after the bits of `first` that are above its lowest `bits`.
pub(crate) fn push_integer(out: &mut Vec<u8>, first: u8, bits: u32, value: usize) {
    let full = (1_usize << bits) - 1;
    if value < full {
        out.push(first | value as u8);
        return;
    }
    out.push(first | full as u8);
    let mut rest = value - full;
    while rest >= 0x80 {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

/// Appends a string, in the shorter of its two forms.
pub(crate) fn push_string(out: &mut Vec<u8>, text: &[u8]) {
    push_string_after(out, 0, 7, text);
}

/// The same after the bits of `first` that are above the lowest `bits` and one.
pub(crate) fn push_string_after(out: &mut Vec<u8>, first: u8, bits: u32, text: &[u8]) {
    let coded = huffman::coded_bytes(text);
    if coded < text.len() {
        push_integer(out, first | 1 << bits, bits, coded);
        huffman::encode(text, out);
    } else {
        push_integer(out, first, bits, text.len());
        out.extend_from_slice(text);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_examples_of_the_standard_hold() {
        // RFC 7541, appendix C.1.
        for (bits, value, bytes) in
            [(5, 10, &[0x0a][..]), (5, 1337, &[0x1f, 0x9a, 0x0a]), (8, 42, &[0x2a])]
        {
            let mut out = Vec::new();
            push_integer(&mut out, 0, bits, value);
            assert_eq!(out, bytes);
            assert_eq!(take_integer(&mut &out[..], bits), Ok(value));
        }
    }

    #[test]
    fn integers_without_end_or_sense_are_refused() {
        for bytes in [&[][..], &[0x1f], &[0x1f, 0x80], &[0x1f, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]]
        {
            assert_eq!(take_integer(&mut &bytes[..], 5), Err(Undecodable));
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            value in 0..INTEGER_MAX,
            bits in 4_u32..8,
            text in prop::collection::vec(any::<u8>(), 0..200),
        ) {
            let mut out = Vec::new();
            push_integer(&mut out, 0, bits, value);
            push_string(&mut out, &text);
            let (mut rest, mut read) = (&out[..], Vec::new());
            prop_assert_eq!(take_integer(&mut rest, bits), Ok(value));
            prop_assert_eq!(take_string(&mut rest, &mut read), Ok(()));
            prop_assert_eq!(&read, &text);
            prop_assert!(rest.is_empty());
            let mut out = Vec::new();
            push_string_after(&mut out, 0x20, 3, &text);
            let mut rest = &out[..];
            prop_assert_eq!(rest[0] & 0xf0, 0x20);
            prop_assert_eq!(take_string_of(&mut rest, 3, &mut read), Ok(()));
            prop_assert_eq!((&read, rest.len()), (&text, 0));
        }
    }
}
