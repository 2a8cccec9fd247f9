//! What carries a connection of QUIC: a UDP socket, and a timer that says when something is due
//! though nothing came.

use std::io;
use std::net::UdpSocket;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};
use thinktime_core::time::Nanos;

use super::datagrams::{receive, transmit};
use super::failure::Failure;
use super::input::Input;
use super::quic::LENGTH_BYTES;
use crate::poller::Clock;
use crate::protocol::Outbox;

/// A UDP socket with a timer, which the poller is to know both.
pub(super) struct QuicSocket {
    socket: UdpSocket,
    timer: OwnedFd,
    clock: Clock,
    /// When something is due; never if that is not known.
    due: Nanos,
    /// When the timer rings, or has rung: at the latest when something is due.
    rings: Nanos,
}

impl QuicSocket {
    pub(super) fn new(socket: UdpSocket) -> io::Result<QuicSocket> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let timer = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        let clock = Clock::start();
        Ok(QuicSocket { socket, timer, clock, due: Nanos::MAX, rings: Nanos::MAX })
    }

    /// What rings.
    pub(super) fn timer(&self) -> BorrowedFd<'_> {
        self.timer.as_fd()
    }

    /// Reads a datagram. An empty one says that something is due.
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> Result<Input, Failure> {
        if self.clock.now() >= self.due {
            self.due = Nanos::MAX;
            return Ok(Input::Bytes(0));
        }
        receive(&self.socket, buffer)
    }

    /// Sends what waits, and then what `due` writes, until that has no more or the socket would
    /// block. `due` says how long it may be left alone then.
    pub(super) fn send(
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

    /// Sends datagrams, each of which is behind its length: how many bytes of them were taken.
    pub(super) fn write(&self, bytes: &[u8]) -> Result<usize, Failure> {
        let mut rest = bytes;
        while let Some((length, behind)) = rest.split_first_chunk::<LENGTH_BYTES>()
            && let Some((datagram, behind)) =
                behind.split_at_checked(u32::from_be_bytes(*length) as usize)
        {
            if transmit(&self.socket, datagram)? == 0 {
                break;
            }
            rest = behind;
        }
        Ok(bytes.len() - rest.len())
    }

    /// Notes when something is due. A timer that rings before that does no harm, and is left as it
    /// is: most of what is due is put off again and again.
    fn ring_after(&mut self, after: Option<Duration>) {
        let now = self.clock.now();
        let nanos = |after: Duration| Nanos(u64::try_from(after.as_nanos()).unwrap_or(u64::MAX));
        self.due = after.map_or(Nanos::MAX, |after| Nanos(now.0.saturating_add(nanos(after).0)));
        if self.due.is_never() || now < self.rings && self.rings <= self.due {
            return;
        }
        // Nought would stop the timer.
        let after = Duration::from_nanos(self.due.since(now).0.max(1));
        let it_value = Timespec::try_from(after).unwrap_or(LONG);
        let it_interval = Timespec { tv_sec: 0, tv_nsec: 0 };
        let time = Itimerspec { it_interval, it_value };
        // It can only fail for a wrong time.
        timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &time).ok();
        self.rings = self.due;
    }
}

/// Longer than any run.
const LONG: Timespec = Timespec { tv_sec: 1 << 30, tv_nsec: 0 };

impl AsFd for QuicSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
