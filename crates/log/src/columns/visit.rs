//! The kept part of an entry: a few numbers, made in the parsing threads.

use std::cell::RefCell;
use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};

use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};

use crate::entry::Entry;
use crate::text::{after_scheme, find_byte};

/// The kept part of an entry. Nothing in it names a person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visit {
    /// When the request arrived, in nanoseconds since 1970.
    pub time_ns: i64,
    /// Its duration in microseconds; [`UNKNOWN`] if not logged. The value below it stands for all
    /// longer ones.
    pub duration_us: u32,
    /// The hash of the user.
    pub user: u64,
    /// The hash of the client's address.
    pub address: u64,
    /// The hash of the path, without its query.
    pub path: u64,
    /// The hash of the referring page's path; 0 for none.
    pub referrer: u64,
    /// The hash of the requested host.
    pub host: u64,
    /// The hash of the client's agent.
    pub agent: u64,
    /// The response's size, like the duration.
    pub bytes: u32,
    /// The page number that the user's requests of one page share; [`UNKNOWN`] if the log names no
    /// pages.
    pub page: u32,
    /// The status; 0 for none.
    pub status: u16,
    /// The index of the method in [`METHODS`].
    pub method: u8,
}

/// Stands for a number that a log does not have.
pub const UNKNOWN: u32 = u32::MAX;

/// The distinguished methods; the last stands for all others.
pub const METHODS: [&str; 8] =
    ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "other"];

/// The identification of a user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UserBy {
    /// The client's address, as in the paper.
    Address,
    /// The address and the agent, which distinguishes people behind one address.
    #[default]
    AddressAndAgent,
    /// The field that [`Options::user`](crate::Options::user) names, or the authenticated user; the
    /// address if it is empty.
    Field,
}

/// The visits of one batch, and the names that were new to its thread.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Batch {
    /// The visits, in the order of the log.
    pub(super) visits: Vec<Visit>,
    /// Names by their hashes.
    pub(super) names: [Vec<(u64, Box<[u8]>)>; 3],
}

/// The things that have names; the indices of [`Batch::names`].
pub(super) const PATHS: usize = 0;
pub(super) const AGENTS: usize = 1;
pub(super) const HOSTS: usize = 2;

/// The most names that a thread remembers; then it forgets them and reports them again.
const REMEMBERED_MAX: usize = 1 << 20;
/// A name is cut to this many bytes.
const NAME_MAX: usize = 200;

thread_local! {
    static NAME_MEMORY: RefCell<NameMemory> = RefCell::default();
}

/// The names that a thread has already reported, and for which digest.
#[derive(Default)]
struct NameMemory {
    digest: u64,
    names: HashSet<u64, BuildHasherDefault<IdentityHasher>>,
    /// The last name of each sort: most lines of a log have the same host.
    last: [u64; 3],
}

impl NameMemory {
    /// The hash of a name, which is reported if it is new to this thread.
    fn number(&mut self, of: usize, name: &[u8], batch: &mut Batch) -> u64 {
        let number = number_of(&[name]);
        if number == std::mem::replace(&mut self.last[of], number) {
            return number;
        }
        // The same word may be a path and a host.
        if self.names.insert(number.wrapping_add(of as u64)) {
            batch.names[of].push((number, name[..name.len().min(NAME_MAX)].into()));
        }
        number
    }
}

/// Passes hashes through.
#[derive(Default)]
pub(super) struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = number_of(&[bytes]);
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

/// The hash of the bytes: the same on every machine and in every run, and never 0.
fn number_of(parts: &[&[u8]]) -> u64 {
    let mut hasher = FixedState::with_seed(0x7431).build_hasher();
    parts.iter().for_each(|part| hasher.write(part));
    hasher.finish().max(1)
}

/// Makes visits of the entries of one reading.
#[derive(Clone, Copy, Debug)]
pub struct Digest {
    by: UserBy,
    number: u64,
}

impl Digest {
    /// The identification of users.
    #[must_use]
    pub fn new(by: UserBy) -> Digest {
        static MADE: AtomicU64 = AtomicU64::new(0);
        Digest { by, number: MADE.fetch_add(1, Ordering::Relaxed) + 1 }
    }

    /// Adds an entry to a batch.
    pub fn add(self, entry: &Entry<'_>, batch: &mut Batch) {
        let [path, agent, host] = NAME_MEMORY.with_borrow_mut(|told| {
            if told.digest != self.number || told.names.len() >= REMEMBERED_MAX {
                *told = NameMemory { digest: self.number, ..NameMemory::default() };
            }
            [(PATHS, &entry.path), (AGENTS, &entry.agent), (HOSTS, &entry.host)]
                .map(|(of, name)| told.number(of, name, batch))
        });
        let address = number_of(&[&entry.address]);
        let user = match self.by {
            UserBy::Field if !entry.user.is_empty() => number_of(&[&entry.user, b"u"]),
            UserBy::AddressAndAgent => address ^ agent.rotate_left(17),
            _ => address,
        };
        let method = METHODS.iter().position(|name| name.as_bytes() == &entry.method[..]);
        batch.visits.push(Visit {
            time_ns: entry.time_ns,
            duration_us: entry.duration.map_or(UNKNOWN, |duration| saturated(duration.0 / 1000)),
            user: user.max(1),
            address,
            path,
            referrer: path_of(&entry.referrer).map_or(0, |path| number_of(&[path])),
            host,
            agent,
            bytes: entry.bytes.map_or(UNKNOWN, saturated),
            page: entry.page.unwrap_or(UNKNOWN),
            status: entry.status.unwrap_or(0),
            method: method.unwrap_or(METHODS.len() - 1) as u8,
        });
    }
}

/// A number from a log, saturated at the largest.
fn saturated(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(UNKNOWN).min(UNKNOWN - 1)
}

/// The path within a URL, without query and fragment.
fn path_of(url: &[u8]) -> Option<&[u8]> {
    let rest = match after_scheme(url) {
        Some(at) => &url[at..],
        None if url.first() == Some(&b'/') => url,
        None => return None,
    };
    let path = find_byte(rest, b'/').map_or(&b"/"[..], |at| &rest[at..]);
    let path = &path[..find_byte(path, b'?').unwrap_or(path.len())];
    Some(&path[..find_byte(path, b'#').unwrap_or(path.len())])
}

/// Endings of embedded paths.
const OBJECTS: [&[u8]; 26] = [
    b"css", b"js", b"mjs", b"map", b"png", b"gif", b"jpg", b"jpeg", b"jpe", b"ico", b"svg",
    b"webp", b"avif", b"bmp", b"xbm", b"woff", b"woff2", b"ttf", b"otf", b"eot", b"swf", b"class",
    b"cur", b"au", b"wav", b"mid",
];

/// Whether pages embed such a path.
pub(super) fn is_object(path: &[u8]) -> bool {
    let end = &path[path.len().saturating_sub(6)..];
    let Some(dot) = memchr::memrchr(b'.', end) else { return false };
    let ending = &end[dot + 1..];
    OBJECTS.iter().any(|known| known.eq_ignore_ascii_case(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_referrer_is_known_by_its_path() {
        assert_eq!(path_of(b"http://a.example/shop?x=1#y"), Some(&b"/shop"[..]));
        assert_eq!(path_of(b"https://a.example"), Some(&b"/"[..]));
        assert_eq!(path_of(b"x:y:/z://a/b"), Some(&b"/b"[..]));
        assert_eq!((path_of(b"about:blank"), path_of(b"x:/"), path_of(b":")), (None, None, None));
        assert_eq!(path_of(b"/shop?x"), Some(&b"/shop"[..]));
        assert_eq!((path_of(b"-"), path_of(b"")), (None, None));
    }

    #[test]
    fn objects_are_known_by_their_paths() {
        for path in ["/a/style.CSS", "/x.js", "/fonts/a.woff2"] {
            assert!(is_object(path.as_bytes()), "{path}");
        }
        for path in ["/", "/a.html", "/a.b/c", "/js", "/report.pdf", ""] {
            assert!(!is_object(path.as_bytes()), "{path}");
        }
    }

    #[test]
    fn users_are_known_as_one_likes() {
        let entry = |address: &'static [u8], agent: &'static [u8], user: &'static [u8]| Entry {
            address: address.into(),
            agent: agent.into(),
            user: user.into(),
            path: b"/a"[..].into(),
            ..Entry::default()
        };
        let user = |entry: &Entry<'_>, by| {
            let mut batch = Batch::default();
            Digest::new(by).add(entry, &mut batch);
            batch.visits[0].user
        };
        let (one, other) = (entry(b"1.2.3.4", b"x", b"ann"), entry(b"1.2.3.4", b"y", b"ann"));
        assert_eq!(user(&one, UserBy::Address), user(&other, UserBy::Address));
        assert_ne!(user(&one, UserBy::AddressAndAgent), user(&other, UserBy::AddressAndAgent));
        assert_eq!(user(&one, UserBy::Field), user(&other, UserBy::Field));
        let nobody = entry(b"1.2.3.4", b"x", b"");
        assert_eq!(user(&nobody, UserBy::Field), user(&one, UserBy::Address));
    }
}
