//! Waiting for sockets, each armed for one event at a time.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};

use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::time::Timespec;

/// An `epoll` that any number of threads may wait on: an event wakes one of them, and no other
/// thread gets the socket until it is armed again.
#[derive(Debug)]
pub(super) struct Watch {
    epoll: OwnedFd,
}

const ONCE: EventFlags = EventFlags::IN.union(EventFlags::RDHUP).union(EventFlags::ONESHOT);

impl Watch {
    pub(super) fn new() -> io::Result<Watch> {
        Ok(Watch { epoll: epoll::create(CreateFlags::CLOEXEC)? })
    }

    /// Registers a socket for one event. When it is closed it leaves by itself.
    pub(super) fn add(&self, socket: impl AsFd, token: u64) -> io::Result<()> {
        Ok(epoll::add(&self.epoll, socket, EventData::new_u64(token), ONCE)?)
    }

    /// Arms it for one more; if data is already there, that is the event.
    pub(super) fn rearm(&self, socket: impl AsFd, token: u64) -> io::Result<()> {
        Ok(epoll::modify(&self.epoll, socket, EventData::new_u64(token), ONCE)?)
    }

    /// Registers a source that notifies all waiting threads again and again while it is readable.
    pub(super) fn add_lasting(&self, what: impl AsFd, token: u64) -> io::Result<()> {
        Ok(epoll::add(&self.epoll, what, EventData::new_u64(token), EventFlags::IN)?)
    }

    /// Waits for an event, at most for a limit if given; takes one event only, so that the others
    /// wake other threads.
    pub(super) fn wait(&self, at_most: Option<&Timespec>) -> io::Result<Option<u64>> {
        let mut buffer = [MaybeUninit::<Event>::uninit(); 1];
        match epoll::wait(&self.epoll, &mut buffer[..], at_most) {
            // The struct is packed: its fields must be copied before use.
            Ok((events, _)) => Ok(events.first().map(|event| {
                let data = event.data;
                data.u64()
            })),
            Err(rustix::io::Errno::INTR) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}
