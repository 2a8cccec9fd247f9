//! A client's connection to the file server: its requests in their order, one response at a time.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, UNIX_EPOCH};

use nix::sys::socket::{setsockopt, sockopt};
use rustix::fs::sendfile;
use rustix::io::Errno;
use rustix::net::SendFlags;

use super::folder::{FileRefusal, Folder, RequestedFile};
use super::{IF_NONE_MATCH, LinkClass};
use crate::poller::Clock;
use crate::protocol::http1::{Request, RequestReader, write_response_head};

/// A connection with its requests.
pub(super) struct Connection {
    pub(super) stream: TcpStream,
    pub(super) reader: RequestReader,
    pub(super) asked: VecDeque<Request>,
    sending: Option<Response>,
    /// The class of its packets, if the kernel knows it.
    class: Option<u32>,
    /// The connection ends after this response.
    pub(super) closing: bool,
    /// Its last input cannot be parsed.
    bad: bool,
    /// The client will send no more, or nothing more that is read.
    pub(super) ended: bool,
    /// It waits for permission to send a body, which it gets when no response is under way.
    pub(super) waits_for_leave: bool,
    /// Everything is sent. Its further input is thrown away for a moment: closing at once could
    /// destroy the last response.
    pub(super) lingers: bool,
    /// The number of its last response among all.
    pub(super) begun: u64,
    /// Whether it has more to read, and waits for its turn.
    pub(super) unread: bool,
    /// The time of its last input or output, in seconds of the server's clock.
    pub(super) last_s: f64,
}

/// A client that pipelines this much is no longer read.
const PIPELINED_MAX: usize = 64;
const NO_SNIFFING: (&str, &str) = ("X-Content-Type-Options", "nosniff");

/// A response under way.
struct Response {
    head: Vec<u8>,
    /// The sent bytes of the head.
    sent: usize,
    file: Option<File>,
    offset: u64,
    /// The remaining bytes of the file.
    left: u64,
}

/// The outcome of sending.
pub(super) enum SendOutcome {
    /// This many bytes were sent.
    Some(usize),
    /// The socket accepts nothing now.
    Full,
    /// The client has left, or the file is shorter than it was.
    Broken,
}

impl Connection {
    pub(super) fn new(stream: TcpStream, now_s: f64) -> Connection {
        Connection {
            stream,
            reader: RequestReader::new(&[IF_NONE_MATCH]),
            asked: VecDeque::new(),
            sending: None,
            class: None,
            closing: false,
            bad: false,
            ended: false,
            waits_for_leave: false,
            lingers: false,
            begun: 0,
            unread: false,
            last_s: now_s,
        }
    }

    /// The remaining bytes of the response under way, if any.
    pub(super) fn left(&self) -> Option<u64> {
        self.sending.as_ref().map(Response::left)
    }

    /// Begins the next response, if a request waits and no response is under way; gives its status.
    pub(super) fn begin(&mut self, folder: &Folder) -> Option<u16> {
        if self.sending.is_some() {
            return None;
        }
        let (response, status) = match self.asked.pop_front() {
            Some(request) => {
                self.closing |= !request.keep_alive || self.ended && self.asked.is_empty();
                Response::to(&request, folder, !self.closing)
            }
            None if self.bad && !self.closing => {
                self.closing = true;
                (Response::without_file(400, &[], false), 400)
            }
            None => return None,
        };
        self.sending = Some(response);
        Some(status)
    }

    /// Its input cannot be parsed: this is its last response.
    pub(super) fn refuse(&mut self) {
        self.bad = true;
    }

    /// Accepts a request. After the last one, and after a maximum, the connection is no longer
    /// read.
    pub(super) fn ask(&mut self, request: Request) {
        self.ended |= !request.keep_alive;
        self.asked.push_back(request);
        self.ended |= self.asked.len() >= PIPELINED_MAX;
    }

    /// Whether its input is still read.
    pub(super) fn is_watched(&self) -> bool {
        !self.closing && !self.bad && !self.ended
    }

    /// Announces the end of sending; says whether the connection may linger.
    pub(super) fn say_goodbye(&mut self) -> bool {
        self.lingers = self.bad && self.stream.shutdown(Shutdown::Write).is_ok();
        self.lingers
    }

    /// Whether the connection needs nothing more.
    pub(super) fn is_done(&self) -> bool {
        self.sending.is_none() && (self.closing || self.ended && self.asked.is_empty())
    }

    /// Sends a piece of the response under way.
    pub(super) fn send(&mut self, piece: usize, class: Option<LinkClass>) -> SendOutcome {
        let Some(response) = &mut self.sending else { return SendOutcome::Full };
        if let Some(class) = class {
            let wanted = class.of(response.left());
            // Without the right to set it, the server would not have started.
            if self.class != Some(wanted)
                && setsockopt(&self.stream, sockopt::Priority, &wanted.cast_signed()).is_ok()
            {
                self.class = Some(wanted);
            }
        }
        match response.send(&self.stream, piece) {
            Ok(0) => SendOutcome::Broken,
            Ok(count) => {
                self.sending.take_if(|response| response.left() == 0);
                SendOutcome::Some(count)
            }
            Err(Errno::AGAIN) => SendOutcome::Full,
            Err(Errno::INTR) => SendOutcome::Some(0),
            Err(_) => SendOutcome::Broken,
        }
    }
}

impl Response {
    /// The response to a request, and its status.
    fn to(request: &Request, folder: &Folder, keep_alive: bool) -> (Response, u16) {
        let plain = |status, headers: &[(&str, &str)]| {
            (Response::without_file(status, headers, keep_alive), status)
        };
        if !matches!(request.method.as_str(), "GET" | "HEAD") {
            return plain(405, &[("Allow", "GET, HEAD")]);
        }
        let found = match folder.find(&request.target) {
            Ok(found) => found,
            Err(FileRefusal::Moved(to)) => return plain(301, &[("Location", &to)]),
            Err(FileRefusal::Status(status)) => return plain(status, &[]),
        };
        let RequestedFile { file, size, content_type, tag } = found;
        if request
            .headers
            .first()
            .is_some_and(|tags| tags.as_deref().is_some_and(|t| names(t, &tag)))
        {
            return plain(304, &[("ETag", &tag)]);
        }
        let headers = [("Content-Type", content_type), ("ETag", &tag), NO_SNIFFING];
        let head = head(200, &headers, size, keep_alive);
        let whole = request.method == "GET";
        let (file, left) = if whole { (Some(file), size) } else { (None, 0) };
        (Response { head, sent: 0, file, offset: 0, left }, 200)
    }

    fn without_file(status: u16, headers: &[(&str, &str)], keep_alive: bool) -> Response {
        let head = head(status, headers, 0, keep_alive);
        Response { head, sent: 0, file: None, offset: 0, left: 0 }
    }

    fn left(&self) -> u64 {
        (self.head.len() - self.sent) as u64 + self.left
    }

    /// Sends at most this many bytes of the head or of the file.
    fn send(&mut self, stream: &TcpStream, piece: usize) -> Result<usize, Errno> {
        if self.sent < self.head.len() {
            // A head shares a packet with the file that follows.
            let more = if self.left > 0 { SendFlags::MORE } else { SendFlags::empty() };
            let count =
                rustix::net::send(stream, &self.head[self.sent..], more | SendFlags::NOSIGNAL)?;
            self.sent += count;
            return Ok(count);
        }
        let Some(file) = &self.file else { return Ok(0) };
        let wanted = self.left.min(piece as u64) as usize;
        let count = sendfile(stream, file, Some(&mut self.offset), wanted)?;
        self.left -= count as u64;
        Ok(count)
    }
}

/// The head of a response, with its date.
fn head(status: u16, headers: &[(&str, &str)], size: u64, keep_alive: bool) -> Vec<u8> {
    let mut head = Vec::new();
    let now = Duration::from_secs(u64::try_from(Clock::date_s()).unwrap_or(0));
    let date = httpdate::fmt_http_date(UNIX_EPOCH + now);
    let headers: Vec<_> = [("Date", &*date)].into_iter().chain(headers.iter().copied()).collect();
    write_response_head(&mut head, status, &headers, size as usize, keep_alive);
    head
}

/// Whether a field `If-None-Match` names this tag (RFC 9110, section 13.1.2).
fn names(field: &str, tag: &str) -> bool {
    field
        .split(',')
        .map(|one| one.trim().trim_start_matches("W/"))
        .any(|one| one == tag || one == "*")
}

/// Lets the socket ask for data late: the kernel holds few unsent bytes, since the server can no
/// longer order those.
///
/// # Errors
/// If the operating system refuses.
pub(super) fn prepare(stream: &TcpStream, unsent_at_most: u32) -> io::Result<()> {
    stream.set_nonblocking(true)?;
    stream.set_nodelay(true)?;
    socket2::SockRef::from(stream).set_tcp_notsent_lowat(unsent_at_most)
}
