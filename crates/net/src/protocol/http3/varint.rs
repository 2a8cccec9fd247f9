//! Integers of variable length, RFC 9000 section 16.

/// The largest.
const MAX: u64 = (1 << 62) - 1;

/// Takes an integer, if it is complete.
pub(super) fn take(bytes: &mut &[u8]) -> Option<u64> {
    let length = 1 << (bytes.first()? >> 6);
    let (own, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    let value = own.iter().fold(0, |value, byte| value << 8 | u64::from(*byte));
    // The two highest bits of the first byte give its length.
    Some(value & (u64::MAX >> (66 - 8 * length)))
}

/// Appends an integer in its shortest form.
pub(super) fn push(out: &mut Vec<u8>, value: u64) {
    let value = value.min(MAX);
    let (mark, length): (u64, usize) = match value {
        0..0x40 => (0, 1),
        0x40..0x4000 => (1, 2),
        0x4000..0x4000_0000 => (2, 4),
        _ => (3, 8),
    };
    let marked = value | mark << (8 * length - 2);
    out.extend_from_slice(&marked.to_be_bytes()[8 - length..]);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_examples_of_the_standard_hold() {
        // RFC 9000, appendix A.1.
        for (bytes, value) in [
            (&[0xc2, 0x19, 0x7c, 0x5e, 0xff, 0x14, 0xe8, 0x8c][..], 151_288_809_941_952_652),
            (&[0x9d, 0x7f, 0x3e, 0x7d], 494_878_333),
            (&[0x7b, 0xbd], 15_293),
            (&[0x25], 37),
        ] {
            assert_eq!(take(&mut &bytes[..]), Some(value));
            assert_eq!(take(&mut &bytes[..bytes.len() - 1]), None);
            let mut out = Vec::new();
            push(&mut out, value);
            assert_eq!(out, bytes);
        }
        assert_eq!(take(&mut &[0x40, 0x25][..]), Some(37));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(value in 0..=MAX, shift in 0_u32..62) {
            let (value, mut out) = (value >> shift, Vec::new());
            push(&mut out, value);
            let mut rest = &out[..];
            prop_assert_eq!((take(&mut rest), rest.len()), (Some(value), 0));
        }
    }
}
