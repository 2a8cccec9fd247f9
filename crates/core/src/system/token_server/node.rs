//! A server of tokens in motion.

use std::collections::VecDeque;

use thinktime_file::time::Nanos;

use super::course::{Course, StepOutcome};
use super::figures::{Figures, State};
use super::model::{StepShares, Steps, TokenServerModel};
use crate::system::ids::NodeId;
use crate::system::jobs::{Handle, Jobs, Place};
use crate::system::machine::Cause;
use crate::system::node::{Answer, Build, Building, Detail, Node, NodeSummary, Visit};
use crate::system::station::{Left, Monitor};

/// A server of tokens in motion.
#[derive(Debug)]
pub(in crate::system) struct TokenServer {
    id: NodeId,
    steps: Steps,
    /// By visitor.
    courses: Vec<Course>,
    /// The batch, in the order of admission.
    running: Vec<Handle>,
    waiting: VecDeque<Handle>,
    /// Those that the last step finished, and that have not left.
    done: VecDeque<Handle>,
    /// The tokens in memory.
    held: u64,
    /// The tokens that the present step reads.
    reads: u64,
    /// The shares of its time that full steps would need.
    needed: StepShares,
    phase: Phase,
    monitor: Monitor,
    figures: Figures,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Nobody is there.
    Idle,
    /// A step ends at this time.
    Step(Nanos),
    /// The step that ended at this time has finished requests, which leave before the next one.
    Between(Nanos),
}

impl Build for TokenServerModel {
    type Node = TokenServer;

    fn build(&self, id: NodeId, building: &Building<'_>) -> TokenServer {
        let kinds = building.kinds.len();
        TokenServer {
            id,
            steps: self.steps,
            courses: Vec::new(),
            running: Vec::new(),
            waiting: VecDeque::new(),
            done: VecDeque::new(),
            held: 0,
            reads: 0,
            needed: StepShares::default(),
            phase: Phase::Idle,
            monitor: Monitor::new(1, kinds),
            figures: Figures::new(kinds),
        }
    }
}

impl TokenServer {
    fn course(&mut self, handle: Handle) -> &mut Course {
        &mut self.courses[handle as usize]
    }

    fn memory_left(&self) -> u64 {
        self.steps.memory.map_or(u64::MAX, |all| all - self.held)
    }

    fn state(&self) -> State {
        State { running: self.running.len() as u64, held: self.held, needed: self.needed }
    }

    fn pass(&mut self, now: Nanos) {
        let state = self.state();
        self.figures.pass(now, state);
    }

    /// Each request that was given a token takes memory for it, the first admitted first. If the
    /// memory is full, the one admitted last is preempted. Says whether any was.
    fn take_memory(&mut self, jobs: &mut Jobs) -> bool {
        let (mut at, mut preempted) = (0, false);
        while at < self.running.len() {
            let handle = self.running[at];
            if self.course(handle).unread > 0 {
                at += 1;
            } else if self.memory_left() > 0 {
                self.held += 1;
                self.course(handle).held += 1;
                at += 1;
            } else {
                self.preempt_last(jobs);
                preempted = true;
            }
        }
        preempted
    }

    fn preempt_last(&mut self, jobs: &mut Jobs) {
        let Some(handle) = self.running.pop() else { return };
        self.held -= self.course(handle).release();
        self.figures.preempted();
        self.wait(handle, jobs);
        self.waiting.push_front(handle);
    }

    fn wait(&self, handle: Handle, jobs: &mut Jobs) {
        let job = &mut jobs[handle];
        (job.place, job.waited_for) = (Place::Waiting(self.id), Cause::Event);
    }

    /// Requests from the line join the batch, as long as there are places, tokens to read, and
    /// memory for the first one's prompt.
    fn admit(&mut self, mut most: u64, jobs: &mut Jobs) {
        while self.running.len() < self.steps.max_batch as usize && most > 0 {
            let Some(&handle) = self.waiting.front() else { return };
            if !jobs[handle].gone && self.course(handle).memory_needed() > self.memory_left() {
                return;
            }
            self.waiting.pop_front();
            if !jobs.still_waits(handle) {
                continue;
            }
            let course = self.course(handle);
            let needed = course.memory_needed();
            (course.unread, course.held) = (needed, needed);
            most -= course.plan(most);
            self.held += needed;
            self.running.push(handle);
            jobs[handle].place = Place::Service(self.id);
        }
    }

    /// Begins a step, if there is anything to do.
    fn begin_step(&mut self, now: Nanos, jobs: &mut Jobs) {
        self.pass(now);
        let preempted = self.take_memory(jobs);
        let mut most = self.steps.prefill_chunk.map_or(u64::MAX, u64::from);
        for handle in &self.running {
            most -= self.courses[*handle as usize].plan(most);
        }
        if !preempted {
            self.admit(most, jobs);
        }
        let courses = || self.running.iter().map(|handle| &self.courses[*handle as usize]);
        let requests = courses().filter(|one| one.is_in_step()).count() as u64;
        let reads = courses().map(|one| one.reading).sum();
        if requests == 0 {
            (self.phase, self.needed) = (Phase::Idle, StepShares::default());
            return;
        }
        let time = self.steps.time_of(requests, reads);
        self.reads = reads;
        self.needed = self.steps.shares_needed(requests, reads, self.held);
        self.phase = Phase::Step(now + time);
    }

    /// The step gives tokens.
    fn end_step(&mut self, now: Nanos, jobs: &mut Jobs) {
        self.pass(now);
        let TokenServer { running, courses, done, held, figures, .. } = self;
        figures.step_ended(self.reads);
        running.retain(|handle| {
            let course = &mut courses[*handle as usize];
            let StepOutcome::Token(gap) = course.step(now) else { return true };
            let job = jobs[*handle].job;
            figures.token(job.kind, gap);
            if let Some(given) = &mut jobs.given {
                given.push(job.token);
            }
            if !course.is_done() {
                return true;
            }
            *held -= course.release();
            done.push_back(*handle);
            false
        });
        self.phase = Phase::Between(now);
    }

    fn leave(&mut self, now: Nanos, handle: Handle, jobs: &Jobs) {
        self.monitor.depart(now, || {
            let job = &jobs[handle];
            Left { kind: job.job.kind, served: job.demand }
        });
    }
}

impl Node for Box<TokenServer> {
    fn arrive(&mut self, now: Nanos, visit: Visit, jobs: &mut Jobs) -> Answer {
        let Visit { handle, demand, .. } = visit;
        let course = Course::new(jobs.entry.tokens);
        if self.steps.memory.is_some_and(|all| course.memory_max() > all) {
            return Answer::Refused;
        }
        let places = self.courses.len().max(handle as usize + 1);
        self.courses.resize(places, Course::default());
        *self.course(handle) = course;
        self.monitor.arrive(now, demand, || jobs[handle].job.kind);
        (jobs[handle].entered, jobs[handle].demand) = (now, demand);
        self.wait(handle, jobs);
        self.waiting.push_back(handle);
        if self.phase == Phase::Idle {
            self.begin_step(now, jobs);
        }
        Answer::Stays
    }

    fn next_event(&self) -> Nanos {
        match self.phase {
            Phase::Idle => Nanos::MAX,
            Phase::Step(end) | Phase::Between(end) => end,
        }
    }

    fn advance(&mut self, now: Nanos, jobs: &mut Jobs) -> Option<Handle> {
        if matches!(self.phase, Phase::Step(_)) {
            self.end_step(now, jobs);
        }
        let done = self.done.pop_front();
        if let Some(handle) = done {
            self.leave(now, handle, jobs);
            jobs.note_events(handle, self.course(handle).events);
        }
        if self.done.is_empty() {
            self.begin_step(now, jobs);
        }
        done
    }

    fn withdraw(&mut self, now: Nanos, handle: Handle, jobs: &mut Jobs) -> bool {
        self.leave(now, handle, jobs);
        if matches!(jobs[handle].place, Place::Waiting(_)) {
            return true;
        }
        // The step takes its time all the same.
        self.pass(now);
        self.held -= self.course(handle).release();
        self.running.retain(|one| *one != handle);
        self.done.retain(|one| *one != handle);
        false
    }

    fn begin_measuring(&mut self, now: Nanos) {
        self.monitor.begin(now);
        self.figures.begin(now);
    }

    fn summary(&self, now: Nanos, detail: Detail) -> Option<NodeSummary> {
        let (tokens, load) = self.figures.summary(now, self.state(), detail);
        let mut station = self.monitor.summary(now, detail);
        station.load = load;
        Some(NodeSummary::TokenServer { station, tokens })
    }
}
