//! Servers that come and go.

use thinktime_file::time::Nanos;

use super::{Ranked, Servers};
use crate::system::jobs::{Handle, Jobs};

impl Ranked {
    /// Takes all servers away before the first job comes, and gives their places.
    pub(in crate::system::station) fn without_servers(&mut self) -> Vec<u32> {
        // With one place the engine takes for granted that its server is there.
        self.servers = Servers::new((self.servers.count() as u32).max(2));
        std::iter::from_fn(|| self.servers.free()).collect()
    }

    /// A place for one more server, which is not there yet.
    pub(in crate::system::station) fn another_server(&mut self) -> u32 {
        self.servers.add()
    }

    /// The server at this place is there, and serves the next job if one waits.
    pub(in crate::system::station) fn open(&mut self, now: Nanos, slot: u32, jobs: &mut Jobs) {
        if self.switch > Nanos::ZERO {
            let places = self.last_served.len().max(slot as usize + 1);
            self.last_served.resize(places, 0);
            self.last_served[slot as usize] = 0;
        }
        self.serve_next(now, slot, jobs);
    }

    pub(in crate::system::station) fn idle_servers(&self) -> u32 {
        self.servers.vacant() as u32
    }

    /// Takes an idle server away, if one is.
    pub(in crate::system::station) fn close_idle(&mut self) -> Option<u32> {
        self.servers.close_vacant()
    }

    /// As [`Ranked::advance`]; if a server is to go, the one whose job is done goes, and its place
    /// is given too.
    pub(in crate::system::station) fn advance_and_go(
        &mut self,
        now: Nanos,
        goes: bool,
        jobs: &mut Jobs,
    ) -> (Option<Handle>, Option<u32>) {
        if !goes {
            return (self.advance(now, jobs), None);
        }
        let slot = self.servers.ending();
        let handle = self.interrupt(now, slot, jobs);
        if jobs[handle].remaining > Nanos::ZERO {
            self.turn_ended(now, slot, handle, jobs);
            return (None, None);
        }
        self.servers.close(slot);
        (Some(handle), Some(slot))
    }

    /// As [`Ranked::withdraw`]; if a server is to go, the one whose job leaves goes.
    pub(in crate::system::station) fn withdraw_and_go(
        &mut self,
        now: Nanos,
        handle: Handle,
        goes: bool,
        jobs: &mut Jobs,
    ) -> Option<u32> {
        let slot = self.servers.of(handle).filter(|_| goes);
        match slot {
            None => self.withdraw(now, handle, jobs),
            Some(slot) => {
                self.interrupt(now, slot, jobs);
                self.servers.close(slot);
            }
        }
        slot
    }
}
