//! Going through the steps of behaviours.

use super::jobs::{Handle, Jobs, NOBODY, Place};
use super::machine::Cause;
use super::pool::Acquired;
use super::program::Instruction;
use super::{DROPPED, DemandSource, Departure, Presence, REFUSED, System};
use crate::time::Nanos;

impl<D: DemandSource> System<D> {
    /// Lets a visitor go on until it waits for something, and whoever that wakes too. `station`
    /// is the one that served it last.
    #[inline(always)]
    pub(super) fn go_on(&mut self, now: Nanos, handle: Handle, station: u32) {
        self.steps(now, handle, station);
        self.settle(now);
    }

    /// Lets everybody go on who can, and those leave whom a station has dropped.
    #[inline(always)]
    pub(super) fn settle(&mut self, now: Nanos) {
        while !self.ready.is_empty() || !self.jobs.dropped.is_empty() {
            if let Some(next) = self.ready.pop() {
                self.steps(now, next, u32::MAX);
            } else if let Some(dropped) = self.jobs.dropped.pop() {
                self.fail(now, dropped, DROPPED);
            }
        }
    }

    fn steps(&mut self, now: Nanos, mut handle: Handle, mut served_at: u32) {
        loop {
            let visitor = &mut self.jobs[handle];
            let instruction = self.code[visitor.step as usize];
            visitor.step += 1;
            match instruction {
                Instruction::Use { station, draw } => {
                    let Some(demand) = self.demands.demand(&visitor.job, draw as usize) else {
                        continue;
                    };
                    let at = &mut self.stations[station as usize];
                    if !at.arrive(now, demand, handle, &mut self.jobs) {
                        self.fail(now, handle, REFUSED);
                    }
                    return;
                }
                Instruction::Serve { service, draw } => {
                    let Some(demand) = self.demands.demand(&visitor.job, draw as usize) else {
                        continue;
                    };
                    return self.serve(now, handle, service as usize, demand);
                }
                Instruction::Finish { service } => self.finish(now, handle, service as usize),
                Instruction::Delay { draw, cause } => {
                    let length = self.demands.demand(&visitor.job, draw as usize);
                    (visitor.place, visitor.waited_for) = (Place::Delay, cause);
                    self.delays.push((now + length.unwrap_or_default()).0, handle);
                    return;
                }
                Instruction::Acquire { pool } => {
                    match self.pools[pool as usize].acquire(now, handle, &mut self.jobs) {
                        Acquired::Granted => {}
                        Acquired::Waits => return self.waits_for(handle, Cause::Event),
                        Acquired::Refused => return self.fail(now, handle, REFUSED),
                    }
                }
                Instruction::Release { pool } => self.release(now, handle, pool as usize),
                Instruction::Fork { parts, after } => {
                    return self.fork(handle, parts, after);
                }
                Instruction::Part { .. } => unreachable!("parts begin where the fork says"),
                Instruction::Join => match self.join(handle) {
                    Some(whole) => (handle, served_at) = (whole, u32::MAX),
                    None => return,
                },
                Instruction::Leave => {
                    let departure = self.departed(now, handle, served_at, None);
                    return self.leaving.push_back(departure);
                }
            }
        }
    }

    fn release(&mut self, now: Nanos, handle: Handle, pool: usize) {
        if let Some(next) = self.pools[pool].release(now, handle, &mut self.jobs) {
            self.ready.push(next);
        }
    }

    fn fork(&mut self, whole: Handle, parts: u32, after: u32) {
        let first = self.jobs[whole].step;
        let job = self.jobs[whole].job;
        self.jobs[whole].parts = parts;
        self.jobs[whole].step = after;
        (self.jobs[whole].place, self.jobs[whole].waited_for) = (Place::Between, Cause::Event);
        // The last pushed goes on first: the parts begin in their order.
        for part in (0..parts).rev() {
            let Instruction::Part { begin } = self.code[(first + part) as usize] else {
                unreachable!("a fork is followed by its parts")
            };
            let handle = self.jobs.add(job, begin, whole);
            self.ready.push(handle);
        }
    }

    /// A part ends; gives the whole if it was the last one.
    fn join(&mut self, part: Handle) -> Option<Handle> {
        let (whole, served) = (self.jobs[part].parent, self.jobs[part].served);
        self.jobs.remove(part);
        let request = &mut self.jobs[whole];
        request.served += served;
        request.parts -= 1;
        (request.parts == 0).then_some(whole)
    }

    pub(super) fn end_delay(&mut self, now: Nanos) {
        if let Some((_, handle)) = self.delays.pop()
            && self.jobs.still_waits(handle)
        {
            self.jobs[handle].place = Place::Between;
            self.go_on(now, handle, u32::MAX);
        }
    }

    /// The request leaves. Its place in the table is free.
    #[inline(always)]
    pub(super) fn departed(
        &mut self,
        at: Nanos,
        handle: Handle,
        station: u32,
        error: Option<&'static str>,
    ) -> Departure {
        self.number -= 1;
        let visitor = &self.jobs[handle];
        let departure = Departure { job: visitor.job, at, station, demand: visitor.served, error };
        self.jobs.remove(handle);
        departure
    }

    /// The request of which this is, or is a part, leaves at once.
    pub(super) fn fail(&mut self, now: Nanos, handle: Handle, error: &'static str) {
        let mut whole = handle;
        while self.jobs[whole].parent != NOBODY {
            whole = self.jobs[whole].parent;
        }
        let departure = Departure {
            job: self.jobs[whole].job,
            at: now,
            station: u32::MAX,
            demand: self.jobs[whole].served,
            error: Some(error),
        };
        self.leave_unfinished(now, whole);
        self.leaving.push_back(departure);
    }

    /// Takes a request back before it is done; says whether it was. With `even_in_service` false
    /// only one is taken that waits, in a station's queue or for a place of a pool.
    pub fn withdraw(
        &mut self,
        now: Nanos,
        presence: Presence,
        token: u64,
        even_in_service: bool,
    ) -> bool {
        let Presence(handle) = presence;
        let visitor = &self.jobs[handle];
        if visitor.job.token != token || visitor.gone {
            return false;
        }
        if !even_in_service
            && !matches!(visitor.place, Place::Waiting(_) | Place::Pool(_) | Place::NoThread(_))
        {
            return false;
        }
        self.leave_unfinished(now, handle);
        self.settle(now);
        true
    }

    /// Takes a request and all its parts from wherever they are.
    fn leave_unfinished(&mut self, now: Nanos, whole: Handle) {
        self.number -= 1;
        let mut all = vec![whole];
        let mut seen = 0;
        while self.forks && seen < all.len() {
            all.extend(self.jobs.parts_of(all[seen]));
            seen += 1;
        }
        self.ready.retain(|handle| !all.contains(handle));
        self.jobs.dropped.retain(|handle| !all.contains(handle));
        // Those who wait go first, so that what the others give back is not given to them.
        let in_service =
            |jobs: &Jobs, handle: Handle| matches!(jobs[handle].place, Place::Service(_));
        let (served, others): (Vec<Handle>, Vec<Handle>) =
            all.into_iter().partition(|handle| in_service(&self.jobs, *handle));
        others.iter().chain(&served).for_each(|handle| self.take_away(now, *handle));
        for handle in others.into_iter().chain(served) {
            self.give_back(now, handle);
        }
    }

    fn take_away(&mut self, now: Nanos, handle: Handle) {
        let stays_in_line = match self.jobs[handle].place {
            Place::Between => false,
            Place::Waiting(at) | Place::Service(at) => {
                let station = &mut self.stations[at as usize];
                station.withdraw(now, handle, &mut self.jobs);
                matches!(self.jobs[handle].place, Place::Waiting(_))
            }
            Place::Pool(at) => {
                self.pools[at as usize].withdraw(now);
                true
            }
            Place::Delay => true,
            // Services are left with all else that it holds.
            Place::Thread(_) | Place::NoThread(_) => return self.jobs[handle].gone = true,
        };
        self.jobs[handle].gone = true;
        if !stays_in_line {
            self.jobs[handle].place = Place::Between;
        }
    }

    /// Gives back what a visitor holds that was taken away, and its place in the table, unless it
    /// is still in a waiting line.
    fn give_back(&mut self, now: Nanos, handle: Handle) {
        for pool in 0..self.pools.len() {
            if self.jobs[handle].held & (1 << pool) != 0 {
                self.release(now, handle, pool);
            }
        }
        for service in 0..self.services.len() {
            self.withdraw_from_service(now, handle, service);
        }
        if matches!(self.jobs[handle].place, Place::Between | Place::Thread(_) | Place::NoThread(_))
        {
            self.jobs.remove(handle);
        }
    }
}
