//! The end of a server's response: two programs must not read it differently (RFC 9112, section
//! 6.3). hyper follows one reading of several, and none of a response to HEAD.

use hyper::HeaderMap;
use hyper::header::{CONTENT_LENGTH, HeaderValue, TRANSFER_ENCODING};

/// Whether the fields of a response agree. Equal lengths become one.
pub(crate) fn is_clear(fields: &mut HeaderMap) -> bool {
    let mut codings = fields.get_all(TRANSFER_ENCODING).iter();
    if let Some(coding) = codings.next() {
        let chunked = coding.as_bytes().eq_ignore_ascii_case(b"chunked");
        return chunked && codings.next().is_none() && !fields.contains_key(CONTENT_LENGTH);
    }
    let mut lengths = fields.get_all(CONTENT_LENGTH).iter();
    let Some(length) = lengths.next().cloned() else { return true };
    let clear = is_length(&length) && lengths.all(|other| other == length);
    if clear {
        fields.insert(CONTENT_LENGTH, length);
    }
    clear
}

/// Whether a `Content-Length` is one number of bytes.
pub(crate) fn is_length(value: &HeaderValue) -> bool {
    let digits = value.as_bytes();
    let text = value.to_str().ok().filter(|_| digits.iter().all(u8::is_ascii_digit));
    text.is_some_and(|text| text.parse::<u64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clear(given: &[(&'static str, &'static str)]) -> bool {
        let mut fields = HeaderMap::new();
        for (name, value) in given {
            fields.append(*name, HeaderValue::from_static(value));
        }
        let clear = is_clear(&mut fields);
        assert!(!clear || fields.get_all(CONTENT_LENGTH).iter().count() <= 1);
        clear
    }

    #[test]
    fn lengths_and_codings_that_can_be_read_two_ways_are_not_clear() {
        assert!(clear(&[]));
        assert!(clear(&[("content-length", "2")]));
        assert!(clear(&[("content-length", "2"), ("content-length", "2")]));
        assert!(clear(&[("transfer-encoding", "Chunked")]));
        for value in ["-2", "+2", "2, 2", "", "0x2", "99999999999999999999"] {
            assert!(!clear(&[("content-length", value)]), "{value}");
        }
        for value in ["gzip", "gzip, chunked", "chunked, gzip", "chunked, chunked", ""] {
            assert!(!clear(&[("transfer-encoding", value)]), "{value}");
        }
        assert!(!clear(&[("content-length", "2"), ("content-length", "3")]));
        assert!(!clear(&[("content-length", "2"), ("transfer-encoding", "chunked")]));
        assert!(!clear(&[("transfer-encoding", "chunked"), ("transfer-encoding", "chunked")]));
    }
}
