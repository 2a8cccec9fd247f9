//! Requests and responses of the plain kind, passed on without hyper: most of what a switch
//! forwards, at half of the user time.
//!
//! Whatever turns out not to be plain goes to hyper with all that has come of it, also when the
//! request is on its way to a server: then hyper is led along the same way and finds the place, the
//! connection and the bytes there.

use std::future::poll_fn;
use std::io;
use std::mem::take;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep, timeout};

use crate::desk::{Placed, Unplaced};
use crate::fields::Came;
use crate::forward::Lane;
use crate::log::Entry;
use crate::plain::{self, Told};
use crate::stamp::Stamp;
use crate::stop::Stop;
use crate::ticket::Ticket;

/// The largest message that is taken for a plain one, in bytes.
const MESSAGE_BYTES_MAX: usize = 8 * 1024;

/// Where a thread reads plain messages, and writes what becomes of them: only while it does that,
/// so that one is enough for all of its connections.
#[derive(Debug)]
pub(crate) struct Scratch {
    came: Box<[u8]>,
    out: Vec<u8>,
    date: Stamp,
}

impl Default for Scratch {
    fn default() -> Scratch {
        let came = vec![0; MESSAGE_BYTES_MAX].into_boxed_slice();
        let date = Stamp::new("%a, %d %b %Y %H:%M:%S GMT");
        Scratch { came, out: Vec::with_capacity(2 * MESSAGE_BYTES_MAX), date }
    }
}

/// What has become of a client's turn.
#[derive(Debug)]
pub(crate) enum Turn {
    /// It has its answer.
    Answered,
    /// It has said nothing.
    Nothing,
    Gone,
    /// It is for hyper: what has come from the client, and how far its request has gone.
    Handed(Vec<u8>, Option<Box<Begun>>),
}

/// A request that goes on by hyper.
#[derive(Debug, Default)]
pub(crate) struct Begun {
    pub(crate) entry: Option<Entry>,
    pub(crate) stage: Stage,
}

/// How far a request has gone.
#[derive(Debug, Default)]
pub(crate) enum Stage {
    #[default]
    New,
    /// The policy has been asked.
    Placed(Result<Placed, Unplaced>),
    /// It has a place, and perhaps it has been sent.
    There(Ticket, Option<Asked>),
}

/// A connection to a server over which a request has gone.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) stream: TcpStream,
    /// What has come of the response.
    pub(crate) came: Vec<u8>,
    pub(crate) since: Instant,
}

/// A request that has been sent.
#[derive(Debug)]
struct Sent {
    request: Vec<u8>,
    entry: Option<Entry>,
    ticket: Ticket,
    server: TcpStream,
    since: Instant,
}

/// What has become of it.
enum Ended {
    Answered,
    Gone,
    /// So much is left to be sent to the client.
    Left(Vec<u8>),
    /// It is for hyper; so much has come of the response.
    Odd(Vec<u8>),
}

/// The plain requests of one client.
#[derive(Debug)]
pub(crate) struct Direct {
    lane: Arc<Lane>,
    came: Came,
    told: Told,
    /// Not set anew at each request: it is looked at how long it really was when it goes off.
    alarm: Option<Pin<Box<Sleep>>>,
}

impl Direct {
    pub(crate) fn new(lane: &Arc<Lane>, came: Came) -> Direct {
        Direct { lane: Arc::clone(lane), came, told: Told::new(&came), alarm: None }
    }

    /// Looks at what the client says, and answers it if it is plain.
    pub(crate) async fn turn(&mut self, client: &mut TcpStream, stop: &mut Stop) -> Turn {
        let begun = poll_fn(|context| Poll::Ready(self.begin(client, context))).await;
        let mut sent = match begun {
            Ok(sent) => Some(sent),
            Err(turn) => return turn,
        };
        let ended = poll_fn(|context| self.poll(&mut sent, client, stop, context)).await;
        match (ended, sent) {
            (Ended::Answered, _) => Turn::Answered,
            (Ended::Left(left), _) => self.send(client, &left).await,
            (Ended::Odd(came), Some(Sent { request, entry, ticket, server, since })) => {
                let stage = Stage::There(ticket, Some(Asked { stream: server, came, since }));
                Turn::Handed(request, Some(Box::new(Begun { entry, stage })))
            }
            (Ended::Gone | Ended::Odd(_), _) => Turn::Gone,
        }
    }

    /// Reads a request, places it, and sends it.
    fn begin(&self, client: &mut TcpStream, context: &mut Context<'_>) -> Result<Sent, Turn> {
        let lane = &self.lane;
        let mut scratch = lane.scratch();
        let Scratch { came, out, .. } = &mut *scratch;
        let bytes = match read(client, came, context) {
            Poll::Ready(Ok([]) | Err(_)) => return Err(Turn::Gone),
            Poll::Ready(Ok(bytes)) => bytes,
            Poll::Pending => return Err(Turn::Nothing),
        };
        out.clear();
        let Some(plain) = plain::request(bytes, &self.told, out) else {
            return Err(Turn::Handed(bytes.to_vec(), None));
        };
        let entry = lane
            .log
            .is_some()
            .then(|| Entry::of(self.came.from, plain.line, plain.referer, plain.agent));
        let request = bytes.to_vec();
        let ticket = match lane.desk.place("GET", plain.target) {
            Ok(Placed::There(ticket)) => ticket,
            placed => {
                let stage = Stage::Placed(placed);
                return Err(Turn::Handed(request, Some(Box::new(Begun { entry, stage }))));
            }
        };
        lane.probe();
        if let Some(mut server) = lane.links.take_bare(ticket.address()) {
            let written = Pin::new(&mut server).poll_write(context, out);
            if matches!(written, Poll::Ready(Ok(length)) if length == out.len()) {
                return Ok(Sent { request, entry, ticket, server, since: Instant::now() });
            }
            // It is closed, or has half of a request: what is there of one is none.
        }
        let stage = Stage::There(ticket, None);
        Err(Turn::Handed(request, Some(Box::new(Begun { entry, stage }))))
    }

    /// Waits for the response, and passes it on.
    fn poll(
        &mut self,
        sent: &mut Option<Sent>,
        client: &mut TcpStream,
        stop: &mut Stop,
        context: &mut Context<'_>,
    ) -> Poll<Ended> {
        let Some(asked) = sent else { return Poll::Ready(Ended::Gone) };
        let mut scratch = self.lane.scratch();
        let Scratch { came, out, date } = &mut *scratch;
        let polled = read(&mut asked.server, came, context).map(Result::unwrap_or_default);
        let Poll::Ready(bytes) = polled else {
            drop(scratch);
            let late = self.is_late(asked.since, context);
            // Who says more now, or leaves, is for hyper to watch, and so is the end of all.
            let odd = late || client.poll_read_ready(context).is_ready() || stop.is_told(context);
            return if odd { Poll::Ready(Ended::Odd(Vec::new())) } else { Poll::Pending };
        };
        out.clear();
        let Some(plain) = plain::response(bytes, date, out) else {
            return Poll::Ready(Ended::Odd(bytes.to_vec()));
        };
        let Some(Sent { entry, ticket, server, .. }) = take(sent) else {
            return Poll::Ready(Ended::Gone);
        };
        let number = ticket.server;
        self.lane.passed(&ticket, server);
        // The policy hears of it before the client.
        drop(ticket);
        let written = Pin::new(client).poll_write(context, out);
        self.lane.note(entry.as_ref(), plain.status, plain.length as u64, Some(number));
        Poll::Ready(match written {
            Poll::Ready(Ok(length)) if length == out.len() => Ended::Answered,
            Poll::Ready(Ok(length)) => Ended::Left(out[length..].to_vec()),
            Poll::Ready(Err(_)) => Ended::Gone,
            Poll::Pending => Ended::Left(out.to_vec()),
        })
    }

    /// Whether the server has taken too long; looks again when it may have.
    fn is_late(&mut self, since: Instant, context: &mut Context<'_>) -> bool {
        let most = self.lane.settings.first_byte;
        let alarm = self.alarm.get_or_insert_with(|| Box::pin(sleep(most)));
        while alarm.as_mut().poll(context).is_ready() {
            if since.elapsed() >= most {
                return true;
            }
            alarm.as_mut().reset(since + most);
        }
        false
    }

    /// Sends the rest of a response to a client that does not read all of it at once.
    async fn send(&self, client: &mut TcpStream, mut left: &[u8]) -> Turn {
        while !left.is_empty() {
            match timeout(self.lane.settings.idle, client.write(left)).await {
                Ok(Ok(length)) if length > 0 => left = &left[length..],
                _ => return Turn::Gone,
            }
        }
        Turn::Answered
    }
}

/// What there is to be read, as long as it is less than there is room for: with more to come, the
/// next look would find it.
fn read<'a>(
    stream: &mut TcpStream,
    room: &'a mut [u8],
    context: &mut Context<'_>,
) -> Poll<io::Result<&'a [u8]>> {
    let mut buffer = ReadBuf::new(room);
    let polled = Pin::new(stream).poll_read(context, &mut buffer);
    let length = buffer.filled().len();
    let came = &room[..length];
    polled.map_ok(|()| came)
}
