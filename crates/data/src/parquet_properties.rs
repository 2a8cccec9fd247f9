//! The settings of our Parquet files.

use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

/// Only the rows decide the bytes of the file.
pub(crate) fn properties() -> WriterProperties {
    WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1).expect("1 is a valid level")))
        .set_created_by(format!("thinktime {}", env!("CARGO_PKG_VERSION")))
        .build()
}
