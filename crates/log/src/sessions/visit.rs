//! What is kept of an entry: a few numbers, made in the threads that parse.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};

use foldhash::fast::FixedState;

use super::program::is_program;
use crate::entry::Entry;

/// What is kept of an entry. Nothing of it names a person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Visit {
    /// When the request arrived, in nanoseconds since 1970.
    pub time_ns: i64,
    /// How long it took in nanoseconds; 0 where that is not logged.
    pub duration_ns: u64,
    /// Stands for the user.
    pub user: u64,
    /// Stands for the client's address.
    pub address: u64,
    /// Stands for the path, without its query.
    pub path: u64,
    /// Stands for the path of the page that led here; 0 for none.
    pub referrer: u64,
    /// The response's size; [`Visit::NO_BYTES`] where it is not logged.
    pub bytes: u64,
    /// The status; 0 for none.
    pub status: u16,
    /// The place of the method in [`METHODS`].
    pub method: u8,
    /// What else is known of it.
    pub marks: Marks,
}

impl Visit {
    /// The size of a response whose size is not logged.
    pub const NO_BYTES: u64 = u64::MAX;
}

/// Methods that are told apart; the last stands for all others.
pub const METHODS: [&str; 8] =
    ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "other"];

/// The place of GET in [`METHODS`].
pub(super) const GET: u8 = 0;

/// What is known of a request beside its numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// By its agent it is a program, not a person's browser.
    pub program: bool,
    /// It asks for `robots.txt`, as crawlers do.
    pub robots: bool,
    /// It is an object that pages embed, by the ending of its path.
    pub object: bool,
    /// Its path or method is one that health checks use.
    pub health: bool,
    /// The log tells how long it took.
    pub timed: bool,
}

/// By what a user is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UserBy {
    /// The client's address, as in the paper.
    Address,
    /// The address and what the client calls itself, which tells people behind one address apart.
    #[default]
    AddressAndAgent,
    /// The field that [`Options::user`](crate::Options::user) names, or the authenticated user; the
    /// address where it is empty.
    Field,
}

/// The visits of one batch, and the paths that were new to the thread that made it.
#[derive(Debug, Default)]
pub struct Batch {
    /// The visits, in the order of the log.
    pub visits: Vec<Visit>,
    /// Paths by the number that stands for them.
    pub paths: Vec<(u64, Box<[u8]>)>,
}

/// Paths that a thread remembers; then it forgets them and tells them again.
const REMEMBERED_MAX: usize = 1 << 20;
/// A path is cut to so many bytes.
const PATH_MAX: usize = 200;

thread_local! {
    static REMEMBERED: RefCell<Remembered> = RefCell::default();
}

/// What a thread has seen already.
#[derive(Default)]
struct Remembered {
    paths: HashSet<u64, BuildHasherDefault<Known>>,
    agents: HashMap<u64, bool, BuildHasherDefault<Known>>,
}

/// Hashes what is a hash already.
#[derive(Default)]
pub(super) struct Known(u64);

impl Hasher for Known {
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

/// Stands for the bytes: the same on every machine and in every run, and never 0.
fn number_of(parts: &[&[u8]]) -> u64 {
    let mut hasher = FixedState::with_seed(0x7431).build_hasher();
    parts.iter().for_each(|part| hasher.write(part));
    hasher.finish().max(1)
}

impl Batch {
    /// Adds an entry.
    pub fn add(&mut self, entry: &Entry<'_>, by: UserBy) {
        let path = number_of(&[&entry.path]);
        let agent = number_of(&[&entry.agent]);
        let program = REMEMBERED.with_borrow_mut(|seen| {
            if seen.paths.len() >= REMEMBERED_MAX {
                *seen = Remembered::default();
            }
            if seen.paths.insert(path) {
                let cut = entry.path.len().min(PATH_MAX);
                self.paths.push((path, entry.path[..cut].into()));
            }
            *seen.agents.entry(agent).or_insert_with(|| is_program(&entry.agent))
        });
        let address = number_of(&[&entry.address]);
        let user = match by {
            UserBy::Field if !entry.user.is_empty() => number_of(&[&entry.user, b"u"]),
            UserBy::AddressAndAgent => address ^ agent.rotate_left(17),
            _ => address,
        };
        let method = METHODS.iter().position(|name| name.as_bytes() == &entry.method[..]);
        self.visits.push(Visit {
            time_ns: entry.time_ns,
            duration_ns: entry.duration.map_or(0, |duration| duration.0),
            // What programs do is never mixed with what people do behind the same address.
            user: if program { !user } else { user }.max(1),
            address,
            path,
            referrer: path_of(&entry.referrer).map_or(0, |path| number_of(&[path])),
            bytes: entry.bytes.unwrap_or(Visit::NO_BYTES),
            status: entry.status.unwrap_or(0),
            method: method.unwrap_or(METHODS.len() - 1) as u8,
            marks: Marks {
                program,
                robots: &entry.path[..] == b"/robots.txt",
                object: is_object(&entry.path),
                health: is_health(&entry.path, &entry.method),
                timed: entry.duration.is_some(),
            },
        });
    }
}

/// The path within a URL, without query and fragment.
fn path_of(url: &[u8]) -> Option<&[u8]> {
    let rest = match memchr::memmem::find(url, b"://") {
        Some(at) => &url[at + 3..],
        None if url.first() == Some(&b'/') => url,
        None => return None,
    };
    let path = memchr::memchr(b'/', rest).map_or(&b"/"[..], |at| &rest[at..]);
    Some(&path[..memchr::memchr2(b'?', b'#', path).unwrap_or(path.len())])
}

/// Endings of what pages embed.
const OBJECTS: [&[u8]; 26] = [
    b"css", b"js", b"mjs", b"map", b"png", b"gif", b"jpg", b"jpeg", b"jpe", b"ico", b"svg",
    b"webp", b"avif", b"bmp", b"xbm", b"woff", b"woff2", b"ttf", b"otf", b"eot", b"swf", b"class",
    b"cur", b"au", b"wav", b"mid",
];

fn is_object(path: &[u8]) -> bool {
    let end = &path[path.len().saturating_sub(6)..];
    let Some(dot) = memchr::memrchr(b'.', end) else { return false };
    let ending = &end[dot + 1..];
    OBJECTS.iter().any(|known| known.eq_ignore_ascii_case(ending))
}

/// Words in the paths of health checks.
const HEALTH: [&[u8]; 7] =
    [b"health", b"/ping", b"/status", b"/alive", b"/live", b"/ready", b"/server-status"];

fn is_health(path: &[u8], method: &[u8]) -> bool {
    let short = path.len() <= 40;
    matches!(method, b"HEAD" | b"OPTIONS")
        || (short && HEALTH.iter().any(|word| memchr::memmem::find(path, word).is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_referrer_is_known_by_its_path() {
        assert_eq!(path_of(b"http://a.example/shop?x=1#y"), Some(&b"/shop"[..]));
        assert_eq!(path_of(b"https://a.example"), Some(&b"/"[..]));
        assert_eq!(path_of(b"/shop?x"), Some(&b"/shop"[..]));
        assert_eq!((path_of(b"-"), path_of(b"")), (None, None));
    }

    #[test]
    fn objects_and_health_checks_are_known_by_their_paths() {
        for path in ["/a/style.CSS", "/x.js", "/fonts/a.woff2"] {
            assert!(is_object(path.as_bytes()), "{path}");
        }
        for path in ["/", "/a.html", "/a.b/c", "/js", "/report.pdf", ""] {
            assert!(!is_object(path.as_bytes()), "{path}");
        }
        assert!(is_health(b"/api/healthz", b"GET") && is_health(b"/", b"HEAD"));
        assert!(!is_health(b"/item/3", b"GET"));
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
            batch.add(entry, by);
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
