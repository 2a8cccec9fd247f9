//! The texts before lines, as containers, system logs and loggers write them, and around lines, as
//! stores of logs export them. Such a prefix is removed if most of the first lines have it, with
//! every format, and several may be nested. For lines without a time, that of the prefix is used.
//!
//! | prefix | source |
//! |---|---|
//! | Docker's `json-file` | <https://docs.docker.com/engine/logging/drivers/json-file/> |
//! | Kubernetes' CRI | `kubelet-cri-logging.md` in github.com/kubernetes/design-proposals-archive |
//! | journal as JSON | <https://systemd.io/JOURNAL_EXPORT_FORMATS/> |
//! | Filebeat's output | <https://www.elastic.co/docs/reference/beats/filebeat> |
//! | syslog, journal as text | RFC 3164, section 4.1; RFC 5424, section 6 |
//! | Compose, kubectl | `docker compose logs`, `kubectl logs --prefix --timestamps` |
//! | levels | <https://docs.python.org/3/library/logging.html>, and loggers like it |
//! | text before JSON | the consoles of Caddy and zap, the files of Fluentd |
//! | any text | before a client of the Common Log Format |
//! | exports | cells of RFC 4180, strings of RFC 8259 |

mod chain;
mod level;
mod other;
mod quoted;
mod stamp;
mod syslog;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use super::scanner::Scanner;
use super::{Head, json};
use crate::entry::Text;
use crate::source::PARQUET_SEPARATOR;
use crate::time::{Clock, Stamp as Time};
pub(super) use chain::PrefixChain;

/// The prefix of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prefix {
    /// `{"log":"LINE\n","stream":"stdout","time":"..."}`, and others: the key of the line, and that
    /// of its time.
    Member(&'static str, &'static str),
    /// `"LINE"`, as a string of JSON, or as a cell of a table, perhaps among others.
    Quoted,
    /// Orders of terminals within the line, as for colours.
    Colour,
    /// `2026-11-22T10:00:00.123456789Z stdout F LINE`
    Cri,
    /// `<190>1 2026-11-22T10:00:00Z host program pid id - LINE`
    Syslog,
    /// `<190>Nov 22 10:00:00 host program[pid]: LINE`; the number, host and pid may be missing.
    OldSyslog,
    /// `2026-11-22T10:00:00+00:00 host program[pid]: LINE`
    IsoSyslog,
    /// `web-1  | LINE`
    Name,
    /// `[pod/web-1/nginx] LINE`
    Pod,
    /// `2026-11-22 10:00:00,123 - program - INFO - LINE`; there may be less before the level.
    Level,
    /// `2026-11-22T10:00:00.123456789Z LINE`
    Stamp,
    /// `2026/11/22 10:00:00.123 INFO handled request {...}`
    Object,
    /// `web-7d nginx 192.0.2.1 - - [22/Nov/2026:...`
    Client,
}

use Prefix::{
    Client, Colour, Cri, IsoSyslog, Level, Member, Name, Object, OldSyslog, Pod, Quoted, Stamp,
    Syslog,
};

/// All, the more telling ones first.
const ALL: [Prefix; 20] = [
    Colour,
    Member("log", "time"),
    Member("MESSAGE", "__REALTIME_TIMESTAMP"),
    Member("message", "@timestamp"),
    Member("short_message", "timestamp"),
    Member("line", "timestamp"),
    Member("textPayload", "timestamp"),
    Member("@message", "@timestamp"),
    Member("_raw", "_time"),
    Quoted,
    Cri,
    Syslog,
    OldSyslog,
    IsoSyslog,
    Name,
    Pod,
    Level,
    Stamp,
    Object,
    Client,
];
/// The lines that decide about it.
const LINES_JUDGED: usize = 500;
/// The longest name before a line.
const NAME_MAX: usize = 120;

impl Prefix {
    /// The prefix of most of the first lines.
    pub(super) fn of_most(head: &Head<'_>) -> impl Iterator<Item = Prefix> {
        let lines = || head.lines().filter(|line| !line.is_empty()).take(LINES_JUDGED);
        let all = lines().count();
        // Cells of a table hold what they hold.
        let is_table = lines().next().is_some_and(|line| line.contains(&PARQUET_SEPARATOR));
        // Objects with the request in keys of their own need no text of it.
        let is_object = lines().next().is_some_and(|line| line.starts_with(b"{"));
        let has_request = is_object && json::has_request(head);
        let told = move |one: &Prefix| has_request && matches!(one, Member(..));
        let peeled = ALL.into_iter().filter(move |one| !is_table && !told(one));
        peeled.filter(move |prefix| {
            let having = lines().filter(|line| prefix.peel(line).is_some()).count();
            // Only lines of some kinds are coloured.
            if *prefix == Colour { having > 0 } else { 2 * having > all }
        })
    }

    /// The first lines without it, for [`Head`], and whether most of them had a time in it.
    pub(super) fn peeled(self, head: &Head<'_>) -> (Vec<u8>, bool) {
        let (mut bytes, mut all, mut timed) = (Vec::new(), 0, 0);
        let mut clock = Clock::default();
        for line in head.lines() {
            let Some(inner) = self.strip(line) else { continue };
            bytes.extend_from_slice(&inner);
            bytes.push(b'\n');
            all += 1;
            if all <= LINES_JUDGED && self.time(line, &mut clock).is_some() {
                timed += 1;
            }
        }
        (bytes, head.timed || 2 * timed > all.min(LINES_JUDGED))
    }

    /// A line without it, if it may stand without it.
    fn strip(self, line: &[u8]) -> Option<Text<'_>> {
        let bare = || (self == Colour).then_some(Cow::Borrowed(line));
        self.peel(line).or_else(bare)
    }

    /// A line without it, if it has it.
    fn peel(self, line: &[u8]) -> Option<Text<'_>> {
        let plain = match self {
            Member(key, _) => return text_of(line, key),
            Quoted => return quoted::inner(line),
            Colour => return without_orders(line),
            Cri => cri(line)?,
            Syslog => syslog::new(line)?,
            OldSyslog => syslog::old(line)?,
            IsoSyslog => syslog::tagged(stamp::after(syslog::after_priority(line))?)?,
            Name => named(line)?,
            Pod => {
                let inner = line.strip_prefix(b"[pod/")?;
                inner.get(memchr::memmem::find(inner, b"] ")? + 2..)?
            }
            Level => level::after(line)?,
            Stamp => stamp::after(line)?,
            Object => other::object(line)?,
            Client => other::client(line)?,
        };
        Some(Cow::Borrowed(plain))
    }

    /// The name of the program or process in it, if several may write such lines.
    fn source(self, line: &[u8]) -> &[u8] {
        let before = match self {
            Name => named(line),
            OldSyslog => syslog::old(line),
            IsoSyslog | Level | Pod => {
                self.peel(line).map(|inner| &line[line.len() - inner.len()..])
            }
            _ => None,
        };
        let before = &line[..line.len() - before.map_or(line.len(), <[u8]>::len)];
        let words = || before.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let of_process = |word: &&[u8]| word.starts_with(b"#");
        let found = if self == Level { words().find(of_process) } else { words().next_back() };
        // Nothing before the line names no process.
        match self {
            Name => words().next().unwrap_or_default(),
            _ => found.unwrap_or_default(),
        }
    }

    /// Its own time, if it has one.
    fn time(self, line: &[u8], clock: &mut Clock) -> Option<Time> {
        match self {
            Member(_, key) => {
                let object = Scanner::new(line);
                let number = || object.source_of(key).map(Cow::Borrowed);
                clock.any(&object.text_of(key).or_else(number)?).ok()
            }
            Cri | IsoSyslog | Stamp | Object => stamp::of(syslog::after_priority(line), clock),
            Syslog => stamp::of(after_space(line)?, clock),
            Level => {
                let before = &line[..line.len() - level::after(line)?.len()];
                let at = before.iter().position(u8::is_ascii_digit)?;
                stamp::of(&before[at..], clock)
            }
            Quoted => quoted::time(line, clock),
            Colour | OldSyslog | Name | Pod | Client => None,
        }
    }
}

/// A key's text in an object, without the line's end.
fn text_of<'a>(line: &'a [u8], key: &str) -> Option<Text<'a>> {
    if line.first() != Some(&b'{') {
        return None;
    }
    let text = Scanner::new(line).text_of(key)?;
    let length = text.trim_ascii_end().len();
    Some(crate::text::part(&text, 0..length))
}

/// The text after the next space.
fn after_space(text: &[u8]) -> Option<&[u8]> {
    text.get(memchr::memchr(b' ', text)? + 1..)
}

const ESCAPE: u8 = 0x1b;

/// A line without a terminal's orders, such as `ESC[32m` (ECMA-48, section 5.4), if words of it
/// begin with one, or columns between bars. Within a word it was sent by a client.
fn without_orders(line: &[u8]) -> Option<Text<'_>> {
    let first = memchr::memchr(ESCAPE, line)?;
    let before = &line[..first];
    let begins_word = before.last().is_none_or(|byte| b" \"".contains(byte));
    if !begins_word && !before.ends_with(b" |") {
        return None;
    }
    let mut plain = Vec::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = memchr::memchr(ESCAPE, rest) {
        plain.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(order) = rest.strip_prefix(b"[") {
            let end = order.iter().position(|byte| (0x40..=0x7e).contains(byte));
            rest = &order[end.map_or(order.len(), |end| end + 1)..];
        }
    }
    plain.extend_from_slice(rest);
    Some(Cow::Owned(plain))
}

fn cri(line: &[u8]) -> Option<&[u8]> {
    let rest = stamp::after(line)?;
    let rest = rest.strip_prefix(b"stdout ").or_else(|| rest.strip_prefix(b"stderr "))?;
    matches!(rest.first()?, b'F' | b'P').then(|| after_space(rest))?
}

fn named(line: &[u8]) -> Option<&[u8]> {
    let bar = memchr::memchr(b'|', line.get(..line.len().min(NAME_MAX))?)?;
    let name = line[..bar].strip_suffix(b" ")?.trim_ascii_end();
    let in_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-".contains(byte);
    let fits = !name.is_empty() && name.iter().all(in_name);
    fits.then(|| line[bar + 1..].strip_prefix(b" "))?
}
