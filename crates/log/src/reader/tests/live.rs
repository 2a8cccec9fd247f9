use std::fs::{self, OpenOptions};
use std::io::{self, Cursor, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::*;

#[test]
fn progress_is_told_and_reading_can_be_stopped() {
    let text = log(20_000);
    let path = folder("stop").join("a.log");
    fs::write(&path, &text).unwrap();
    let options = Options { chunk_bytes: NonZero::new(10_000).unwrap(), ..Options::default() };
    let reader = LogReader::new(vec![Source::File(path.clone())], options).unwrap();
    let (mut entries, mut last) = (0, ReadProgress::default());
    let report = reader
        .run(
            digest,
            |batch: &mut Vec<Digest>| entries += batch.drain(..).len() as u64,
            |progress| {
                assert!(progress.bytes >= last.bytes && progress.stored_bytes >= progress.bytes);
                assert_eq!(progress.stored_bytes_total, Some(text.len() as u64));
                last = *progress;
                if progress.entries > 5000 {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            },
        )
        .unwrap();
    assert!(report.stopped && report.entries() == entries && last.entries == entries);
    assert!((5000..20_000).contains(&entries));
    fs::remove_dir_all(path.parent().unwrap()).unwrap();
}

#[test]
fn growing_files_are_followed() {
    let folder = folder("follow");
    let path = folder.join("a.log");
    fs::write(&path, "").unwrap();
    let seen = Arc::new(AtomicU64::new(0));
    let done = Arc::new(AtomicBool::new(false));
    let writer = {
        let (path, seen, done) = (path.clone(), seen.clone(), done.clone());
        std::thread::spawn(move || {
            let mut expected = 0;
            let mut add = |file: &mut fs::File, from: usize, lines: usize| {
                let text: String = (from..from + lines).map(line).collect();
                // Half a line must wait for its other half.
                let (half, other) = text.split_at(text.len() - 20);
                file.write_all(half.as_bytes()).unwrap();
                file.write_all(other.as_bytes()).unwrap();
                expected += lines as u64;
                while seen.load(Ordering::Relaxed) < expected {
                    std::thread::yield_now();
                }
            };
            let mut file = OpenOptions::new().append(true).open(&path).unwrap();
            add(&mut file, 0, 10);
            add(&mut file, 10, 500);
            file.set_len(0).unwrap();
            add(&mut file, 510, 3);
            fs::rename(&path, folder.join("a.log.1")).unwrap();
            let mut file = fs::File::create(&path).unwrap();
            add(&mut file, 513, 4);
            done.store(true, Ordering::Relaxed);
            fs::remove_dir_all(&folder).unwrap();
        })
    };
    let options = Options { follow: true, ..Options::default() };
    let reader = LogReader::new(vec![Source::File(path)], options).unwrap();
    let mut all: Vec<Digest> = Vec::new();
    let report = reader
        .run(
            digest,
            |batch| {
                all.append(batch);
                seen.store(all.len() as u64, Ordering::Relaxed);
            },
            |_| match done.load(Ordering::Relaxed) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            },
        )
        .unwrap();
    writer.join().unwrap();
    assert!(report.stopped);
    let targets: Vec<_> = all.iter().map(|entry| entry.3.clone()).collect();
    assert_eq!(targets, (0..517).map(|number| format!("/{number}")).collect::<Vec<_>>());
}

/// Gives a byte at a time, with interruptions, and then an error.
struct Slow(Cursor<Vec<u8>>, bool);

impl Read for Slow {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.1 = !self.1;
        if self.1 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        match self.0.read(&mut buffer[..1])? {
            0 => Err(io::Error::other("the disk is gone")),
            length => Ok(length),
        }
    }
}

#[test]
fn slow_and_failing_streams() {
    let slow = Source::Stream("slow".to_owned(), Box::new(Slow(Cursor::new(log(20)), false)));
    let (found, report) = read(vec![slow, stream(&log(1))], Options::default()).unwrap();
    assert_eq!(found.len(), 21);
    let bad = &report.files[0].bad[0];
    assert_eq!((bad.reason, &bad.example[..]), (Reason::Damaged, "the disk is gone"));
}

#[test]
#[should_panic(expected = "on purpose")]
fn a_panic_in_a_digest_is_passed_on() {
    let options = Options { threads: NonZero::new(3).unwrap(), ..Options::default() };
    let reader = LogReader::new(vec![stream(&log(100))], options).unwrap();
    let digest = |entry: &Entry<'_>, _: &mut Vec<Digest>| {
        assert!(entry.status.is_none(), "on purpose");
    };
    let _ = reader.run(digest, |_| {}, |_| ControlFlow::Continue(()));
}
