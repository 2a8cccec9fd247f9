//! Carrying out the steps of behaviours.

use thinktime_file::time::Nanos;

use super::cluster::GATE;
use super::ids::EntranceId;
use super::jobs::{Handle, Holding, Jobs, NOBODY, Place};
use super::machine::Cause;
use super::node::{Answer, Visit};
use super::program::{Instruction, NO_DRAW, OF_RESPONSE};
use super::{DemandSource, Departure, JobRef, System};
use crate::failure::REFUSED;

impl<D: DemandSource> System<D> {
    /// Lets a visitor continue until it waits, and all visitors that it wakes too. `served_at` is
    /// the entrance of its last visit.
    #[inline(always)]
    pub(super) fn go_on(&mut self, now: Nanos, handle: Handle, served_at: EntranceId) {
        self.steps(now, handle, served_at);
        self.settle(now);
    }

    /// Lets all ready visitors continue, and removes those that a node has given up.
    #[inline(always)]
    pub(super) fn settle(&mut self, now: Nanos) {
        while !self.jobs.ready.is_empty() || !self.jobs.lost.is_empty() {
            if let Some(next) = self.jobs.ready.pop() {
                self.steps(now, next, EntranceId::NONE);
            } else if let Some((lost, why)) = self.jobs.lost.pop() {
                self.fail(now, lost, why);
            }
        }
    }

    fn steps(&mut self, now: Nanos, mut handle: Handle, mut served_at: EntranceId) {
        loop {
            let visitor = &mut self.jobs[handle];
            let instruction = self.code[visitor.step as usize];
            visitor.step += 1;
            match instruction {
                Instruction::Visit { node, entry, draw, .. } => {
                    let demand = match draw {
                        NO_DRAW => Nanos::ZERO,
                        _ => match self.demands.demand(&visitor.job, draw as usize) {
                            Some(demand) => demand,
                            None => continue,
                        },
                    };
                    let visit = Visit { handle, entry, demand };
                    match self.nodes.arrive(now, node, visit, &mut self.jobs) {
                        Answer::Stays => return,
                        Answer::GoesOn => {}
                        Answer::Refused => return self.fail(now, handle, REFUSED),
                    }
                }
                Instruction::Bring { draws, content } => self.bring(handle, draws, content),
                Instruction::Carry { bytes } => self.carry(handle, bytes),
                Instruction::Tokens => self.bring_tokens(handle),
                Instruction::Release { node, entry } => {
                    served_at = self.release(now, Holding { node, entry }, handle, served_at);
                }
                Instruction::Fork { parts, after } => return self.fork(handle, parts, after),
                Instruction::Part { .. } => unreachable!("parts begin where the fork says"),
                Instruction::Join => match self.join(handle) {
                    Some(whole) => (handle, served_at) = (whole, EntranceId::NONE),
                    None => return,
                },
                Instruction::Leave => {
                    let departure = self.departed(now, handle, served_at, None);
                    return self.leaving.push_back(departure);
                }
            }
        }
    }

    /// A visitor releases the part of a node that it keeps; gives the name of its last visit in
    /// results.
    fn release(
        &mut self,
        now: Nanos,
        what: Holding,
        handle: Handle,
        served_at: EntranceId,
    ) -> EntranceId {
        let label = match what.entry {
            GATE => self.nodes.label(what.node, handle, served_at),
            _ => served_at,
        };
        self.nodes.release(now, what, handle, &mut self.jobs);
        label
    }

    /// What the visitor's next node must know.
    #[inline(never)]
    fn bring(&mut self, handle: Handle, (first, draws): (u32, u32), content: bool) {
        let (job, demands) = (self.jobs[handle].job, &mut self.demands);
        let entry = &mut self.jobs.entry;
        entry.demands.clear();
        let draws = first..first + draws;
        entry.demands.extend(draws.map(|draw| demands.demand(&job, draw as usize)));
        (entry.target, entry.size) = match content {
            true => (demands.target(&job), demands.size(&job)),
            false => (0, 0),
        };
    }

    /// The number of bytes that go over the visitor's next link.
    #[inline(never)]
    fn carry(&mut self, handle: Handle, bytes: u32) {
        self.jobs.entry.size = match bytes {
            OF_RESPONSE => self.demands.size(&self.jobs[handle].job),
            _ => u64::from(bytes),
        };
    }

    #[inline(never)]
    fn bring_tokens(&mut self, handle: Handle) {
        self.jobs.entry.tokens = self.demands.tokens(&self.jobs[handle].job);
    }

    fn fork(&mut self, whole: Handle, parts: u32, after: u32) {
        let first = self.jobs[whole].step;
        let job = self.jobs[whole].job;
        self.jobs[whole].parts = parts;
        self.jobs[whole].step = after;
        (self.jobs[whole].place, self.jobs[whole].waited_for) = (Place::Between, Cause::Event);
        // The last one pushed continues first, so the parts begin in their order.
        for part in (0..parts).rev() {
            let Instruction::Part { begin } = self.code[(first + part) as usize] else {
                unreachable!("a fork is followed by its parts")
            };
            let handle = self.jobs.add(job, begin, whole);
            self.jobs.ready.push(handle);
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

    /// The request leaves. Its place in the table is free.
    #[inline(always)]
    pub(super) fn departed(
        &mut self,
        at: Nanos,
        handle: Handle,
        station: EntranceId,
        error: Option<&'static str>,
    ) -> Departure {
        self.number -= 1;
        let visitor = &self.jobs[handle];
        let departure = Departure { job: visitor.job, at, station, demand: visitor.served, error };
        self.jobs.remove(handle);
        departure
    }

    /// The request of this visitor, which may be a part of it, leaves at once.
    pub(super) fn fail(&mut self, now: Nanos, handle: Handle, error: &'static str) {
        let mut whole = handle;
        while self.jobs[whole].parent != NOBODY {
            whole = self.jobs[whole].parent;
        }
        let departure = Departure {
            job: self.jobs[whole].job,
            at: now,
            station: EntranceId::NONE,
            demand: self.jobs[whole].served,
            error: Some(error),
        };
        self.leave_unfinished(now, whole);
        self.leaving.push_back(departure);
    }

    /// Takes a request back before it is done; says whether it did. With `even_in_service` false it
    /// takes only a request that waits: in a queue, for a place of a pool or for a thread.
    pub fn withdraw(
        &mut self,
        now: Nanos,
        presence: JobRef,
        token: u64,
        even_in_service: bool,
    ) -> bool {
        let JobRef(handle) = presence;
        let visitor = &self.jobs[handle];
        if visitor.job.token != token || visitor.gone {
            return false;
        }
        if !even_in_service && !matches!(visitor.place, Place::Waiting(_)) {
            return false;
        }
        let job = self.jobs[handle].job;
        self.leave_unfinished(now, handle);
        self.jobs.take_events(&job);
        self.settle(now);
        true
    }

    /// Removes a request and all its parts from the system.
    fn leave_unfinished(&mut self, now: Nanos, whole: Handle) {
        self.number -= 1;
        let mut all = vec![whole];
        let mut seen = 0;
        while self.forks && seen < all.len() {
            all.extend(self.jobs.parts_of(all[seen]));
            seen += 1;
        }
        self.jobs.ready.retain(|handle| !all.contains(handle));
        self.jobs.lost.retain(|(handle, _)| !all.contains(handle));
        // Waiting visitors go first, so that they do not receive the places that the others give
        // back.
        let in_service =
            |jobs: &Jobs, handle: Handle| matches!(jobs[handle].place, Place::Service(_));
        let (served, others): (Vec<Handle>, Vec<Handle>) =
            all.into_iter().partition(|handle| in_service(&self.jobs, *handle));
        let all: Vec<Handle> = others.into_iter().chain(served).collect();
        // Looked up before: visitors in a waiting line may be released by those that leave it now.
        let kept: Vec<Vec<Holding>> = all.iter().map(|one| self.jobs.held_by(*one)).collect();
        let stay: Vec<bool> = all.iter().map(|one| self.take_away(now, *one)).collect();
        for ((handle, kept), stays_in_line) in all.into_iter().zip(kept).zip(stay) {
            for what in kept {
                self.nodes.abandon(now, what, handle, &mut self.jobs);
            }
            if !stays_in_line {
                self.jobs.remove(handle);
            }
        }
    }

    /// Removes a visitor from its place; says whether it stays in a waiting line, as gone.
    fn take_away(&mut self, now: Nanos, handle: Handle) -> bool {
        let stays_in_line = match self.jobs[handle].place {
            Place::Between => false,
            Place::Waiting(node) | Place::Service(node) | Place::Inside(node) => {
                self.nodes.withdraw(now, node, handle, &mut self.jobs)
            }
        };
        self.jobs[handle].gone = true;
        if !stays_in_line {
            self.jobs[handle].place = Place::Between;
        }
        stays_in_line
    }
}
