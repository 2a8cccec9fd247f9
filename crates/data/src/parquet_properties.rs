//! How our Parquet files are written.

use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

/// Nothing but the rows decides the bytes of the file.
pub(crate) fn properties() -> WriterProperties {
    WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1).expect("1 is a valid level")))
        .set_created_by(format!("thinktime {}", env!("CARGO_PKG_VERSION")))
        .build()
}
