//! A file that is still being written.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The time between two checks of whether a file has grown.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Reads a file and waits at its end for more, until it is stopped. If the file is truncated or
/// replaced, as by `logrotate`, it continues with the new one.
pub(super) struct Follow {
    path: PathBuf,
    file: File,
    position: u64,
    in_line: bool,
    stopped: Arc<AtomicBool>,
}

impl Follow {
    pub(super) fn new(path: PathBuf, file: File, stopped: Arc<AtomicBool>) -> Follow {
        Follow { path, file, position: 0, in_line: false, stopped }
    }

    /// Moves to the begin of the new file, if there is one.
    fn renew(&mut self) -> io::Result<bool> {
        let Ok(found) = fs::metadata(&self.path) else { return Ok(false) };
        if found.ino() != self.file.metadata()?.ino() {
            // Bytes written between our last look and the replacement come first.
            if self.file.metadata()?.len() > self.position {
                return Ok(false);
            }
            self.file = File::open(&self.path)?;
        } else if found.len() < self.position {
            self.file.seek(SeekFrom::Start(0))?;
        } else {
            return Ok(false);
        }
        self.position = 0;
        Ok(true)
    }
}

impl Read for Follow {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let length = self.file.read(buffer)?;
            if length > 0 {
                self.position += length as u64;
                self.in_line = buffer[length - 1] != b'\n';
                return Ok(length);
            }
            if self.stopped.load(Ordering::Relaxed) {
                return Ok(0);
            }
            if self.renew()? && self.in_line && !buffer.is_empty() {
                // The old file's last line was cut; it must not join the new one's first.
                self.in_line = false;
                buffer[0] = b'\n';
                return Ok(1);
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }
}
