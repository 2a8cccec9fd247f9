//! Opens a source: detects its compression by its first bytes, and unpacks it.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;

use super::Source;
use super::follow::Follow;
use super::parquet::{MAGIC as PARQUET, ParquetText};
use crate::error::LogError;

/// The state shared between the reading thread and the thread that shows progress and may stop it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tracking {
    /// Bytes read so far, in stored form.
    pub(crate) stored_bytes: Arc<AtomicU64>,
    /// Whether to stop.
    pub(crate) stopped: Arc<AtomicBool>,
}

type Input = Box<dyn Read + Send>;

/// An open source.
pub(crate) struct Opened {
    pub(crate) name: String,
    /// Its unpacked content.
    pub(crate) input: Input,
    /// Whether it may grow, so that available data must not wait for more.
    pub(crate) live: bool,
}

/// Magic numbers of compressions, with the ways to handle them.
const MAGIC: &[(&[u8], Packing)] = &[
    (&[0x1f, 0x8b], Packing::Gzip),
    (&[0x28, 0xb5, 0x2f, 0xfd], Packing::Zstd),
    (b"\xfd7zXZ\0", Packing::Foreign("xz", "xz -dc")),
    (b"BZh", Packing::Foreign("bzip2", "bzip2 -dc")),
    (PARQUET, Packing::Parquet),
    (b"PK\x03\x04", Packing::Foreign("zip", "unzip -p")),
    (b"\x04\x22\x4d\x18", Packing::Foreign("lz4", "lz4 -dc")),
];

/// The longest magic number.
const BEGIN_BYTES: u64 = 6;

#[derive(Clone, Copy, Debug)]
enum Packing {
    Gzip,
    Zstd,
    Parquet,
    /// Packed by an unsupported program; with the command that unpacks it.
    Foreign(&'static str, &'static str),
}

/// The buffer between a file and its unpacking, in bytes.
const PACKED_BUFFER: usize = 256 << 10;

/// Opens a source; `follow` says that it may still grow.
///
/// # Errors
/// If it cannot be read, or its compression is unsupported.
pub(crate) fn open(source: Source, follow: bool, tracking: &Tracking) -> Result<Opened, LogError> {
    let name = source.name();
    match open_packed(source, follow, tracking) {
        Ok((input, live)) => Ok(Opened { name, input, live }),
        Err(error) => Err(LogError::new(name, error)),
    }
}

/// The unpacked content of a source, and whether it may grow.
fn open_packed(source: Source, follow: bool, tracking: &Tracking) -> io::Result<(Input, bool)> {
    let path = match &source {
        Source::File(path) => Some(path.clone()),
        _ => None,
    };
    let input = open_raw(source, follow, tracking)?;
    let mut counted = Counted { input, bytes: tracking.stored_bytes.clone() };
    let begin = read_begin(&mut counted)?;
    let packing = packing(&begin);
    let whole = Cursor::new(begin).chain(counted);
    let input: Input = match (packing, path) {
        (None, _) => return Ok((Box::new(whole), follow)),
        (Some(Packing::Gzip), _) => {
            Box::new(MultiGzDecoder::new(BufReader::with_capacity(PACKED_BUFFER, whole)))
        }
        (Some(Packing::Zstd), _) => Box::new(zstd::Decoder::new(whole)?),
        (Some(Packing::Parquet), Some(path)) => {
            Box::new(ParquetText::new(File::open(path)?, tracking.stored_bytes.clone())?)
        }
        (Some(Packing::Parquet), None) => {
            return Err(io::Error::other(
                "is Parquet, which must be a file: it is read from its end",
            ));
        }
        (Some(Packing::Foreign(program, command)), _) => {
            let remedy = format!("is packed by {program}: unpack it, as in `{command} FILE | ...`");
            return Err(io::Error::other(remedy));
        }
    };
    Ok((input, false))
}

fn open_raw(source: Source, follow: bool, tracking: &Tracking) -> io::Result<Input> {
    Ok(match source {
        Source::File(path) => {
            let file = File::open(&path)?;
            if follow
                && file.metadata()?.is_file()
                && packing(&read_begin(&mut File::open(&path)?)?).is_none()
            {
                Box::new(Follow::new(path, file, tracking.stopped.clone()))
            } else {
                Box::new(file)
            }
        }
        Source::Stdin => Box::new(io::stdin()),
        Source::Stream(_, input) => input,
    })
}

/// Reads the first bytes, fewer only at the end of the source.
fn read_begin(input: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut begin = Vec::new();
    input.take(BEGIN_BYTES).read_to_end(&mut begin)?;
    Ok(begin)
}

/// The compression of a file with this begin, if any.
fn packing(begin: &[u8]) -> Option<Packing> {
    MAGIC.iter().find(|magic| begin.starts_with(magic.0)).map(|magic| magic.1)
}

/// Counts the bytes read.
struct Counted {
    input: Input,
    bytes: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.input.read(buffer)?;
        self.bytes.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}
