//! The speed of reading logs: writes one of a given number of megabytes in the combined format, and
//! reads it plain with one parsing thread and with two, and packed by gzip and zstd.
//!
//! `cargo run --release -p thinktime-log --example reading 1000`

#![allow(clippy::print_stdout, reason = "a command-line measurement")]
#![allow(clippy::disallowed_methods, reason = "it times by the wall clock")]

use std::error::Error;
use std::fs::File;
use std::hash::{BuildHasher, Hasher};
use std::io::{BufWriter, Write};
use std::num::NonZero;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use flate2::Compression;
use flate2::write::GzEncoder;
use foldhash::fast::FixedState;
use thinktime_log::{Entry, LogReader, Options, Source};

const AGENTS: [&str; 3] = [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) \
     Chrome/124.0.0.0 Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like \
     Gecko) Version/17.4 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
];

/// Writes lines of about 240 bytes; gives their number.
fn write_log(mut file: impl Write, bytes: u64) -> Result<u64, Box<dyn Error>> {
    let (mut written, mut lines, mut state) = (0, 0, 1_u64);
    while written < bytes {
        // Knuth, TAOCP 2, 3.3.4.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let random = (state >> 33) as usize;
        let line = line(random, lines / 300);
        file.write_all(line.as_bytes())?;
        written += line.len() as u64;
        lines += 1;
    }
    file.flush()?;
    Ok(lines)
}

fn line(random: usize, second: u64) -> String {
    let (day, hour) = (1 + second / 86_400 % 30, second / 3600 % 24);
    let (minute, second) = (second / 60 % 60, second % 60);
    let (a, b, c) = (10 + random % 200, random / 7 % 250, random / 11 % 250);
    let (item, shelf, size) = (random % 9973, random % 40, random % 100_000);
    format!(
        "{a}.{b}.{c}.1 - - [{day:02}/May/2015:{hour:02}:{minute:02}:{second:02} +0000] \
         \"GET /shop/{shelf}/item-{item}?from={shelf} HTTP/1.1\" 200 {size} \
         \"https://www.example.com/shop/{shelf}\" \"{}\"\n",
        AGENTS[random % 3],
    )
}

/// The usual work on an entry: hashes of user and path, and the numbers.
type Digest = (u64, u64, i64, u64);

fn hash(words: &[&[u8]]) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    for word in words {
        hasher.write(word);
    }
    hasher.finish()
}

fn digest(entry: &Entry<'_>, batch: &mut Vec<Digest>) {
    let user = hash(&[&entry.address, &entry.agent]);
    batch.push((user, hash(&[&entry.path]), entry.time_ns, entry.bytes.unwrap_or(0)));
}

/// Reads a log, and reports the duration.
fn read(path: &Path, threads: usize) -> Result<(), Box<dyn Error>> {
    let options =
        Options { threads: NonZero::new(threads).ok_or("no thread")?, ..Options::default() };
    let reader = LogReader::new(vec![Source::File(path.to_owned())], options)?;
    let mut check = 0_u64;
    let begin = Instant::now();
    let consume = |batch: &mut Vec<Digest>| {
        for (user, path, time, bytes) in batch.drain(..) {
            check = check.wrapping_add(user ^ path ^ time as u64 ^ bytes);
        }
    };
    let report = reader.run(digest, consume, |_| ControlFlow::Continue(()))?;
    let seconds = begin.elapsed().as_secs_f64();
    let file = &report.files[0];
    let kind = path.extension().unwrap_or_default().display();
    println!(
        "{kind}, {threads} parsing: {:5.0} MB/s, {:5.1} ns a line ({} lines, {} bad; {check:x})",
        file.bytes as f64 / seconds / 1e6,
        seconds * 1e9 / file.lines as f64,
        file.lines,
        file.bad_lines(),
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let megabytes = std::env::args().nth(1).map_or(Ok(500), |text| text.parse::<u64>())?;
    let path = |ending: &str| {
        std::env::temp_dir().join(format!("thinktime-speed-{}.{ending}", std::process::id()))
    };
    let (plain, gzip, zstd) = (path("log"), path("gz"), path("zst"));
    let bytes = megabytes * 1_000_000;
    let lines = write_log(BufWriter::new(File::create(&plain)?), bytes)?;
    write_log(GzEncoder::new(File::create(&gzip)?, Compression::default()), bytes)?;
    write_log(zstd::Encoder::new(File::create(&zstd)?, 3)?.auto_finish(), bytes)?;
    println!("{lines} lines of {:.0} bytes", bytes as f64 / lines as f64);
    for threads in [1, 2, 1, 2, 1, 2] {
        read(&plain, threads)?;
    }
    for file in [&gzip, &zstd] {
        read(file, 1)?;
    }
    for file in [plain, gzip, zstd] {
        std::fs::remove_file(file)?;
    }
    Ok(())
}
