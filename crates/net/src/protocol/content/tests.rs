use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

use super::*;

const TEXT: &[u8] = b"{\"token\": \"abc\"} {\"token\": \"abc\"} {\"token\": \"abc\"}";
/// [`TEXT`], and 2 MiB of `x`, as `zlib.brotliCompressSync` of Node 20 writes them.
const BROTLI: &str = "1b3100f88dd45679a01d28b508c8d8ded60913eb5393145520c0e27a426cee00";
const BROTLI_BOMB: &str = "9bffff1ff825f0e2b14020f7fe03";

fn bytes_of(digits: &str) -> Vec<u8> {
    let pairs = digits.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap());
    pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect()
}

fn excerpt(encoding: &str, body: &[u8]) -> Excerpt {
    let head = format!("HTTP/1.1 200 OK\r\nX-A: b-c\r\ncontent-Encoding: {encoding}\r\n\r\n");
    Excerpt { head: head.into_bytes(), body: body.to_vec(), ..Excerpt::default() }
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut to = GzEncoder::new(Vec::new(), Compression::default());
    to.write_all(text).unwrap();
    to.finish().unwrap()
}

fn zlib(text: &[u8]) -> Vec<u8> {
    let mut to = ZlibEncoder::new(Vec::new(), Compression::default());
    to.write_all(text).unwrap();
    to.finish().unwrap()
}

fn deflate(text: &[u8]) -> Vec<u8> {
    let mut to = DeflateEncoder::new(Vec::new(), Compression::default());
    to.write_all(text).unwrap();
    to.finish().unwrap()
}

fn zstandard(text: &[u8]) -> Vec<u8> {
    zstd::encode_all(text, 3).unwrap()
}

/// The known encodings of a text.
fn encoded(text: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("gzip", gzip(text)),
        ("X-GZip", gzip(text)),
        ("deflate", zlib(text)),
        ("deflate", deflate(text)),
        ("zstd", zstandard(text)),
    ]
}

#[test]
fn every_encoding_is_undone() {
    let brotli = ("br", bytes_of(BROTLI));
    for (encoding, body) in encoded(TEXT).into_iter().chain([brotli]) {
        assert_ne!(body, TEXT);
        let excerpt = excerpt(encoding, &body);
        let content = excerpt.content().unwrap();
        assert_eq!((&*content.bytes, content.cut), (TEXT, false), "{encoding}");
    }
}

#[test]
fn encodings_upon_each_other_are_undone_the_last_first() {
    let both = excerpt("gzip, zstd", &zstandard(&gzip(TEXT)));
    assert_eq!(&*both.content().unwrap().bytes, TEXT);
    assert_eq!(excerpt("zstd, gzip", &zstandard(&gzip(TEXT))).content(), Err(DecodingError));
    assert_eq!(excerpt("gzip,gzip,gzip,gzip", &gzip(TEXT)).content(), Err(DecodingError));
}

#[test]
fn what_is_not_encoded_is_neither_changed_nor_copied() {
    for (encoding, body) in [("identity", TEXT), ("utf-8", TEXT), ("gzip", b"")] {
        assert_eq!(&*excerpt(encoding, body).content().unwrap().bytes, body);
    }
    let head = b"HTTP/1.1 200 OK\r\nX-Note: Content-Encoding: gzip\r\n\r\n".to_vec();
    let plain = Excerpt { head, body: TEXT.to_vec(), ..Excerpt::default() };
    let content = plain.content().unwrap();
    assert!(matches!(content.bytes, Cow::Borrowed(bytes) if bytes == TEXT));
}

#[test]
fn a_bomb_gives_no_more_than_is_kept() {
    let much = vec![b'x'; 2 * KEPT_BODY_BYTES_MAX];
    let brotli = ("br", bytes_of(BROTLI_BOMB));
    for (encoding, body) in encoded(&much).into_iter().chain([brotli]) {
        assert!(body.len() < 10_000);
        let excerpt = excerpt(encoding, &body);
        let content = excerpt.content().unwrap();
        assert!(content.cut, "{encoding}");
        assert_eq!(&*content.bytes, &much[..KEPT_BODY_BYTES_MAX], "{encoding}");
    }
    // A body of exactly the limit is complete.
    for (encoding, body) in encoded(&much[..KEPT_BODY_BYTES_MAX]) {
        let excerpt = excerpt(encoding, &body);
        let content = excerpt.content().unwrap();
        assert_eq!((content.bytes.len(), content.cut), (KEPT_BODY_BYTES_MAX, false), "{encoding}");
    }
}

#[test]
fn damage_is_said_and_a_body_that_was_cut_has_none() {
    let noise: Vec<u8> = (0..3000_u32).map(|n| ((n * n * 31) >> 7) as u8).collect();
    for (encoding, body) in encoded(&noise) {
        assert_eq!(excerpt(encoding, TEXT).content(), Err(DecodingError), "{encoding}");
        let short = excerpt(encoding, &body[..body.len() / 2]);
        assert_eq!(short.content(), Err(DecodingError), "{encoding}");
        let cut = Excerpt { cut: true, ..short };
        let content = cut.content().unwrap();
        assert!(content.cut && noise.starts_with(&content.bytes), "{encoding}");
    }
    let brotli = bytes_of(BROTLI);
    assert_eq!(excerpt("br", &brotli[..brotli.len() - 3]).content(), Err(DecodingError));
    assert_eq!(excerpt("br", TEXT).content(), Err(DecodingError));
}

#[test]
fn a_window_larger_than_http_allows_is_not_made() {
    let mut to = zstd::Encoder::new(Vec::new(), 1).unwrap();
    to.window_log(27).unwrap();
    to.write_all(&vec![b'x'; 1000]).unwrap();
    assert_eq!(excerpt("zstd", &to.finish().unwrap()).content(), Err(DecodingError));
}

proptest::proptest! {
    #[test]
    fn bytes_of_any_kind_never_panic(
        encoding in "gzip|deflate|br|zstd|br, gzip",
        body in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..300),
        cut: bool,
    ) {
        let excerpt = Excerpt { cut, ..excerpt(&encoding, &body) };
        if let Ok(content) = excerpt.content() {
            proptest::prop_assert!(content.bytes.len() <= KEPT_BODY_BYTES_MAX);
        }
    }
}
