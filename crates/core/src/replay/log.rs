//! The requests of a log, as a reader of logs passes them on.

use thinktime_file::time::Nanos;

use super::texts::{Texts, Users};
use crate::request::Method;
use crate::words;

/// The settings for reading a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogOptions {
    /// The log's format, by the name that the reader of logs has for it; detected if it is `None`.
    pub format: Option<String>,
    /// The key that identifies users: `address`, `agent` (address and agent), `field` (the login
    /// name) or, for any other word, the field of the log with the user.
    pub user: String,
    /// Whether all methods are included; else only safe ones, which change nothing.
    pub all_methods: bool,
}

/// One request of a log.
#[derive(Clone, Copy, Debug)]
pub struct LogRequest<'a> {
    /// When it arrived, in nanoseconds from any fixed time.
    pub time_ns: i64,
    /// The steps of the log's clock, in nanoseconds, as far as this stamp shows them.
    pub resolution_ns: u64,
    /// Its duration; zero if the log has none.
    pub duration: Nanos,
    /// Stands for the user: see [`user_number`].
    pub user: u64,
    /// The method, as in `GET`.
    pub method: &'a [u8],
    /// The path with its query.
    pub target: &'a [u8],
}

/// Stands for the user with these texts: the same on every machine (FNV-1a, 64 bits).
#[must_use]
pub fn user_number(parts: &[&[u8]]) -> u64 {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let step = |number: u64, byte: &u8| (number ^ u64::from(*byte)).wrapping_mul(PRIME);
    // A text's end counts as one more byte, so that "a", "bc" is another user than "ab", "c".
    parts.iter().fold(BASIS, |number, part| part.iter().chain(&[0xff]).fold(number, step))
}

/// The requests of a log that can be replayed, 32 bytes each; their targets are kept once.
#[derive(Clone, Debug)]
pub struct RequestLog {
    pub(super) requests: Vec<Request>,
    /// The steps of the log's clock: the finest of any stamp.
    pub(super) resolution_ns: u64,
    pub(super) targets: Texts,
    pub(super) users: Users,
    pub(super) exclusions: Exclusions,
    /// The path of the file, for messages; empty if it is not known.
    pub(super) path: String,
    all_methods: bool,
}

/// One request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub(super) time_ns: i64,
    pub(super) duration: Nanos,
    pub(super) target: u32,
    pub(super) user: u32,
    /// The next request of its session; [`NONE`] for the last.
    pub(super) next: u32,
    pub(super) kind: u16,
    pub(super) method: Method,
}

/// No request.
pub(super) const NONE: u32 = u32::MAX;

/// The part of a log that is not replayed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Exclusions {
    /// Requests whose methods may change something.
    unsafe_methods: u64,
    /// Requests whose methods cannot be sent.
    methods: u64,
    /// Requests whose targets cannot be sent.
    targets: u64,
    /// Unreadable lines.
    lines: u64,
}

impl RequestLog {
    /// Without a request yet.
    #[must_use]
    pub fn new(options: &LogOptions) -> RequestLog {
        RequestLog {
            requests: Vec::new(),
            resolution_ns: u64::MAX,
            targets: Texts::default(),
            users: Users::default(),
            exclusions: Exclusions::default(),
            path: String::new(),
            all_methods: options.all_methods,
        }
    }

    /// The same log, of the file at this path.
    #[must_use]
    pub fn of_file(mut self, path: &str) -> RequestLog {
        path.clone_into(&mut self.path);
        self
    }

    /// One request, `GET /`, for logs that no longer exist.
    #[must_use]
    pub fn placeholder() -> RequestLog {
        let mut log = RequestLog::new(&LogOptions::default());
        log.add(&LogRequest {
            time_ns: 0,
            resolution_ns: 1,
            duration: Nanos::ZERO,
            user: 0,
            method: b"GET",
            target: b"/",
        });
        log
    }

    /// Takes a request, in any order; only counts it if it cannot be replayed.
    ///
    /// # Panics
    /// When there are 2^32 requests or more.
    pub fn add(&mut self, request: &LogRequest<'_>) {
        let Some(method) = Method::of_http(request.method) else {
            self.exclusions.methods += 1;
            return;
        };
        if !self.all_methods && !method.is_safe() {
            self.exclusions.unsafe_methods += 1;
            return;
        }
        let target = std::str::from_utf8(request.target).ok().filter(|text| can_be_sent(text));
        let Some(target) = target else {
            self.exclusions.targets += 1;
            return;
        };
        self.resolution_ns = self.resolution_ns.min(request.resolution_ns);
        assert!(self.requests.len() < NONE as usize, "fewer than 2^32 requests");
        self.requests.push(Request {
            time_ns: request.time_ns,
            duration: request.duration,
            target: self.targets.number(target),
            user: self.users.number(request.user),
            next: NONE,
            kind: 0,
            method,
        });
    }

    /// This many lines were unreadable.
    pub fn add_unreadable(&mut self, lines: u64) {
        self.exclusions.lines += lines;
    }

    /// The part of the log of this name that is left out, in words; `None` if it is complete.
    pub(super) fn exclusion_words(&self, name: &str) -> Option<String> {
        let Exclusions { unsafe_methods, methods, targets, lines } = self.exclusions;
        let counted = |count: u64, what: &str| (count > 0).then(|| format!("{count} {what}"));
        let parts: Vec<String> = [
            counted(unsafe_methods, "whose method may change something (see `methods`)"),
            counted(methods, "whose method cannot be sent"),
            counted(targets, "whose target cannot be sent"),
        ]
        .into_iter()
        .flatten()
        .collect();
        let out = unsafe_methods + methods + targets;
        let all = out + self.requests.len() as u64;
        let requests = (out > 0).then(|| {
            let (out, all) = (words::count(out), words::count(all));
            format!("{out} of {all} requests are left out: {}", parts.join(", "))
        });
        let lines = counted(lines, if lines == 1 { "line" } else { "lines" });
        let lines = lines.map(|lines| format!("{lines} cannot be read"));
        let words: Vec<String> = [requests, lines].into_iter().flatten().collect();
        (!words.is_empty()).then(|| format!("{name}: {}", words.join("; ")))
    }
}

/// Whether a target can be put into a request as it is.
fn can_be_sent(target: &str) -> bool {
    target.starts_with('/') && target.bytes().all(|byte| byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_takes_32_bytes() {
        assert_eq!(size_of::<Request>(), 32);
    }

    #[test]
    fn what_cannot_be_replayed_is_counted() {
        let add = |log: &mut RequestLog, method: &str, target: &[u8]| {
            let method = method.as_bytes();
            let (time_ns, resolution_ns, duration) = (0, 1, Nanos::ZERO);
            log.add(&LogRequest { time_ns, resolution_ns, duration, user: 1, method, target });
        };
        let all = [("GET", &b"/"[..]), ("HEAD", b"/"), ("OPTIONS", b"/"), ("POST", b"/")];
        let others = [("PROPFIND", &b"/"[..]), ("", b"/"), ("get", b"/"), ("GET", b"/a b")];
        let mut log = RequestLog::new(&LogOptions::default());
        for (method, target) in all.into_iter().chain(others) {
            add(&mut log, method, target);
        }
        for target in ["/ü", "*", "", "http://o.org/", "/a\n"] {
            add(&mut log, "GET", target.as_bytes());
        }
        add(&mut log, "GET", b"/\xff");
        assert_eq!(log.requests.len(), 3);
        log.add_unreadable(2);
        assert_eq!(
            log.exclusion_words("a.log").unwrap(),
            "a.log: 11 of 14 requests are left out: 1 whose method may change something (see \
             `methods`), 3 whose method cannot be sent, 7 whose target cannot be sent; 2 lines \
             cannot be read"
        );
        let mut log = RequestLog::new(&LogOptions { all_methods: true, ..LogOptions::default() });
        for method in ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"] {
            add(&mut log, method, b"/a?b");
        }
        assert_eq!((log.requests.len(), log.exclusion_words("a")), (7, None));
    }

    /// From the reference of FNV (draft-eastlake-fnv): FNV-1a of "a" is 0xaf63dc4c8601ec8c.
    #[test]
    fn users_are_numbered_by_what_is_known_of_them() {
        let prime = 0x0100_0000_01b3_u64;
        let a = 0xaf63_dc4c_8601_ec8c_u64;
        assert_eq!(user_number(&[b"a"]), (a ^ 0xff).wrapping_mul(prime));
        assert_ne!(user_number(&[b"a", b"bc"]), user_number(&[b"ab", b"c"]));
    }
}
