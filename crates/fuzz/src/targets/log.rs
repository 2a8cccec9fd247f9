//! Access logs of every format, plain, gzip and zstd: invalid lines are counted, and the result
//! does not depend on how the log is cut for the threads.

use std::io::Cursor;
use std::num::NonZero;
use std::ops::ControlFlow;

use thinktime_log::{LogReader, Options, Source};

use crate::Target;

pub(super) const TARGET: Target = Target {
    name: "log",
    examples: Some(("crates/log/src/formats/examples", "")),
    words: &[
        "\n",
        "\"",
        " - - [",
        "] \"GET / HTTP/1.1\" 200 17",
        "#Fields: ",
        "{\"",
        "\thost:",
        " | ",
        "\\u0000",
        "29/Feb/2023:25:61:61 +9999",
        "%",
    ],
    bytes_max: 100_000,
    tried: 4_000,
    read,
};

fn read(bytes: &[u8]) {
    assert_eq!(entries(bytes, 1 << 12), entries(bytes, 1 << 19));
}

/// The number of entries and the sum of their times; or that there is no log.
fn entries(bytes: &[u8], chunk_bytes: usize) -> Result<(u64, i128), String> {
    let source = Source::Stream("fuzz".to_owned(), Box::new(Cursor::new(bytes.to_vec())));
    let options = Options {
        threads: NonZero::<usize>::MIN,
        chunk_bytes: NonZero::new(chunk_bytes).unwrap_or(NonZero::<usize>::MIN),
        ..Options::default()
    };
    let reader = LogReader::new(vec![source], options).map_err(|error| error.to_string())?;
    let (mut count, mut sum) = (0_u64, 0_i128);
    let report = reader.run(
        |entry, batch: &mut Vec<i128>| batch.push(i128::from(entry.time_ns)),
        |batch| {
            count += batch.len() as u64;
            sum += batch.drain(..).sum::<i128>();
        },
        |_| ControlFlow::Continue(()),
    );
    let failed = report.err().map(|error| error.to_string());
    match failed {
        Some(text) => {
            assert!(!text.is_empty());
            Err(text)
        }
        None => Ok((count, sum)),
    }
}
