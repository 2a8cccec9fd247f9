//! The prefixes of containers and system logs. A prefix is removed if most of the first lines have
//! it, with every format, and several may be nested.
//!
//! | prefix | source |
//! |---|---|
//! | Docker's `json-file` | <https://docs.docker.com/engine/logging/drivers/json-file/> |
//! | Kubernetes' CRI | `kubelet-cri-logging.md` in github.com/kubernetes/design-proposals-archive |
//! | journal as JSON | <https://systemd.io/JOURNAL_EXPORT_FORMATS/> |
//! | Filebeat's output | <https://www.elastic.co/docs/reference/beats/filebeat> |
//! | syslog, journal as text | RFC 3164, section 4.1; RFC 5424, section 6 |
//! | Compose, kubectl | `docker compose logs`, `kubectl logs --prefix --timestamps` |

use std::borrow::Cow;
use std::sync::Arc;

use super::scanner::Scanner;
use super::{Format, Head, Take};
use crate::entry::Text;
use crate::reason::Reason;
use crate::time::Clock;

/// The prefix of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prefix {
    /// `{"log":"LINE\n","stream":"stdout","time":"..."}`
    Docker,
    /// `{"MESSAGE":"LINE", ...}`
    Journal,
    /// `{"message":"LINE", ...}`
    Filebeat,
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
    /// `2026-11-22T10:00:00.123456789Z LINE`
    Stamp,
}

use Prefix::{Cri, Docker, Filebeat, IsoSyslog, Journal, Name, OldSyslog, Pod, Stamp, Syslog};

/// All, the more telling ones first.
const ALL: [Prefix; 10] =
    [Docker, Journal, Filebeat, Cri, Syslog, OldSyslog, IsoSyslog, Name, Pod, Stamp];
/// The lines that decide about it.
const LINES_JUDGED: usize = 500;
/// The longest name before a line.
const NAME_MAX: usize = 120;

impl Prefix {
    /// The prefix of most of the first lines.
    pub(super) fn of_most(head: &Head<'_>) -> impl Iterator<Item = Prefix> {
        let lines = || head.lines().filter(|line| !line.is_empty()).take(LINES_JUDGED);
        let all = lines().count();
        ALL.into_iter().filter(move |prefix| {
            2 * lines().filter(|line| prefix.peel(line).is_some()).count() > all
        })
    }

    /// The first lines without it, for [`Head`].
    pub(super) fn peeled(self, head: &Head<'_>) -> Vec<u8> {
        let mut bytes = Vec::new();
        for line in head.lines().filter_map(|line| self.peel(line)) {
            bytes.extend_from_slice(&line);
            bytes.push(b'\n');
        }
        bytes
    }

    /// A line without it, if it has it.
    fn peel(self, line: &[u8]) -> Option<Text<'_>> {
        let plain = match self {
            Docker => return text_of(line, "log"),
            Journal => return text_of(line, "MESSAGE"),
            Filebeat => return text_of(line, "message"),
            Cri => cri(line)?,
            Syslog => syslog(line)?,
            OldSyslog => old_syslog(line)?,
            IsoSyslog => tagged(stamped(line)?)?,
            Name => named(line)?,
            Pod => {
                let inner = line.strip_prefix(b"[pod/")?;
                inner.get(memchr::memmem::find(inner, b"] ")? + 2..)?
            }
            Stamp => stamped(line)?,
        };
        Some(Cow::Borrowed(plain))
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

/// The text after a time such as `2026-11-22T10:00:00.123Z`.
fn stamped(line: &[u8]) -> Option<&[u8]> {
    let shape = line.get(..19)?.iter().zip(b"dddd-dd-ddTdd:dd:dd");
    let fits = shape.into_iter().all(|(byte, wanted)| match wanted {
        b'd' => byte.is_ascii_digit(),
        _ => byte == wanted,
    });
    let rest = &line[19..];
    let zone = rest.get(..memchr::memchr(b' ', rest)?)?;
    let in_zone = |byte: &u8| byte.is_ascii_digit() || b".,:+-Zz".contains(byte);
    (fits && zone.iter().all(in_zone)).then(|| &rest[zone.len() + 1..])
}

fn cri(line: &[u8]) -> Option<&[u8]> {
    let rest = stamped(line)?;
    let rest = rest.strip_prefix(b"stdout ").or_else(|| rest.strip_prefix(b"stderr "))?;
    matches!(rest.first()?, b'F' | b'P').then(|| after_space(rest))?
}

/// The text after `<190>`; the whole line without such a number.
fn after_priority(line: &[u8]) -> &[u8] {
    let Some(inner) = line.strip_prefix(b"<") else { return line };
    let digits = inner.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match inner.get(digits) {
        Some(b'>') if (1..=3).contains(&digits) => &inner[digits + 1..],
        _ => line,
    }
}

fn old_syslog(line: &[u8]) -> Option<&[u8]> {
    let line = after_priority(line);
    let stamp = line.get(..15)?;
    let months = [b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun"];
    let others = [b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"];
    let in_year = months.iter().chain(&others).any(|month| stamp.starts_with(*month));
    let in_stamp = |byte: &u8| byte.is_ascii_digit() || b" :".contains(byte);
    if !in_year || !stamp[3..].iter().all(in_stamp) || (stamp[9], stamp[12]) != (b':', b':') {
        return None;
    }
    // A fraction may follow.
    tagged(after_space(&line[15..])?)
}

/// The text after `host program[pid]: `, or after the program alone.
fn tagged(rest: &[u8]) -> Option<&[u8]> {
    let end = memchr::memmem::find(rest, b": ")?;
    let tag = &rest[..end];
    let in_tag = |byte: &u8| byte.is_ascii_graphic() && *byte != b'"' || *byte == b' ';
    let spaces = tag.iter().filter(|byte| **byte == b' ').count();
    let fits = end <= NAME_MAX && spaces <= 1 && tag.iter().all(in_tag) && !tag.is_empty();
    fits.then(|| &rest[end + 2..])
}

fn syslog(line: &[u8]) -> Option<&[u8]> {
    let rest = after_priority(line);
    if rest.len() == line.len() {
        return None;
    }
    // Version, time, host, program, process, message.
    let mut rest = rest.strip_prefix(b"1 ")?;
    for _ in 0..5 {
        rest = after_space(rest)?;
    }
    let rest = match rest.first()? {
        b'-' => rest.get(2..)?,
        b'[' => rest.get(memchr::memmem::find(rest, b"] ")? + 2..)?,
        _ => return None,
    };
    Some(rest.strip_prefix(b"\xef\xbb\xbf").unwrap_or(rest))
}

fn named(line: &[u8]) -> Option<&[u8]> {
    // A terminal's order to clear the line, which Compose writes before names.
    let line = line.strip_prefix(b"\x1b[2K").unwrap_or(line);
    let bar = memchr::memchr(b'|', line.get(..line.len().min(NAME_MAX))?)?;
    let name = line[..bar].strip_suffix(b" ")?.trim_ascii_end();
    let in_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-".contains(byte);
    let fits = !name.is_empty() && name.iter().all(in_name);
    fits.then(|| line[bar + 1..].strip_prefix(b" "))?
}

/// Lines that have this before them.
#[derive(Debug)]
pub(super) struct PrefixChain {
    pub(super) prefix: Prefix,
    pub(super) inner: Arc<dyn Format>,
}

impl Format for PrefixChain {
    fn read(&self, line: &[u8], clock: &mut Clock, take: &mut Take<'_>) -> Result<(), Reason> {
        let inner = self.prefix.peel(line).ok_or(Reason::NotThisFormat)?;
        match inner.first() {
            None | Some(b'#') => Ok(()),
            Some(_) => self.inner.read(&inner, clock, take),
        }
    }

    fn unused_fields(&self) -> Vec<String> {
        self.inner.unused_fields()
    }

    fn doubts(&self) -> Vec<String> {
        self.inner.doubts()
    }

    fn unit_open(&self) -> bool {
        self.inner.unit_open()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_peeled_off() {
        for (prefix, line) in [
            (Docker, r#"{"log":"a \"b\" : c\n","stream":"stdout","time":"2026-11-22T10:00:00Z"}"#),
            (Journal, r#"{"_PID":"7","MESSAGE":"a \"b\" : c","PRIORITY":"6"}"#),
            (Filebeat, r#"{"@timestamp":"2026-11-22T10:00:00Z","message":"a \"b\" : c"}"#),
            (Cri, "2026-11-22T10:00:00.123456789Z stdout F a \"b\" : c"),
            (Cri, "2026-11-22T10:00:00.123456789+01:00 stderr F a \"b\" : c"),
            (Syslog, "<190>1 2026-11-22T10:00:00Z web nginx 7 - - a \"b\" : c"),
            (Syslog, "<190>1 2026-11-22T10:00:00Z web nginx - - [x y=\"1\"] a \"b\" : c"),
            (OldSyslog, "<190>Nov 22 10:00:00 web nginx: a \"b\" : c"),
            (OldSyslog, "Nov  2 10:00:00 web nginx[77]: a \"b\" : c"),
            (OldSyslog, "Nov 22 10:00:00.123456 nginx: a \"b\" : c"),
            (IsoSyslog, "2026-11-22T10:00:00.123+00:00 web haproxy[7]: a \"b\" : c"),
            (Name, "web-1  | a \"b\" : c"),
            (Name, "\u{1b}[2Kweb-1  | a \"b\" : c"),
            (Pod, "[pod/web-7d9/nginx] a \"b\" : c"),
            (Stamp, "2026-11-22T10:00:00Z a \"b\" : c"),
        ] {
            let plain = prefix.peel(line.as_bytes());
            assert_eq!(plain.as_deref(), Some(&b"a \"b\" : c"[..]), "{prefix:?} {line}");
            for end in 0..line.len() {
                let rest = prefix.peel(&line.as_bytes()[..end]);
                assert!(rest.is_none_or(|rest| rest.len() <= end), "{prefix:?} {line} to {end}");
            }
        }
    }

    #[test]
    fn lines_of_logs_are_no_prefixes() {
        let common = b"10.0.0.1 - - [22/Nov/2026:10:00:00 +0000] \"GET /a: | b HTTP/1.1\" 200 5";
        let json = br#"{"time":"2026-11-22T10:00:00Z","path":"/log","request":{"log":"x"}}"#;
        for line in [&common[..], json, b"", b"<", b"<1>", b"time|ip|path", b" | x"] {
            assert!(ALL.iter().all(|prefix| prefix.peel(line).is_none()), "{line:?}");
        }
    }
}
