//! The Huffman code of strings, RFC 7541 appendix B.
//!
//! The code is canonical: ordered by length and then by symbol, codes count upwards. The lengths
//! are therefore enough.

use super::Undecodable;

/// The length of each symbol's code, in bits; the last is that of the end, which never appears.
#[rustfmt::skip]
const LENGTHS: [u8; 257] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28,
    28, 28, 28, 28, 28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5,
    6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
    7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, 15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
    6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23,
    23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20,
    22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22,
    22, 23, 22, 22, 23, 26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26,
    27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25,
    25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30,
];
const LONGEST: usize = 30;

/// The codes of all symbols.
const CODES: [u32; 257] = codes();
/// The symbols in the order of their codes.
const SYMBOLS: [u16; 257] = symbols();
/// For each length, the first code, and its place in the order of codes.
const FIRST: [(u32, u16); LONGEST + 1] = first();

const fn codes() -> [u32; 257] {
    let mut codes = [0; 257];
    let (mut next, mut length) = (0_u32, 1);
    while length <= LONGEST {
        next <<= 1;
        let mut symbol = 0;
        while symbol < 257 {
            if LENGTHS[symbol] as usize == length {
                codes[symbol] = next;
                next += 1;
            }
            symbol += 1;
        }
        length += 1;
    }
    codes
}

const fn symbols() -> [u16; 257] {
    let mut symbols = [0; 257];
    let (mut place, mut length) = (0, 1);
    while length <= LONGEST {
        let mut symbol = 0;
        while symbol < 257 {
            if LENGTHS[symbol] as usize == length {
                symbols[place] = symbol as u16;
                place += 1;
            }
            symbol += 1;
        }
        length += 1;
    }
    symbols
}

const fn first() -> [(u32, u16); LONGEST + 1] {
    let mut first = [(0, 0); LONGEST + 1];
    let (mut next, mut place, mut length) = (0_u32, 0, 1);
    while length <= LONGEST {
        next <<= 1;
        first[length] = (next, place);
        let mut symbol = 0;
        while symbol < 257 {
            if LENGTHS[symbol] as usize == length {
                next += 1;
                place += 1;
            }
            symbol += 1;
        }
        length += 1;
    }
    first
}

/// The number of codes of each length.
const fn count(length: usize) -> u32 {
    let end = if length < LONGEST { FIRST[length + 1].1 } else { 257 };
    (end - FIRST[length].1) as u32
}

/// Appends the text of a string of codes.
///
/// # Errors
/// If a code is invalid, or the padding is not the beginning of the end symbol, shorter than a
/// byte.
pub(super) fn decode(bytes: &[u8], text: &mut Vec<u8>) -> Result<(), Undecodable> {
    let (mut code, mut length) = (0_u32, 0);
    for &byte in bytes {
        for shift in (0..8).rev() {
            code = code << 1 | u32::from(byte >> shift & 1);
            length += 1;
            if length > LONGEST {
                return Err(Undecodable);
            }
            let (first, place) = FIRST[length];
            let offset = code.wrapping_sub(first);
            if offset >= count(length) {
                continue;
            }
            let symbol = SYMBOLS[usize::from(place) + offset as usize];
            text.push(u8::try_from(symbol).map_err(|_| Undecodable)?);
            (code, length) = (0, 0);
        }
    }
    let all_ones = code == (1 << length) - 1;
    if length < 8 && all_ones { Ok(()) } else { Err(Undecodable) }
}

/// The length of the coded text, in bytes.
pub(super) fn coded_bytes(text: &[u8]) -> usize {
    let bits: usize = text.iter().map(|&byte| usize::from(LENGTHS[usize::from(byte)])).sum();
    bits.div_ceil(8)
}

/// Appends the codes of a text, and ones up to the end of the last byte.
pub(super) fn encode(text: &[u8], out: &mut Vec<u8>) {
    let (mut held, mut bits) = (0_u64, 0_u32);
    for &byte in text {
        let symbol = usize::from(byte);
        let length = u32::from(LENGTHS[symbol]);
        held = held << length | u64::from(CODES[symbol]);
        bits += length;
        while bits >= 8 {
            bits -= 8;
            out.push((held >> bits) as u8);
        }
    }
    if bits > 0 {
        out.push((held << (8 - bits)) as u8 | 0xff >> bits);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decoded(bytes: &[u8]) -> Result<Vec<u8>, Undecodable> {
        let mut text = Vec::new();
        decode(bytes, &mut text).map(|()| text)
    }

    #[test]
    fn the_examples_of_the_standard_hold() {
        // RFC 7541, appendix C.4 and C.6.
        let cases: [(&str, &[u8]); 4] = [
            (
                "www.example.com",
                &[0xf1, 0xe3, 0xc2, 0xe5, 0xf2, 0x3a, 0x6b, 0xa0, 0xab, 0x90, 0xf4, 0xff],
            ),
            ("no-cache", &[0xa8, 0xeb, 0x10, 0x64, 0x9c, 0xbf]),
            ("custom-key", &[0x25, 0xa8, 0x49, 0xe9, 0x5b, 0xa9, 0x7d, 0x7f]),
            ("302", &[0x64, 0x02]),
        ];
        for (text, code) in cases {
            let mut out = Vec::new();
            encode(text.as_bytes(), &mut out);
            assert_eq!(out, code, "{text}");
            assert_eq!(coded_bytes(text.as_bytes()), code.len());
            assert_eq!(decoded(code).as_deref(), Ok(text.as_bytes()));
        }
    }

    #[test]
    fn the_longest_codes_are_those_of_the_standard() {
        // RFC 7541, appendix B.
        assert_eq!((CODES[10], CODES[13], CODES[22]), (0x3fff_fffc, 0x3fff_fffd, 0x3fff_fffe));
        assert_eq!((CODES[256], CODES[usize::from(b'~')]), (0x3fff_ffff, 0x1ffd));
    }

    #[test]
    fn wrong_endings_are_refused() {
        // Too much padding, padding with a zero, the end symbol itself.
        for bytes in [&[0x64, 0x02, 0xff][..], &[0x60], &[0xff, 0xff, 0xff, 0xff]] {
            assert_eq!(decoded(bytes), Err(Undecodable), "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_coded_is_decoded(text in prop::collection::vec(any::<u8>(), 0..300)) {
            let mut out = Vec::new();
            encode(&text, &mut out);
            prop_assert_eq!(out.len(), coded_bytes(&text));
            prop_assert_eq!(decoded(&out), Ok(text));
        }

        #[test]
        fn anything_is_decoded_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            decoded(&bytes).ok();
        }
    }
}
