//! The wall clock, and waiting: for sockets, or for a point in time.
//!
//! One small interface around `epoll`, edge-triggered, so that another mechanism can take its
//! place. Deadlines have nanosecond resolution (`epoll_pwait2`); millisecond timers would make
//! every send late by half a millisecond on average.

use std::io;
use std::mem::MaybeUninit;
use std::num::NonZeroU64;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant, SystemTime};

use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::thread::{nanosleep, set_current_timer_slack};
use rustix::time::{ClockId, Timespec, clock_gettime};
use thinktime_core::time::Nanos;

/// The wall clock of a run: monotonic, from its start.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Instant,
}

impl Clock {
    /// A clock that starts now.
    #[must_use]
    #[allow(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
    pub fn start() -> Clock {
        Clock { start: Instant::now() }
    }

    /// A clock that starts when the kernel's monotonic clock has this value, after waiting for it;
    /// at once, if that is past.
    #[must_use]
    #[allow(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
    pub fn start_at(monotonic: Duration) -> Clock {
        // It counts from the machine's start, and is never negative.
        let now = Duration::try_from(clock_gettime(ClockId::Monotonic)).unwrap_or_default();
        let instant = Instant::now();
        let (left, past) = (monotonic.saturating_sub(now), now.saturating_sub(monotonic));
        std::thread::sleep(left);
        Clock { start: (instant + left).checked_sub(past).unwrap_or(instant) }
    }

    /// Now, for libraries that use the machine's monotonic clock.
    #[must_use]
    #[allow(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
    pub(crate) fn instant() -> Instant {
        Instant::now()
    }

    /// The date: seconds since the beginning of 1970.
    #[must_use]
    #[allow(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
    pub fn date_s() -> i64 {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        since.map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
    }

    /// When bytes with this kernel date (since the beginning of 1970) arrived. Only their age is
    /// taken from the calendar's clock, so that a step of it does little harm.
    #[inline]
    #[must_use]
    #[allow(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
    pub fn at(&self, date: Duration) -> Nanos {
        let now = self.now();
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let age = since.saturating_sub(date).as_nanos();
        Nanos(now.0.saturating_sub(u64::try_from(age).unwrap_or(0)))
    }

    /// The time since the start.
    #[inline]
    #[must_use]
    pub fn now(&self) -> Nanos {
        Nanos(u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }
}

/// An event of a socket.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Readiness {
    /// The number of its registration.
    pub(crate) token: u64,
    /// Bytes, the end of the stream or an error can be read.
    pub(crate) readable: bool,
    /// Bytes can be written.
    pub(crate) writable: bool,
    /// The other side will send no more: the data to read ends with the end of the stream, which no
    /// further edge will report.
    pub(crate) ending: bool,
}

/// Waits for sockets and for points in time.
pub(crate) struct Poller {
    epoll: OwnedFd,
    buffer: Vec<MaybeUninit<Event>>,
}

const EVENTS_PER_WAIT: usize = 256;
/// The kernel may be late by a thousandth of a timeout. Longer waits therefore have two parts, so
/// that the last one is short.
const SHORT_WAIT: Nanos = Nanos(10_000_000);

impl Poller {
    /// A poller for the calling thread, whose timers it makes as punctual as the kernel allows.
    pub(crate) fn new() -> io::Result<Poller> {
        // The default slack delays every wake-up by 50 microseconds.
        set_current_timer_slack(NonZeroU64::new(1))?;
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        Ok(Poller { epoll, buffer: vec![MaybeUninit::uninit(); EVENTS_PER_WAIT] })
    }

    /// Registers a socket for reading and writing, edge-triggered: after each readiness, read or
    /// write until the socket would block. A closed socket leaves by itself.
    pub(crate) fn add(&self, socket: impl AsFd, token: u64) -> io::Result<()> {
        let flags = EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP | EventFlags::ET;
        Ok(epoll::add(&self.epoll, socket, EventData::new_u64(token), flags)?)
    }

    /// Registers a listening socket, level-triggered.
    pub(crate) fn add_listener(&self, socket: impl AsFd, token: u64) -> io::Result<()> {
        Ok(epoll::add(&self.epoll, socket, EventData::new_u64(token), EventFlags::IN)?)
    }

    /// Sleeps, whatever happens.
    pub(crate) fn sleep(&self, time: Nanos) {
        let time = Timespec::try_from(Duration::from_nanos(time.0)).unwrap_or_default();
        // After an early wake-up, the caller checks the clock and sleeps again.
        let _ = nanosleep(&time);
    }

    /// Waits until something is ready, or for this long at most.
    pub(crate) fn wait(&mut self, at_most: Nanos, ready: &mut Vec<Readiness>) -> io::Result<()> {
        let part = if at_most <= SHORT_WAIT { at_most } else { Nanos(at_most.0 / 100 * 99) };
        let timeout = Timespec::try_from(Duration::from_nanos(part.0)).unwrap_or_default();
        ready.clear();
        let (events, _) = match epoll::wait(&self.epoll, &mut self.buffer[..], Some(&timeout)) {
            Ok(events) => events,
            Err(rustix::io::Errno::INTR) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        let broken = EventFlags::ERR | EventFlags::HUP | EventFlags::RDHUP;
        for event in events {
            // The struct is packed: its fields must be copied before use.
            let (flags, data) = (event.flags, event.data);
            ready.push(Readiness {
                token: data.u64(),
                readable: flags.intersects(EventFlags::IN | broken),
                writable: flags.intersects(EventFlags::OUT | broken),
                ending: flags.intersects(broken),
            });
        }
        Ok(())
    }
}
