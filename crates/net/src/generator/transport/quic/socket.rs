//! The carrier of a QUIC connection: a UDP socket, and a timer for work that is due though nothing
//! arrived.

use std::io;
use std::net::UdpSocket;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};
use thinktime_core::time::Nanos;

use super::LENGTH_BYTES;
use crate::generator::transport::datagrams::{receive, transmit};
use crate::generator::transport::failure::Failure;
use crate::generator::transport::input::Input;
use crate::poller::Clock;
use crate::protocol::Outbox;

/// A UDP socket with a timer; both must be registered at the poller.
pub(crate) struct QuicSocket {
    socket: UdpSocket,
    timer: OwnedFd,
    clock: Clock,
    /// The due time; never if unknown.
    due: Nanos,
    /// When the timer fires or has fired: at the latest at the due time.
    rings: Nanos,
}

impl QuicSocket {
    pub(crate) fn new(socket: UdpSocket) -> io::Result<QuicSocket> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let timer = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        let clock = Clock::start();
        Ok(QuicSocket { socket, timer, clock, due: Nanos::MAX, rings: Nanos::MAX })
    }

    /// The timer.
    pub(crate) fn timer(&self) -> BorrowedFd<'_> {
        self.timer.as_fd()
    }

    /// Reads a datagram. An empty one means that something is due.
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> Result<Input, Failure> {
        if self.clock.now() >= self.due {
            self.due = Nanos::MAX;
            return Ok(Input::Bytes(0));
        }
        receive(&self.socket, buffer)
    }

    /// Sends waiting data, and then the output of `due`, until that has no more or the socket would
    /// block. `due` gives the time until it must be called again.
    pub(crate) fn send(
        &mut self,
        out: &mut Outbox,
        mut due: impl FnMut(&mut Outbox) -> Option<Duration>,
    ) -> Result<(), Failure> {
        loop {
            let count = self.write(out.unsent())?;
            out.mark_sent(count);
            if !out.unsent().is_empty() {
                return Ok(());
            }
            let after = due(out);
            if out.unsent().is_empty() {
                self.ring_after(after);
                return Ok(());
            }
        }
    }

    /// Sends datagrams, each behind its length: the number of bytes taken.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<usize, Failure> {
        let mut rest = bytes;
        while let Some((datagram, behind)) = next_datagram(rest) {
            if transmit(&self.socket, datagram)? == 0 {
                break;
            }
            rest = behind;
        }
        Ok(bytes.len() - rest.len())
    }

    /// Notes the due time. A timer that fires earlier does no harm, and stays: most due times are
    /// put off again and again.
    fn ring_after(&mut self, after: Option<Duration>) {
        let now = self.clock.now();
        let nanos = |after: Duration| Nanos(u64::try_from(after.as_nanos()).unwrap_or(u64::MAX));
        self.due = after.map_or(Nanos::MAX, |after| Nanos(now.0.saturating_add(nanos(after).0)));
        if self.due.is_never() || now < self.rings && self.rings <= self.due {
            return;
        }
        // Zero would stop the timer.
        let after = Duration::from_nanos(self.due.since(now).0.max(1));
        let it_value = Timespec::try_from(after).unwrap_or(LONG);
        let it_interval = Timespec { tv_sec: 0, tv_nsec: 0 };
        let time = Itimerspec { it_interval, it_value };
        // It can only fail for a wrong time.
        timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &time).ok();
        self.rings = self.due;
    }
}

/// The first of datagrams, each behind its length, and the rest.
pub(crate) fn next_datagram(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, behind) = bytes.split_first_chunk::<LENGTH_BYTES>()?;
    behind.split_at_checked(u32::from_be_bytes(*length) as usize)
}

/// Longer than any run.
const LONG: Timespec = Timespec { tv_sec: 1 << 30, tv_nsec: 0 };

impl AsFd for QuicSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::poller::Poller;

    /// A socket, and its server's socket.
    fn pair() -> (QuicSocket, UdpSocket) {
        let server = UdpSocket::bind("127.0.0.1:0").unwrap();
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.connect(server.local_addr().unwrap()).unwrap();
        socket.set_nonblocking(true).unwrap();
        (QuicSocket::new(socket).unwrap(), server)
    }

    #[test]
    fn datagrams_go_one_by_one() {
        let (mut socket, server) = pair();
        let mut out = Outbox::default();
        let mut words = vec![&b"one"[..], b"three"];
        let sent = socket.send(&mut out, |out| {
            while let Some(word) = words.pop() {
                out.buffer().extend_from_slice(&(word.len() as u32).to_be_bytes());
                out.buffer().extend_from_slice(word);
            }
            None
        });
        assert_eq!((sent, out.unsent().len()), (Ok(()), 0));
        let mut buffer = [0; 100];
        let count = server.recv(&mut buffer).unwrap();
        assert_eq!(&buffer[..count], b"three");
        let count = server.recv(&mut buffer).unwrap();
        assert_eq!(&buffer[..count], b"one");
    }

    #[test]
    fn what_is_due_is_told_by_an_empty_datagram_once() {
        let (mut socket, _server) = pair();
        let poller = &mut Poller::new().unwrap();
        poller.add(socket.timer(), 7).unwrap();
        let (mut buffer, mut ready) = ([0; 100], Vec::new());
        assert_eq!(socket.read(&mut buffer), Ok(Input::Blocked));
        for after in [Duration::from_millis(1), Duration::ZERO] {
            socket.send(&mut Outbox::default(), |_| Some(after)).unwrap();
            poller.wait(Nanos(60_000_000_000), &mut ready).unwrap();
            assert!(ready.iter().any(|one| one.token == 7 && one.readable));
            assert_eq!(socket.read(&mut buffer), Ok(Input::Bytes(0)));
            assert_eq!(socket.read(&mut buffer), Ok(Input::Blocked));
        }
    }
}
