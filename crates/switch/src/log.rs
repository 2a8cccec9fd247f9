//! The access log: a line for each request, in the Combined Log Format, with nginx's request time
//! after it, and the server.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard};

use hyper::header::{HeaderValue, REFERER, USER_AGENT};
use hyper::{Request, Version};
use tokio::time::Instant;

use crate::date_text::DateText;

/// The destination of lines.
#[derive(Debug)]
pub(crate) struct AccessLog(Mutex<State>);

#[derive(Debug)]
struct State {
    to: BufWriter<File>,
    time: DateText,
    failed: Option<io::Error>,
    /// Why lines are missing from an earlier file.
    lost: Option<String>,
}

/// A request in the log.
#[derive(Debug)]
pub(crate) struct Entry {
    from: IpAddr,
    line: String,
    referer: String,
    agent: String,
    start: Instant,
}

impl Entry {
    /// The properties of a request of a client at its arrival.
    pub(crate) fn new<B>(from: IpAddr, request: &Request<B>) -> Entry {
        let version = match request.version() {
            Version::HTTP_10 => "1.0",
            Version::HTTP_2 => "2.0",
            _ => "1.1",
        };
        let (method, uri) = (request.method(), request.uri());
        // Requests of HTTP/2 name scheme and host beside the path.
        let path = uri.path_and_query().filter(|_| request.version() == Version::HTTP_2);
        let line = match path {
            Some(path) => format!("{method} {path} HTTP/{version}"),
            None => format!("{method} {uri} HTTP/{version}"),
        };
        let value = |name| request.headers().get(name).map(HeaderValue::as_bytes);
        Entry::of(from, line.as_bytes(), value(REFERER), value(USER_AGENT))
    }

    /// From the request's line and the fields of that name.
    pub(crate) fn of(
        from: IpAddr,
        line: &[u8],
        referer: Option<&[u8]>,
        agent: Option<&[u8]>,
    ) -> Entry {
        let said = |value: Option<&[u8]>| value.map_or_else(|| "-".to_owned(), escaped);
        let (referer, agent) = (said(referer), said(agent));
        Entry { from, line: escaped(line), referer, agent, start: Instant::now() }
    }
}

/// Escaped as in nginx and Apache: no client can write its own lines.
fn escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for byte in bytes {
        match byte {
            b' '..=b'~' if !b"\"\\".contains(byte) => text.push(char::from(*byte)),
            // Writing into a text does not fail.
            _ => drop(write!(text, "\\x{byte:02X}")),
        }
    }
    text
}

impl AccessLog {
    pub(crate) fn new(to: File) -> AccessLog {
        let (to, time) = (BufWriter::new(to), DateText::new("%d/%b/%Y:%H:%M:%S +0000"));
        AccessLog(Mutex::new(State { to, time, failed: None, lost: None }))
    }

    /// Later lines go to another file.
    pub(crate) fn reopen(&self, file: File) {
        self.flush();
        let mut state = self.state();
        state.to = BufWriter::new(file);
        state.lost = state.failed.take().map(|error| error.to_string()).or(state.lost.take());
    }

    /// Writes the line of a request that has just ended. `server` is `None` if the switch itself
    /// has answered.
    pub(crate) fn write(&self, entry: &Entry, status: u16, bytes: u64, server: Option<usize>) {
        let took_s = entry.start.elapsed().as_secs_f64();
        let mut state = self.state();
        let server = server.map_or_else(|| "-".to_owned(), |server| server.to_string());
        let Entry { from, line, referer, agent, .. } = entry;
        let State { to, time, failed, .. } = &mut *state;
        if failed.is_some() {
            return;
        }
        let time = time.now();
        let written = writeln!(
            to,
            "{from} - - [{time}] \"{line}\" {status} {bytes} \"{referer}\" \"{agent}\" \
             rt={took_s:.6} server={server}"
        );
        *failed = written.err();
    }

    /// Flushes all lines to the file.
    pub(crate) fn flush(&self) {
        let mut state = self.state();
        if let Err(error) = state.to.flush() {
            state.failed.get_or_insert(error);
        }
    }

    /// Why lines are missing from the file, if any are.
    pub(crate) fn failure(&self) -> Option<String> {
        self.flush();
        let state = self.state();
        state.failed.as_ref().map(io::Error::to_string).or_else(|| state.lost.clone())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
