//! The fields of a line, and the entry that they form together.

mod meaning;
mod value;

use std::borrow::Cow;

use thinktime_core::time::Nanos;

use crate::entry::{Entry, Text};
use crate::reason::Reason;
use crate::text::{after_scheme, find_byte, part};
use crate::time::{Clock, Parts, SECOND, Stamp, epoch};
pub(crate) use meaning::Field;
pub(crate) use value::{UNKNOWN, any_duration, ip, is_address, unit_ns};
use value::{address, any_duration_or, duration, size, status, timers, whole_steps, without_port};

/// An entry under construction.
#[derive(Debug, Default)]
pub(crate) struct Draft<'a> {
    pub(crate) entry: Entry<'a>,
    stamp: Option<Stamp>,
    parts: Option<Box<Parts>>,
    duration_ns: Option<i64>,
    undispatched: bool,
    forwarded: bool,
    host_first: bool,
    end: Option<Stamp>,
    /// Whether a day and a time of day must come together.
    apart: bool,
}

impl<'a> Draft<'a> {
    /// Notes the value of a field. `-` means that there is none.
    // The fields of most lines stand here, and are compiled into the loop over a layout's pieces.
    #[inline(always)]
    pub(crate) fn set(
        &mut self,
        field: &Field,
        value: Text<'a>,
        clock: &mut Clock,
    ) -> Result<(), Reason> {
        match field {
            Field::Skip => {}
            Field::Clf => self.stamp = Some(clock.clf(&value)?),
            Field::Request => self.request(value),
            Field::Status => self.entry.status = status(&value)?,
            Field::BytesOrDash if *value == *b"-" => self.entry.bytes = Some(0),
            Field::BytesOrDash => self.entry.bytes = Some(size(&value)?),
            Field::Ident | Field::User | Field::Referrer | Field::Agent if *value == *b"-" => {}
            Field::Referrer => self.entry.referrer = value,
            Field::Agent => self.entry.agent = value,
            _ => return self.set_seldom(field, value, clock),
        }
        Ok(())
    }

    /// The same, for the other fields.
    #[inline(never)]
    fn set_seldom(
        &mut self,
        field: &Field,
        value: Text<'a>,
        clock: &mut Clock,
    ) -> Result<(), Reason> {
        match field {
            Field::Bytes if matches!(&value[..], b"-" | b"" | b"-1") => {}
            Field::Bytes => self.entry.bytes = Some(size(&value)?),
            Field::ClfMillis => self.stamp = Some(clock.clf_millis(&value)?),
            // Times have no `-`: without one there is no entry.
            Field::Iso => self.stamp = Some(clock.iso(&value)?),
            Field::Epoch(unit) => self.stamp = Some(epoch(&value, *unit)?),
            Field::AnyTime => match self.part_of_time(&value, clock) {
                Some(read) => read?,
                None => self.stamp = Some(clock.any(&value)?),
            },
            // The other column alone may have the whole time.
            Field::DayOrTime => _ = self.part_of_time(&value, clock),
            Field::End => self.end = clock.any(&value).ok(),
            Field::Pattern(pattern) => pattern.read(&value, self.parts())?,
            Field::Date => self.parts().midnight_ns = Some(clock.date(&value)?),
            Field::TimeOfDay => self.parts().read_time_of_day(&value)?,
            Field::Port if value.is_empty() || !value.iter().all(u8::is_ascii_digit) => {
                return Err(Reason::NotThisFormat);
            }
            Field::Port => {}
            _ if &value[..] == b"-" => {}
            Field::Duration(unit) => self.duration_ns = Some(duration(&value, *unit)?),
            Field::Timers => self.duration_ns = timers(&value)?,
            Field::AnyDuration => self.duration_ns = Some(any_duration(&value)?),
            Field::DurationOr(unit) => self.duration_ns = Some(any_duration_or(&value, *unit)?),
            Field::DurationPart(unit) => self.add_duration(any_duration_or(&value, *unit)?),
            _ => return self.set_text(field, value),
        }
        Ok(())
    }

    fn set_text(&mut self, field: &Field, value: Text<'a>) -> Result<(), Reason> {
        let entry = &mut self.entry;
        match field {
            Field::Address if !self.forwarded => entry.address = address(value)?,
            Field::AddressPort if !self.forwarded => {
                entry.address = address(without_port(&value))?;
            }
            Field::Ident => self.ident(value)?,
            Field::Forwarded => self.forwarded(value)?,
            Field::User => self.user(value)?,
            Field::Method => entry.method = part(&value, 0..value.trim_ascii_end().len()),
            Field::Host => entry.host = value,
            Field::Protocol => entry.protocol = value,
            Field::Query if value.first() == Some(&b'?') => {
                entry.query = part(&value, 1..value.len());
            }
            Field::Query => entry.query = value,
            Field::Url if &entry.method[..] == b"CONNECT" => entry.host = value,
            Field::HostAndUrl => match memchr::memchr(b'/', &value) {
                Some(slash) if slash > 0 && after_scheme(&value).is_none() => {
                    entry.host = part(&value, 0..slash);
                    self.url(&part(&value, slash..value.len()));
                }
                _ => self.url(&value),
            },
            Field::Url => self.url(&value),
            Field::CacheStatus => {
                let slash = memchr::memrchr(b'/', &value).ok_or(Reason::BadStatus)?;
                entry.status = status(&value[slash + 1..])?;
            }
            _ => {}
        }
        Ok(())
    }

    /// The word after the first one, which may be the client's address, behind the host.
    fn ident(&mut self, value: Text<'a>) -> Result<(), Reason> {
        if is_address(&value) && !is_address(&self.entry.address) {
            self.entry.host = std::mem::take(&mut self.entry.address);
            self.entry.address = address(value)?;
            self.host_first = true;
        }
        Ok(())
    }

    fn forwarded(&mut self, value: Text<'a>) -> Result<(), Reason> {
        let known = address(value)?;
        if &known[..] != UNKNOWN {
            self.entry.address = known;
            self.forwarded = true;
        }
        Ok(())
    }

    /// The user; behind a host, the word before it is the one after the address.
    fn user(&mut self, value: Text<'a>) -> Result<(), Reason> {
        let space = memchr::memchr(b' ', &value);
        if space.is_some() && holds_client(&value) && !is_address(&self.entry.address) {
            return Err(Reason::NotThisFormat);
        }
        let end = space.filter(|_| self.host_first);
        let user = part(&value, end.map_or(0, |space| space + 1)..value.len());
        self.entry.user = if &user[..] == b"-" { Text::default() } else { user };
        Ok(())
    }

    /// Notes a day, or a time of day, that stands alone; nothing if it is neither.
    fn part_of_time(&mut self, text: &[u8], clock: &mut Clock) -> Option<Result<(), Reason>> {
        let is_day = text.len() == 10 && matches!(text[4], b'-' | b'/') && text[7] == text[4];
        let is_time_of_day = text.len() >= 8 && text[2] == b':' && text[5] == b':';
        self.apart |= is_day || is_time_of_day;
        if is_day {
            return Some(clock.date(text).map(|ns| self.parts().midnight_ns = Some(ns)));
        }
        is_time_of_day.then(|| self.parts().read_time_of_day(text))
    }

    /// Notes the user, if the caller has named a field for that.
    pub(crate) fn set_user(&mut self, value: &Text<'a>) {
        if &value[..] != b"-" {
            self.entry.user = value.clone();
        }
    }

    /// The duration from begin to end, if both are finer than seconds and no duration is logged.
    fn take_end(&mut self, begin: Stamp) {
        let fine = |stamp: &Stamp| stamp.resolution_ns < SECOND as u64;
        if let Some(end) = self.end.filter(fine)
            && fine(&begin)
            && self.duration_ns.is_none()
        {
            let taken_ns = u64::try_from(end.ns.saturating_sub(begin.ns));
            self.entry.duration = taken_ns.ok().map(Nanos);
        }
    }

    fn parts(&mut self) -> &mut Parts {
        self.parts.get_or_insert_default()
    }

    fn add_duration(&mut self, ns: i64) {
        self.undispatched |= ns < 0;
        self.duration_ns = Some(self.duration_ns.unwrap_or(0).saturating_add(ns));
    }

    /// A request line such as `GET /a?b HTTP/1.1`. An invalid one leaves method and path empty.
    fn request(&mut self, line: Text<'a>) {
        let Some(first) = find_byte(&line, b' ') else {
            if line.first() == Some(&b'/') {
                self.url(&line);
            }
            return;
        };
        if line.starts_with(b"- ") {
            return;
        }
        let mut end = line.len();
        if let Some(last) = line.iter().rposition(|byte| *byte == b' ')
            && line[last + 1..].starts_with(b"HTTP/")
        {
            self.entry.protocol = part(&line, last + 1..end);
            end = last.max(first + 1);
        }
        self.entry.method = part(&line, 0..first);
        let target = part(&line, first + 1..end);
        if &self.entry.method[..] == b"CONNECT" {
            self.entry.host = target;
        } else {
            self.url(&target);
        }
    }

    /// A path, perhaps with a query, perhaps after scheme and host.
    #[inline]
    fn url(&mut self, url: &Text<'a>) {
        let mut begin = 0;
        if url.first() != Some(&b'/')
            && let Some(host) = after_scheme(url)
        {
            let length = url[host..].iter().position(|byte| matches!(byte, b'/' | b'?'));
            begin = length.map_or(url.len(), |length| host + length);
            self.entry.host = part(url, host..begin);
            if begin == url.len() {
                self.entry.path = Cow::Borrowed(b"/");
                return;
            }
        }
        let end = find_byte(&url[begin..], b'?').map_or(url.len(), |place| begin + place);
        self.entry.path = part(url, begin..end);
        if end < url.len() {
            self.entry.query = part(url, end + 1..url.len());
        }
    }

    /// The entry's time and duration; `ends` says that the stamp is that of the request's end. The
    /// clock has the time for a line without one.
    #[inline]
    pub(crate) fn finish(&mut self, ends: bool, clock: &Clock) -> Result<&Entry<'a>, Reason> {
        let (stamp, ends) = match (self.stamp, &self.parts) {
            (Some(stamp), _) => (stamp, ends),
            (None, Some(parts)) if self.apart && parts.seconds.is_none() => {
                return Err(Reason::NoTime);
            }
            (None, Some(parts)) => (parts.stamp()?, ends),
            // A line is written when its request has ended.
            (None, None) => (clock.outer.ok_or(Reason::NoTime)?, true),
        };
        self.entry.check()?;
        self.entry.time_ns = stamp.ns;
        self.entry.resolution_ns = stamp.resolution_ns;
        self.take_end(stamp);
        if let Some(ns) = self.duration_ns
            && ns >= 0
            && !self.undispatched
        {
            self.entry.duration = Some(Nanos(ns as u64));
            if ends {
                self.entry.time_ns = stamp.ns.saturating_sub(whole_steps(ns, stamp.resolution_ns));
            }
        }
        Ok(&self.entry)
    }
}

/// Whether text before the client was taken for its fields: behind it stand a client's address and
/// two words more. Behind a client's address another one is that of a proxy.
fn holds_client(user: &[u8]) -> bool {
    user.rsplit(|byte| *byte == b' ').nth(2).is_some_and(is_address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_stamps_in_seconds_whole_seconds_are_taken_off() {
        for (duration_ms, resolution_ns, taken_off_ms) in [
            (0, 1_000_000_000, 0),
            (999, 1_000_000_000, 0),
            (2_300, 1_000_000_000, 2_000),
            (61_000, 60_000_000_000, 60_000),
            (2_300, 100_000_000, 2_300),
            (2_300, u64::MAX, 2_300),
        ] {
            let found = whole_steps(duration_ms * 1_000_000, resolution_ns);
            assert_eq!(found, taken_off_ms * 1_000_000, "{duration_ms} ms, {resolution_ns} ns");
        }
    }

    fn request(line: &str) -> (String, String, String, String, String) {
        let mut draft = Draft::default();
        draft.request(Cow::Borrowed(line.as_bytes()));
        let word = |text: &Text<'_>| String::from_utf8(text.to_vec()).unwrap();
        let entry = &draft.entry;
        let host = word(&entry.host);
        (word(&entry.method), host, word(&entry.path), word(&entry.query), word(&entry.protocol))
    }

    #[test]
    fn request_lines_are_taken_apart() {
        for (line, expected) in [
            ("GET /a?b=c HTTP/1.1", ["GET", "", "/a", "b=c", "HTTP/1.1"]),
            ("GET /a b HTTP/1.0", ["GET", "", "/a b", "", "HTTP/1.0"]),
            ("GET /old", ["GET", "", "/old", "", ""]),
            ("GET http://h:80/a?x HTTP/1.1", ["GET", "h:80", "/a", "x", "HTTP/1.1"]),
            ("GET http://h HTTP/1.1", ["GET", "h", "/", "", "HTTP/1.1"]),
            ("CONNECT h:443 HTTP/1.1", ["CONNECT", "h:443", "", "", "HTTP/1.1"]),
            ("OPTIONS * HTTP/1.1", ["OPTIONS", "", "*", "", "HTTP/1.1"]),
            ("GET /a?u=http://x/ HTTP/2.0", ["GET", "", "/a", "u=http://x/", "HTTP/2.0"]),
            ("/only", ["", "", "/only", "", ""]),
            ("- - - ", ["", "", "", "", ""]),
            ("GET HTTP/1.1", ["GET", "", "", "", "HTTP/1.1"]),
            ("\x16\x03\x01", ["", "", "", "", ""]),
            ("-", ["", "", "", "", ""]),
        ] {
            let (method, host, path, query, protocol) = request(line);
            assert_eq!([&method[..], &host, &path, &query, &protocol], expected, "{line}");
        }
    }
}
