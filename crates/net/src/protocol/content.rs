//! Bodies without their `Content-Encoding` (RFC 9110, section 8.4), for clients that read them.

use std::borrow::Cow;
use std::io::Read;

use brotli_decompressor::Decompressor;
use flate2::bufread::MultiGzDecoder;
use flate2::{Decompress, FlushDecompress, Status};
use memchr::memchr_iter;
use zstd::stream::read::Decoder;

use super::excerpt::{Excerpt, KEPT_BODY_BYTES_MAX};

/// The most nested encodings of one body: each takes time.
const ENCODINGS_MAX: usize = 3;
/// The largest window of zstd, as a power of two: RFC 9659's limit for HTTP.
const ZSTD_WINDOW_LOG_MAX: u32 = 23;
/// The bytes that brotli reads at a time.
const BROTLI_BUFFER_BYTES: usize = 4096;

/// A body without its encodings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content<'a> {
    /// Its bytes, up to [`KEPT_BODY_BYTES_MAX`].
    pub bytes: Cow<'a, [u8]>,
    /// Whether it is cut.
    pub cut: bool,
}

/// A body does not match its `Content-Encoding`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodingError;

impl Excerpt {
    /// Replaces the body by its decoded form, or by an empty one if it is damaged.
    ///
    /// # Errors
    /// As [`Kept::content`].
    pub fn decode(&mut self) -> Result<(), DecodingError> {
        let decoded = match self.content() {
            Ok(Content { bytes: Cow::Borrowed(_), .. }) => return Ok(()),
            Ok(Content { bytes: Cow::Owned(bytes), cut }) => Ok((bytes, cut)),
            Err(damaged) => Err(damaged),
        };
        let result = decoded.as_ref().map(drop).map_err(|damaged| *damaged);
        (self.body, self.cut) = decoded.unwrap_or_default();
        result
    }

    /// The decoded body: gzip, deflate, br and zstd. Other encodings stay. Nothing is copied
    /// without an encoding.
    ///
    /// # Errors
    /// If the body does not match its encoding, or has too many encodings.
    pub fn content(&self) -> Result<Content<'_>, DecodingError> {
        let mut content = Content { bytes: Cow::Borrowed(&self.body), cut: self.cut };
        if self.body.is_empty() || !names_encoding(&self.head) {
            return Ok(content);
        }
        let fields = self.fields("content-encoding").flat_map(|value| value.split(|b| *b == b','));
        let encodings: Vec<&[u8]> = fields.map(<[u8]>::trim_ascii).collect();
        if encodings.len() > ENCODINGS_MAX {
            return Err(DecodingError);
        }
        for encoding in encodings.iter().rev() {
            let Some(undo) = decoder(encoding) else { break };
            let (bytes, cut) = undo(&content.bytes, content.cut)?;
            content = Content { bytes: Cow::Owned(bytes), cut };
        }
        Ok(content)
    }
}

/// Whether a head may have the field, in any case: faster than reading all fields.
fn names_encoding(head: &[u8]) -> bool {
    memchr_iter(b'-', head).any(|at| {
        let (before, after) = (head[..at].last_chunk::<7>(), head[at + 1..].first_chunk::<8>());
        before.is_some_and(|name| name.eq_ignore_ascii_case(b"content"))
            && after.is_some_and(|name| name.eq_ignore_ascii_case(b"encoding"))
    })
}

/// A decoder: from bytes, perhaps cut, to the content, and whether that is cut.
type Undo = fn(&[u8], bool) -> Result<(Vec<u8>, bool), DecodingError>;

/// The decoder of this name, if known.
fn decoder(name: &[u8]) -> Option<Undo> {
    let known: [(&str, Undo); 6] = [
        ("gzip", gunzip),
        ("x-gzip", gunzip),
        ("deflate", inflate),
        ("br", |bytes, cut| take(Decompressor::new(bytes, BROTLI_BUFFER_BYTES), cut)),
        ("zstd", unzstd),
        ("identity", |bytes, cut| Ok((bytes.to_vec(), cut))),
    ];
    known.iter().find(|(own, _)| name.eq_ignore_ascii_case(own.as_bytes())).map(|(_, undo)| *undo)
}

fn gunzip(bytes: &[u8], cut: bool) -> Result<(Vec<u8>, bool), DecodingError> {
    take(MultiGzDecoder::new(bytes), cut)
}

fn unzstd(bytes: &[u8], cut: bool) -> Result<(Vec<u8>, bool), DecodingError> {
    let mut reader = Decoder::with_buffer(bytes).map_err(|_| DecodingError)?;
    reader.window_log_max(ZSTD_WINDOW_LOG_MAX).map_err(|_| DecodingError)?;
    take(reader, cut)
}

/// `deflate` is a zlib stream; some servers send it without zlib's head and end, which browsers
/// accept.
fn inflate(bytes: &[u8], cut: bool) -> Result<(Vec<u8>, bool), DecodingError> {
    let zlib = bytes
        .first_chunk::<2>()
        .is_some_and(|head| head[0] & 0x0f == 8 && u16::from_be_bytes(*head).is_multiple_of(31));
    let mut out = Vec::with_capacity(KEPT_BODY_BYTES_MAX);
    let mut state = Decompress::new(zlib);
    let status = state.decompress_vec(bytes, &mut out, FlushDecompress::Finish);
    match status.map_err(|_| DecodingError)? {
        Status::StreamEnd => Ok((out, false)),
        _ if cut || out.len() >= KEPT_BODY_BYTES_MAX => {
            out.truncate(KEPT_BODY_BYTES_MAX);
            Ok((out, true))
        }
        _ => Err(DecodingError),
    }
}

/// A reader's data up to the limit, and whether there is more. If its own input is cut it cannot
/// come to an end, which is no damage.
fn take(mut reader: impl Read, cut: bool) -> Result<(Vec<u8>, bool), DecodingError> {
    let mut out = Vec::new();
    let read = reader.by_ref().take(KEPT_BODY_BYTES_MAX as u64).read_to_end(&mut out);
    if read.is_err() && !cut {
        return Err(DecodingError);
    }
    let more = out.len() == KEPT_BODY_BYTES_MAX && !matches!(reader.read(&mut [0]), Ok(0));
    Ok((out, cut || more))
}

#[cfg(test)]
mod tests;
