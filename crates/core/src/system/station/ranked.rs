//! One job on each server: the best-ranking jobs are in service, the others wait.

mod scaling;

use thinktime_file::time::Nanos;

use super::super::ids::NodeId;
use super::super::jobs::{Handle, Jobs, Place};
use super::StationModel;
use super::servers::{Running, Servers};
use super::waiting::Waiting;
use crate::distribution::Distribution;
use crate::failure::DROPPED;
use crate::policy::scheduling::{Rank, Ties};
use crate::random::{Purpose, StreamFamily};
use crate::system::Job;

#[derive(Debug)]
pub(super) struct Ranked {
    station: NodeId,
    preemptive: bool,
    by: By,
    newest_first: bool,
    /// In a box, so that stations stay small.
    turns: Option<Box<Turns>>,
    switch: Nanos,
    /// The arrival number of the job that each server served last.
    last_served: Vec<u64>,
    pub(super) servers: Servers,
    waiting: Waiting,
    /// The gone jobs in the waiting line.
    gone: usize,
    sequence: u64,
    /// A job that has waited longer is dropped when its turn comes. In a box, so that stations stay
    /// small.
    queue_timeout: Option<Box<QueueTimeout>>,
    /// With more than this many waiting, the newest is served first.
    newest_first_above: usize,
}

/// How long each job waits at most, drawn for it.
#[derive(Debug)]
struct QueueTimeout {
    law: Distribution,
    draws: StreamFamily,
}

impl QueueTimeout {
    fn of(&self, job: &Job) -> Nanos {
        let mut stream = self.draws.substream(job.session, job.serial);
        Nanos::from_secs_f64(self.law.sample(&mut stream))
    }
}

/// Turns of a limited length.
#[derive(Debug)]
struct Turns {
    quanta: Vec<Nanos>,
    /// The ranks of classes with turns of their own, in their order; empty if turns depend on
    /// levels.
    classes: Vec<u64>,
}

impl Turns {
    /// Those of a station, if it has any.
    fn of(model: &StationModel) -> Option<Box<Turns>> {
        let quanta = model.discipline.quanta.clone();
        let mut classes = Vec::new();
        if model.discipline.rank == Rank::Class {
            classes.extend(model.classes.iter().map(|(_, class)| u64::from(*class)));
            classes.sort_unstable();
            classes.dedup();
        }
        (!quanta.is_empty()).then(|| Box::new(Turns { quanta, classes }))
    }

    /// The level, or the place among the classes, of a job that comes with a rank.
    fn first(&self, rank: u64) -> u32 {
        self.classes.partition_point(|one| *one < rank).min(self.lowest()) as u32
    }

    /// The last level or class that has a quantum.
    fn lowest(&self) -> usize {
        self.quanta.len() - 1
    }

    fn quantum(&self, level: u32) -> Nanos {
        self.quanta[level as usize]
    }
}

/// The source of a job's rank, as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    /// A rank that does not change.
    Fixed,
    Remaining,
    Level,
}

impl Ranked {
    /// The engine of a station whose streams are named by the seed and the number.
    pub(super) fn new(station: NodeId, model: &StationModel, (seed, number): (u64, u64)) -> Ranked {
        let discipline = &model.discipline;
        let newest_first = discipline.ties == Ties::LastCome;
        let by = match discipline.rank {
            Rank::Remaining => By::Remaining,
            Rank::Level => By::Level,
            _ => By::Fixed,
        };
        let switches = if discipline.switch > Nanos::ZERO { model.servers as usize } else { 0 };
        Ranked {
            station,
            preemptive: discipline.preemptive,
            by,
            newest_first,
            turns: Turns::of(model),
            switch: discipline.switch,
            last_served: vec![0; switches],
            servers: Servers::new(model.servers),
            waiting: Waiting::new(discipline),
            gone: 0,
            sequence: 0,
            queue_timeout: model.overload.queue_timeout.clone().map(|law| {
                let draws = StreamFamily::new(seed, Purpose::QueueTimeout).member(number);
                Box::new(QueueTimeout { law, draws })
            }),
            newest_first_above: model.overload.newest_first_above,
        }
    }

    #[inline]
    pub(super) fn next_event(&self) -> Nanos {
        self.servers.next_end()
    }

    #[inline(always)]
    pub(super) fn arrive(&mut self, now: Nanos, handle: Handle, jobs: &mut Jobs) {
        self.sequence += 1;
        let job = &mut jobs[handle];
        job.arrival = self.sequence;
        job.order = if self.newest_first { u64::MAX - self.sequence } else { self.sequence };
        job.remaining = job.demand;
        (job.level, job.turn_left) = match &self.turns {
            None => (0, Nanos::MAX),
            Some(turns) => {
                let level = turns.first(job.rank);
                (level, turns.quantum(level))
            }
        };
        if let Some(slot) = self.servers.free() {
            return self.start(now, slot, handle, jobs);
        }
        let mut waits = handle;
        if let Some(slot) = self.pushed_out_by(now, handle, jobs) {
            waits = self.interrupt(now, slot, jobs);
            self.start(now, slot, handle, jobs);
        }
        self.wait(waits, jobs);
    }

    /// The earliest turn ends, at [`Ranked::next_event`]: gives the job if it is done.
    #[inline(always)]
    pub(super) fn advance(&mut self, now: Nanos, jobs: &mut Jobs) -> Option<Handle> {
        let slot = self.servers.ending();
        let handle = self.interrupt(now, slot, jobs);
        if jobs[handle].remaining > Nanos::ZERO {
            self.turn_ended(now, slot, handle, jobs);
            return None;
        }
        self.serve_next(now, slot, jobs);
        Some(handle)
    }

    /// A job leaves service unfinished.
    pub(super) fn withdraw(&mut self, now: Nanos, handle: Handle, jobs: &mut Jobs) {
        if let Some(slot) = self.servers.of(handle) {
            self.interrupt(now, slot, jobs);
            self.serve_next(now, slot, jobs);
        }
    }

    /// A waiting job has gone; it stays in the line until its turn comes.
    pub(super) fn leave_queue(&mut self) {
        self.gone += 1;
    }

    #[inline(always)]
    fn serve_next(&mut self, now: Nanos, slot: u32, jobs: &mut Jobs) {
        match self.next_waiting(now, jobs) {
            Some(next) => self.start(now, slot, next, jobs),
            None => self.servers.idle(slot),
        }
    }

    /// The job has had its turn but is not done: it sinks to the next level, if there are any, and
    /// goes behind the jobs that wait there.
    #[inline(never)]
    fn turn_ended(&mut self, now: Nanos, slot: u32, handle: Handle, jobs: &mut Jobs) {
        self.sequence += 1;
        let job = &mut jobs[handle];
        if let Some(turns) = &self.turns {
            if self.by == By::Level {
                job.level = (job.level + 1).min(turns.lowest() as u32);
            }
            job.turn_left = turns.quantum(job.level);
        }
        job.order = self.sequence;
        self.wait(handle, jobs);
        self.serve_next(now, slot, jobs);
    }

    #[inline(always)]
    fn start(&mut self, now: Nanos, slot: u32, handle: Handle, jobs: &mut Jobs) {
        let job = &mut jobs[handle];
        job.place = Place::Service(self.station);
        let mut begins = now;
        if let Some(last) = self.last_served.get_mut(slot as usize) {
            if *last != 0 && *last != job.arrival {
                begins = now + self.switch;
            }
            *last = job.arrival;
        }
        let ends = begins + job.remaining.min(job.turn_left);
        let rank = match self.by {
            By::Fixed => job.rank,
            // With the same speed everywhere, the remaining work ranks as the time of its end does.
            By::Remaining => ends.0,
            By::Level => job.level.into(),
        };
        let key = (rank, job.order);
        self.servers.start(slot, Running { handle, key, begins, ends });
    }

    /// Takes the job out of service and records its service.
    #[inline(always)]
    fn interrupt(&mut self, now: Nanos, slot: u32, jobs: &mut Jobs) -> Handle {
        let Running { handle, begins, .. } = self.servers.stop(slot);
        let job = &mut jobs[handle];
        let served = now.since(begins);
        job.remaining = job.remaining.since(served);
        if self.turns.is_some() {
            job.turn_left = job.turn_left.since(served);
        }
        handle
    }

    #[inline(always)]
    fn wait(&mut self, handle: Handle, jobs: &mut Jobs) {
        let job = &mut jobs[handle];
        job.place = Place::Waiting(self.station);
        let rank = match self.by {
            By::Fixed => job.rank,
            By::Remaining => job.remaining.0,
            By::Level => job.level.into(),
        };
        self.waiting.add(handle, rank, job.order);
    }

    /// Takes the next job out of the waiting line.
    #[inline]
    fn next_waiting(&mut self, now: Nanos, jobs: &mut Jobs) -> Option<Handle> {
        loop {
            let handle = self.waiting.take(self.newest_first_above.saturating_add(self.gone))?;
            if !jobs.still_waits(handle) {
                self.gone -= 1;
                continue;
            }
            let job = &mut jobs[handle];
            let unserved = job.remaining == job.demand;
            let late = |most: &QueueTimeout| now.since(job.entered) > most.of(&job.job);
            if unserved && self.queue_timeout.as_deref().is_some_and(late) {
                job.place = Place::Between;
                jobs.lost.push((handle, DROPPED));
                continue;
            }
            return Some(handle);
        }
    }

    /// The server whose job must give way to the arriving one, if any.
    #[inline(always)]
    fn pushed_out_by(&self, now: Nanos, handle: Handle, jobs: &Jobs) -> Option<u32> {
        if !self.preemptive {
            return None;
        }
        let (slot, last) = self.servers.last_ranking()?;
        let job = &jobs[handle];
        let rank = match self.by {
            By::Fixed => job.rank,
            By::Remaining => (now + job.remaining).0,
            By::Level => job.level.into(),
        };
        ((rank, job.order) < last).then_some(slot)
    }
}
