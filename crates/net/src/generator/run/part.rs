//! A part of a run, whose rows are recorded in another process: some shares of the sessions, with
//! an event loop for each.
//!
//! The recording process polls for new rows about once a second. The polls are also a sign of life:
//! a part without a poll for some seconds ends itself.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use thinktime_core::share::Share;
use thinktime_core::time::Nanos;
use thinktime_core::workload::Workload;

use super::loops::{Loops, check};
use super::preparation::Prepared;
use crate::generator::plan::{LoopOutcome, Plan, RunError};
use crate::generator::record::recorder::{CommonEnd, LoopMessage};
use crate::generator::target::Target;
use crate::poller::Clock;

/// The longest time without a poll: after that a part ends itself.
const POLL_GAP_MAX: Nanos = Nanos(4_000_000_000);
/// The time between two checks for a poll.
const LOOK: Duration = Duration::from_millis(100);

/// A part of a run, under way in a thread of its own.
#[derive(Debug)]
pub struct Part {
    messages: Mutex<Receiver<LoopMessage>>,
    watch: Arc<Watch>,
    thread: Mutex<Option<JoinHandle<Result<LoopOutcome, RunError>>>>,
    /// Receives the begin of the run.
    begin: Mutex<Option<Sender<Duration>>>,
}

/// The state shared by the polling process and the loops.
#[derive(Debug)]
struct Watch {
    clock: Clock,
    /// The time of the last poll, in nanoseconds of the clock.
    last_poll: AtomicU64,
    stop: AtomicBool,
    /// Whether it ended for lack of polls.
    abandoned: AtomicBool,
    /// The lateness of the part's begin, in nanoseconds; [`u64::MAX`] before it has begun.
    begun_late: AtomicU64,
}

/// New messages of the loops of a part.
#[derive(Debug)]
pub struct PartReport {
    /// For [`Merge::take`](super::merge::Merge::take).
    pub bytes: Vec<u8>,
    /// Whether the part has ended.
    pub ended: bool,
    /// The lateness of the part's begin against the agreed time, once known.
    pub begun_late: Option<Nanos>,
}

impl Part {
    /// Prepares the part.
    ///
    /// # Errors
    /// If the plan makes no sense, or the target cannot be reached from here.
    pub fn new(
        workload: &Workload,
        target: &Target,
        plan: &Plan,
        shares: &[Share],
    ) -> Result<Part, RunError> {
        check(workload, plan)?;
        let prepared = Prepared::of(workload, target, plan)?;
        let watch = Arc::new(Watch::new());
        let ((sender, messages), (begin, begins)) = (channel(), channel());
        let (target, plan, shares) = (target.clone(), plan.clone(), shares.to_vec());
        let watched = Arc::clone(&watch);
        let run = move || {
            let begins = Mutex::new(begins);
            let loops = Loops {
                prepared: &prepared,
                target: &target,
                plan: &plan,
                shares: &shares,
                stop: &watched.stop,
                end: &CommonEnd::new(),
            };
            run(&loops, &begins, &sender, &watched)
        };
        let thread = thread::Builder::new().name("part of a run".to_owned()).spawn(run)?;
        let (thread, begin) = (Mutex::new(Some(thread)), Mutex::new(Some(begin)));
        Ok(Part { messages: Mutex::new(messages), watch, thread, begin })
    }

    /// Sets the begin of the run, as a value of the kernel's monotonic clock. Called once.
    pub fn begin(&self, at: Duration) {
        self.watch.mark_poll();
        if let Some(begin) = self.begin.lock().unwrap_or_else(PoisonError::into_inner).take() {
            begin.send(at).ok(); // its thread waits until the begin is set
        }
    }

    /// The new messages since the last call, after this time, or at once if the part has ended.
    ///
    /// # Errors
    /// If the part has failed.
    pub fn take(&self, wait: Duration) -> Result<PartReport, RunError> {
        self.watch.mark_poll();
        let (mut all, mut ended) = (Vec::new(), false);
        let until = self.watch.clock.now() + Nanos::from_secs_f64(wait.as_secs_f64());
        let messages = self.messages.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let left = until.since(self.watch.clock.now());
            match messages.recv_timeout(Duration::from_nanos(left.0)) {
                Ok(one) => all.push(one),
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => {
                    ended = true;
                    break;
                }
            }
        }
        let done = if ended { self.end()? } else { None };
        self.watch.mark_poll();
        let late = self.watch.begun_late.load(Ordering::Relaxed);
        let bytes = postcard::to_stdvec(&(all, done)).map_err(std::io::Error::other)?;
        Ok(PartReport { bytes, ended, begun_late: (late < u64::MAX).then_some(Nanos(late)) })
    }

    /// Its result, once.
    fn end(&self) -> Result<Option<LoopOutcome>, RunError> {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        let done = thread.map(|it| it.join().unwrap_or_else(|why| std::panic::resume_unwind(why)));
        if self.watch.abandoned.load(Ordering::Relaxed) {
            let s = POLL_GAP_MAX.as_secs_f64();
            let why = format!("the generator heard nothing for {s} s, so it ended itself");
            return Err(std::io::Error::other(why).into());
        }
        done.transpose()
    }

    /// Asks it to end.
    pub fn stop(&self) {
        self.watch.stop.store(true, Ordering::Relaxed);
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        self.stop();
        self.begin.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

impl Watch {
    fn new() -> Watch {
        let (last_poll, begun_late) = (AtomicU64::new(0), AtomicU64::new(u64::MAX));
        let (stop, abandoned) = (AtomicBool::new(false), AtomicBool::new(false));
        Watch { clock: Clock::start(), last_poll, stop, abandoned, begun_late }
    }

    fn mark_poll(&self) {
        self.last_poll.store(self.clock.now().0, Ordering::Relaxed);
    }

    /// Whether it has begun, and nobody has polled for too long.
    fn is_abandoned(&self) -> bool {
        if self.begun_late.load(Ordering::Relaxed) == u64::MAX {
            return false;
        }
        let last_poll = Nanos(self.last_poll.load(Ordering::Relaxed));
        self.clock.now().since(last_poll) > POLL_GAP_MAX
    }
}

/// The part's own thread: waits for the begin, and runs the loops.
fn run(
    loops: &Loops<'_>,
    begins: &Mutex<Receiver<Duration>>,
    messages: &Sender<LoopMessage>,
    watch: &Watch,
) -> Result<LoopOutcome, RunError> {
    let start = || {
        let at = begins.lock().unwrap_or_else(PoisonError::into_inner).recv();
        // No begin was set: it was dropped, and must end.
        let clock = at.map_or_else(|_| Clock::start(), Clock::start_at);
        watch.begun_late.store(clock.now().0, Ordering::Relaxed);
        clock
    };
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                if watch.is_abandoned() {
                    watch.abandoned.store(true, Ordering::Relaxed);
                    watch.stop.store(true, Ordering::Relaxed);
                }
                thread::sleep(LOOK);
            }
        });
        let done = loops.run(messages, &start);
        over.store(true, Ordering::Relaxed);
        done
    })
}
