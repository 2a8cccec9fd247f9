//! Services: the threads that do the work of requests.

use std::collections::VecDeque;

use thinktime_file::time::Nanos;

use super::super::jobs::Handle;
use super::{Cause, Machine, NO_TASK, ServiceModel, TaskId, TaskOrigin, Threads, Work};

/// A service in motion.
#[derive(Debug)]
pub(super) struct Service {
    origin: TaskOrigin,
    threads: Threads,
    queue_limit: usize,
    /// By visitor, the thread that it has.
    task_of: Vec<TaskId>,
    /// Idle threads of the pool. The last one to be busy goes first, as threads that wait on one
    /// `epoll` are woken.
    idle: Vec<TaskId>,
    /// The current number of threads of the pool.
    made: u32,
    /// The visitors that wait for a thread of the pool, first come, first served.
    waiting: VecDeque<Burst>,
    loops: Vec<EventLoop>,
    following: usize,
}

/// A thread that does the bursts of many requests, one after another.
#[derive(Debug)]
struct EventLoop {
    task: TaskId,
    busy: bool,
    waiting: VecDeque<Burst>,
}

/// The work that a request asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Burst {
    pub(super) work: Work,
    pub(super) demand: Nanos,
    pub(super) cause: Cause,
    /// The task that would be the parent of a new one for it.
    pub(super) creator: TaskId,
}

/// The result of asking for a burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    /// A thread has it.
    Runs,
    /// It waits for a thread.
    Waits,
    /// Too many wait.
    Refused,
}

impl Service {
    pub(super) fn new(number: u32, model: &ServiceModel) -> Service {
        let origin = TaskOrigin {
            service: number,
            level: model.level,
            cores: model.cores,
            creator: NO_TASK,
        };
        let loops = match model.threads {
            Threads::EventLoops(count) => count,
            Threads::PerRequest | Threads::Pool(_) => 0,
        };
        let new_loop = || EventLoop { task: NO_TASK, busy: false, waiting: VecDeque::new() };
        Service {
            origin,
            threads: model.threads,
            queue_limit: usize::try_from(model.queue_limit).unwrap_or(usize::MAX),
            task_of: Vec::new(),
            idle: Vec::new(),
            made: 0,
            waiting: VecDeque::new(),
            loops: (0..loops).map(|_| new_loop()).collect(),
            following: 0,
        }
    }

    /// The thread that a visitor has; under event loops no visitor has one.
    #[inline]
    pub(super) fn task_of(&self, visitor: Handle) -> Option<TaskId> {
        let task = self.task_of.get(visitor as usize).copied()?;
        (task != NO_TASK && !self.has_loops()).then_some(task)
    }

    /// The task that carries out the burst of a visitor, if one does.
    pub(super) fn works_for(&self, machine: &Machine, visitor: Handle) -> Option<TaskId> {
        let busy = self.loops.iter().filter(|one| one.busy);
        let mut its = busy.filter(|one| machine.work(one.task).1.owner == visitor);
        self.task_of(visitor).or_else(|| its.next().map(|one| one.task))
    }

    fn has_loops(&self) -> bool {
        matches!(self.threads, Threads::EventLoops(_))
    }

    fn assign(&mut self, visitor: Handle, task: TaskId) {
        let at = visitor as usize;
        if self.task_of.len() <= at {
            self.task_of.resize(at + 1, NO_TASK);
        }
        self.task_of[at] = task;
    }

    /// Has a burst done.
    pub(super) fn serve(&mut self, now: Nanos, machine: &mut Machine, burst: Burst) -> Admission {
        let visitor = burst.work.owner;
        if self.has_loops() {
            return self.serve_in_loop(now, machine, burst);
        }
        let had = self.task_of(visitor);
        let found = match self.threads {
            Threads::PerRequest => {
                Some(had.unwrap_or_else(|| self.start(now, machine, burst.creator)))
            }
            Threads::Pool(size) => had
                .or_else(|| self.idle.pop())
                .or_else(|| (self.made < size).then(|| self.start(now, machine, NO_TASK))),
            Threads::EventLoops(_) => None,
        };
        let Some(task) = found else {
            if self.waiting.len() >= self.queue_limit {
                return Admission::Refused;
            }
            self.waiting.push_back(burst);
            return Admission::Waits;
        };
        self.assign(visitor, task);
        machine.run(now, task, burst.work, burst.demand, burst.cause);
        Admission::Runs
    }

    fn start(&mut self, now: Nanos, machine: &mut Machine, creator: TaskId) -> TaskId {
        self.made += 1;
        machine.start(now, TaskOrigin { creator, ..self.origin })
    }

    fn serve_in_loop(&mut self, now: Nanos, machine: &mut Machine, burst: Burst) -> Admission {
        // The loop of a visitor is kept as its task, for the whole visit.
        let visitor = burst.work.owner;
        let known = self.task_of.get(visitor as usize).copied().filter(|at| *at != NO_TASK);
        let at = known.unwrap_or(self.following as TaskId);
        if known.is_none() {
            self.following = (self.following + 1) % self.loops.len();
            self.assign(visitor, at);
        }
        let at = &mut self.loops[at as usize];
        if at.busy {
            if at.waiting.len() >= self.queue_limit {
                return Admission::Refused;
            }
            at.waiting.push_back(burst);
            return Admission::Waits;
        }
        if at.task == NO_TASK {
            at.task = machine.start(now, self.origin);
        }
        at.busy = true;
        machine.run(now, at.task, burst.work, burst.demand, burst.cause);
        Admission::Runs
    }

    /// After a burst of an event loop, and its consequences: the next one. Gives its visitor.
    pub(super) fn go_on(
        &mut self,
        now: Nanos,
        machine: &mut Machine,
        task: TaskId,
    ) -> Option<Handle> {
        let at = self.loops.iter_mut().find(|one| one.task == task)?;
        at.begin_next(now, machine)
    }

    /// A visitor no longer uses the service. Gives the next visitor that has its thread.
    pub(super) fn finish(
        &mut self,
        now: Nanos,
        machine: &mut Machine,
        visitor: Handle,
    ) -> Option<Handle> {
        let task = self.task_of(visitor);
        if (visitor as usize) < self.task_of.len() {
            self.task_of[visitor as usize] = NO_TASK;
        }
        let task = task?;
        if self.threads == Threads::PerRequest {
            machine.end(now, task);
            return None;
        }
        let Some(next) = self.waiting.pop_front() else {
            self.idle.push(task);
            return None;
        };
        self.assign(next.work.owner, task);
        machine.run(now, task, next.work, next.demand, Cause::Event);
        Some(next.work.owner)
    }

    /// A visitor leaves in the middle. A thread that works for it is ended, and another one takes
    /// its place. An event loop whose burst is `done` at this very instant works for no visitor.
    /// Gives the visitors that then have a thread.
    pub(super) fn withdraw(
        &mut self,
        now: Nanos,
        machine: &mut Machine,
        visitor: Handle,
        done: Option<TaskId>,
    ) -> Vec<Handle> {
        let mut served = Vec::new();
        let others = |burst: &Burst| burst.work.owner != visitor;
        self.waiting.retain(others);
        if let Some(task) = self.task_of(visitor) {
            machine.end(now, task);
            self.made -= 1;
        }
        if (visitor as usize) < self.task_of.len() {
            self.task_of[visitor as usize] = NO_TASK;
        }
        for at in &mut self.loops {
            at.waiting.retain(others);
            let works = at.busy && done != Some(at.task);
            if works && machine.work(at.task).1.owner == visitor {
                machine.end(now, at.task);
                at.task = machine.start(now, self.origin);
                served.extend(at.begin_next(now, machine));
            }
        }
        if let Threads::Pool(size) = self.threads
            && self.made < size
            && let Some(next) = self.waiting.pop_front()
        {
            let task = self.start(now, machine, NO_TASK);
            self.assign(next.work.owner, task);
            machine.run(now, task, next.work, next.demand, next.cause);
            served.push(next.work.owner);
        }
        served
    }
}

impl EventLoop {
    fn begin_next(&mut self, now: Nanos, machine: &mut Machine) -> Option<Handle> {
        let next = self.waiting.pop_front();
        self.busy = next.is_some();
        let next = next?;
        machine.run(now, self.task, next.work, next.demand, next.cause);
        Some(next.work.owner)
    }
}
