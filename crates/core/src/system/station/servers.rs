//! The servers of a station that serve one job each.

use std::collections::BTreeSet;

use thinktime_file::time::Nanos;

use super::super::jobs::Handle;

/// A job in service.
#[derive(Clone, Copy, Debug)]
pub(super) struct Running {
    pub(super) handle: Handle,
    /// Its rank, and its order among equals.
    pub(super) key: (u64, u64),
    /// When its service begins: later than its arrival at the server if switching takes time.
    pub(super) begins: Nanos,
    /// When its turn or its service ends; [`Nanos::MAX`] if the server is free.
    pub(super) ends: Nanos,
}

const FREE: Running =
    Running { handle: Handle::MAX, key: (0, 0), begins: Nanos::MAX, ends: Nanos::MAX };

/// From this number of servers on, an index finds them. Fewer are searched one by one.
const INDEXED: usize = 12;

#[derive(Debug)]
pub(super) struct Servers {
    count: usize,
    slots: Vec<Running>,
    vacant: Vec<u32>,
    /// The earliest end, and its server.
    next: (Nanos, u32),
    /// In a box, so that stations without it, which are most, stay small.
    index: Option<Box<Index>>,
}

/// The jobs in service by the time of their end, and by their key.
#[derive(Debug, Default)]
struct Index {
    by_end: BTreeSet<(Nanos, u32)>,
    by_key: BTreeSet<((u64, u64), u32)>,
}

impl Servers {
    pub(super) fn new(count: u32) -> Servers {
        let count = count as usize;
        let index = (count >= INDEXED).then(Box::default);
        Servers { count, slots: Vec::new(), vacant: Vec::new(), next: (Nanos::MAX, 0), index }
    }

    /// The next end of a turn or a service.
    #[inline]
    pub(super) fn next_end(&self) -> Nanos {
        self.next.0
    }

    /// The server whose turn ends next.
    #[inline]
    pub(super) fn ending(&self) -> u32 {
        self.next.1
    }

    /// A server that is free.
    #[inline]
    pub(super) fn free(&mut self) -> Option<u32> {
        if let Some(slot) = self.vacant.pop() {
            return Some(slot);
        }
        (self.slots.len() < self.count).then(|| {
            self.slots.push(FREE);
            self.slots.len() as u32 - 1
        })
    }

    #[inline(always)]
    pub(super) fn start(&mut self, slot: u32, running: Running) {
        self.slots[slot as usize] = running;
        if self.index.is_some() {
            self.note_started(slot, &running);
        } else if running.ends < self.next.0 {
            self.next = (running.ends, slot);
        }
    }

    #[inline(never)]
    fn note_started(&mut self, slot: u32, running: &Running) {
        let Some(index) = &mut self.index else { return };
        index.by_end.insert((running.ends, slot));
        index.by_key.insert((running.key, slot));
        self.find_next();
    }

    /// Takes the job out of the server, which is then free, but kept for [`Servers::start`] or
    /// [`Servers::idle`].
    #[inline(always)]
    pub(super) fn stop(&mut self, slot: u32) -> Running {
        let running = &mut self.slots[slot as usize];
        let stopped = *running;
        (running.handle, running.ends) = (FREE.handle, FREE.ends);
        if self.count == 1 {
            self.next = (Nanos::MAX, 0);
        } else {
            self.note_stopped(slot, &stopped);
        }
        stopped
    }

    #[inline(never)]
    fn note_stopped(&mut self, slot: u32, stopped: &Running) {
        if let Some(index) = &mut self.index {
            index.by_end.remove(&(stopped.ends, slot));
            index.by_key.remove(&(stopped.key, slot));
        }
        self.find_next();
    }

    /// The number of servers at the beginning.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// One more server, kept for [`Servers::start`].
    pub(super) fn add(&mut self) -> u32 {
        self.slots.push(FREE);
        self.slots.len() as u32 - 1
    }

    /// The number of servers that are free and not kept.
    pub(super) fn vacant(&self) -> usize {
        self.vacant.len()
    }

    /// Closes a server that is free, if one is.
    pub(super) fn close_vacant(&mut self) -> Option<u32> {
        let slot = self.vacant.pop()?;
        self.close(slot);
        Some(slot)
    }

    /// A kept server has no job any more whose key could be compared.
    pub(super) fn close(&mut self, slot: u32) {
        self.slots[slot as usize] = FREE;
    }

    /// No job waits for the server.
    #[inline]
    pub(super) fn idle(&mut self, slot: u32) {
        self.vacant.push(slot);
    }

    #[inline]
    fn find_next(&mut self) {
        self.next = match (&self.index, self.slots.as_slice()) {
            (Some(index), _) => index.by_end.first().copied().unwrap_or((Nanos::MAX, 0)),
            (None, all) => {
                let ends = all.iter().map(|one| one.ends).zip(0..);
                ends.min().unwrap_or((Nanos::MAX, 0))
            }
        };
    }

    /// The server whose job ranks last, with the job's key. All servers must be busy.
    #[inline]
    pub(super) fn last_ranking(&self) -> Option<(u32, (u64, u64))> {
        match (&self.index, self.slots.as_slice()) {
            (Some(index), _) => index.by_key.last().map(|(key, slot)| (*slot, *key)),
            (None, [only]) => Some((0, only.key)),
            (None, all) => {
                let keys = all.iter().map(|one| one.key).zip(0..);
                keys.max().map(|(key, slot)| (slot, key))
            }
        }
    }

    /// How long a job has been in service since it last began; 0 if it is not.
    pub(super) fn served(&self, now: Nanos, handle: Handle) -> Nanos {
        let its = self.slots.iter().find(|one| one.handle == handle);
        its.map_or(Nanos::ZERO, |one| now.since(one.begins))
    }

    /// The server of this job.
    pub(super) fn of(&self, handle: Handle) -> Option<u32> {
        let at = self.slots.iter().position(|one| one.handle == handle)?;
        Some(at as u32)
    }
}
