//! A folder whose files are served, and nothing else.

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

/// The folder; it stays this one, whatever is renamed.
#[derive(Debug)]
pub(super) struct Folder(File);

/// A requested file.
#[derive(Debug)]
pub(super) struct RequestedFile {
    pub(super) file: File,
    pub(super) size: u64,
    pub(super) content_type: &'static str,
    /// It changes with size or modification time.
    pub(super) tag: String,
}

/// Why no file is served.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FileRefusal {
    /// The status that says so.
    Status(u16),
    /// It is a folder, whose address must end with a slash.
    Moved(String),
}

const INDEX: &str = "index.html";
const PATH_MAX: usize = 4096;
const TRIES_MAX: u32 = 100;

impl Folder {
    /// # Errors
    /// If no such folder exists, or it may not be read.
    pub(super) fn open(path: &Path) -> io::Result<Folder> {
        let flags = OFlags::DIRECTORY | OFlags::PATH | OFlags::CLOEXEC;
        let folder = Folder(File::from(rustix::fs::openat(CWD, path, flags, Mode::empty())?));
        // A kernel without openat2 is reported before the first request.
        folder.opened(".", OFlags::PATH)?;
        Ok(folder)
    }

    /// Opens files inside the folder, and nowhere else.
    fn opened(&self, name: &str, flags: OFlags) -> Result<File, Errno> {
        let flags = flags | OFlags::CLOEXEC;
        let inside = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        let mut tries = 0;
        loop {
            match rustix::fs::openat2(&self.0, name, flags, Mode::empty(), inside) {
                // Something was renamed on the way, anywhere on the machine.
                Err(Errno::AGAIN) if tries < TRIES_MAX => tries += 1,
                result => return result.map(File::from),
            }
        }
    }

    /// The file of a target, as in `/a%20b.html?x=1`. Links are followed inside the folder only;
    /// names that begin with a dot do not exist here.
    pub(super) fn find(&self, target: &str) -> Result<RequestedFile, FileRefusal> {
        let target = without_authority(target);
        let (path, query) = target.split_at(target.find(['?', '#']).unwrap_or(target.len()));
        let whole = path_of(path).ok_or(FileRefusal::Status(404))?;
        let is_folder = whole.is_empty() || whole.ends_with('/');
        let name = if is_folder { whole + INDEX } else { whole };
        // Its type is checked before it is opened: opening would wake the writer of a pipe.
        let seen = self.opened(&name, OFlags::PATH).map_err(status_of)?;
        let kind = seen.metadata().map_err(|_| FileRefusal::Status(500))?.file_type();
        if kind.is_dir() && !is_folder {
            return Err(FileRefusal::Moved(format!("{path}/{query}")));
        }
        if !kind.is_file() {
            return Err(FileRefusal::Status(404));
        }
        // By now it may be another file, even a pipe.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = self.opened(&name, flags).map_err(status_of)?;
        let about = file.metadata().map_err(|_| FileRefusal::Status(500))?;
        if !about.is_file() {
            return Err(FileRefusal::Status(404));
        }
        Ok(RequestedFile {
            file,
            size: about.len(),
            content_type: content_type(&name),
            tag: format!("\"{:x}-{:x}-{:x}\"", about.len(), about.mtime(), about.mtime_nsec()),
        })
    }
}

/// A target without the address of the server, which it may have (RFC 9112, section 3.2.2).
fn without_authority(target: &str) -> &str {
    let Some(rest) = target.strip_prefix("http://") else { return target };
    rest.find('/').map_or("/", |begin| &rest[begin..])
}

/// The decoded path inside the folder. None if it can be no file's.
fn path_of(path: &str) -> Option<String> {
    let inside = path.strip_prefix('/')?;
    let decoded = percent_decoded(inside)?;
    let hidden = decoded.split('/').any(|part| part.starts_with('.'));
    let right = decoded.len() < PATH_MAX && !decoded.contains('\0') && !decoded.starts_with('/');
    (right && !hidden).then_some(decoded)
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, more @ ..] = rest {
        rest = more;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let (digits, more) = more.split_at_checked(2)?;
        let digit = |at: usize| char::from(digits[at]).to_digit(16);
        bytes.push(u8::try_from(digit(0)? * 16 + digit(1)?).ok()?);
        rest = more;
    }
    String::from_utf8(bytes).ok()
}

fn status_of(error: Errno) -> FileRefusal {
    FileRefusal::Status(match error {
        Errno::ACCESS | Errno::PERM => 403,
        Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::AGAIN => 503,
        Errno::IO => 500,
        // No such file exists, or the way to it leads out of the folder.
        _ => 404,
    })
}

/// The media type of a file, by the end of its name (RFC 9110, section 8.3).
fn content_type(name: &str) -> &'static str {
    let end = name.rsplit_once('.').map_or("", |(_, end)| end).to_ascii_lowercase();
    match end.as_str() {
        "html" | "htm" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "txt" | "md" | "csv" | "log" => "text/plain; charset=utf-8",
        "json" | "map" => "application/json",
        "xml" => "application/xml",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "avif" => "image/avif",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "wasm" => "application/wasm",
        "pdf" => "application/pdf",
        "mp4" => "video/mp4",
        "webm" => "video/webm",
        "mp3" => "audio/mpeg",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_decoded_or_refused() {
        let decoded = |path| path_of(path);
        assert_eq!(decoded("/a%20b/c.txt").as_deref(), Some("a b/c.txt"));
        assert_eq!(decoded("/").as_deref(), Some(""));
        assert_eq!(decoded("/%C3%A9").as_deref(), Some("é"));
        let bad = ["", "a", "*", "//etc/passwd", "/%2Fetc/passwd", "/../a", "/a/%2e%2e/b", "/%"];
        let worse = ["/%4", "/%zz", "/%00", "/%ff", "/.git/config", "/a/.hidden", "http://a/b"];
        for path in bad.iter().chain(&worse) {
            assert_eq!(path_of(path), None, "{path}");
        }
        assert_eq!(path_of(&format!("/{}", "a/".repeat(PATH_MAX))), None);
    }

    #[test]
    fn the_servers_own_address_is_no_part_of_a_path() {
        assert_eq!(without_authority("http://a:80/b?c"), "/b?c");
        assert_eq!(without_authority("http://a"), "/");
        assert_eq!(without_authority("/http://a/b"), "/http://a/b");
    }

    #[test]
    fn types_go_by_the_end_of_the_name() {
        assert_eq!(content_type("a/b.HTML"), "text/html; charset=utf-8");
        assert_eq!(content_type("a.b/c"), "application/octet-stream");
        assert_eq!(content_type("x.tar.gz"), "application/octet-stream");
    }
}
