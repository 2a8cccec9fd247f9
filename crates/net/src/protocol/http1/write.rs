//! Parts of both writers.

/// Appends `Name: value` and the end of the line.
pub(super) fn push_header(out: &mut Vec<u8>, name: &str, value: &[u8]) {
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b": ");
    out.extend_from_slice(value);
    out.extend_from_slice(b"\r\n");
}

/// Appends the Content-Length field for a body of this many bytes.
pub(super) fn push_content_length(out: &mut Vec<u8>, length: usize) {
    out.extend_from_slice(b"Content-Length: ");
    push_decimal(out, length);
    out.extend_from_slice(b"\r\n");
}

/// Appends a number in decimal digits.
pub(super) fn push_decimal(out: &mut Vec<u8>, mut number: usize) {
    const DIGITS: &[u8; 10] = b"0123456789";
    let first = out.len();
    loop {
        out.push(DIGITS[number % 10]);
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out[first..].reverse();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_written_in_full() {
        for number in [0, 9, 10, 1_234_567_890, usize::MAX] {
            let mut out = b"> ".to_vec();
            push_decimal(&mut out, number);
            assert_eq!(out, format!("> {number}").into_bytes());
        }
    }
}
