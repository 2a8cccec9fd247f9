//! A run whose parts are under way in other processes, on this machine or on others.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

use thinktime_core::error::Invalid;
use thinktime_core::record::{GeneratorNode, RowSink, Window};
use thinktime_core::time::Nanos;
use thinktime_core::workload::Workload;

use crate::generator::credentials::common_fields::with_common_fields;
use crate::generator::plan::{LoopOutcome, Plan, RunError, RunOutcome, RunProgress};
use crate::generator::record::merger::{RowMerger, combine};
use crate::generator::record::recorder::{CommonEnd, LoopMessage};

/// Merges the messages of the parts of a run. Parts are named by the numbers of their shares.
#[derive(Debug)]
pub struct Merge {
    sender: Mutex<Option<Sender<LoopMessage>>>,
    messages: Mutex<Option<Receiver<LoopMessage>>>,
    state: Mutex<State>,
    stop: AtomicBool,
    shares: usize,
}

#[derive(Debug, Default)]
struct State {
    ends: Vec<LoopOutcome>,
    /// By share, the time up to which its rows are complete, and its progress.
    seen: Vec<(Nanos, RunProgress)>,
    /// The progress of each lost share.
    lost: Vec<RunProgress>,
    warnings: Vec<String>,
    load_lost: Option<String>,
    generators: Vec<GeneratorNode>,
}

impl Merge {
    /// For this many shares.
    #[must_use]
    pub fn new(shares: usize) -> Merge {
        let (sender, messages) = channel();
        let seen = vec![(Nanos::ZERO, RunProgress::default()); shares];
        Merge {
            sender: Mutex::new(Some(sender)),
            messages: Mutex::new(Some(messages)),
            state: Mutex::new(State { seen, ..State::default() }),
            stop: AtomicBool::new(false),
            shares,
        }
    }

    /// Takes the result of [`Part::take`](super::part::Part::take).
    ///
    /// # Errors
    /// If the bytes are no such result.
    pub fn take(&self, bytes: &[u8]) -> Result<(), Invalid> {
        let (all, done): (Vec<LoopMessage>, Option<LoopOutcome>) = postcard::from_bytes(bytes)
            .map_err(|error| {
                Invalid::new(format!("the report of a generator is damaged: {error}"))
            })?;
        let mut state = self.state();
        state.ends.extend(done);
        for message in all {
            let Some(seen) = state.seen.get_mut(message.part()) else { continue };
            match &message {
                LoopMessage::Rows(batch) => {
                    seen.0 = batch.complete_up_to.min(batch.progress.time());
                    seen.1 = batch.progress;
                }
                LoopMessage::End(_) => {}
            }
            self.send(message);
        }
        Ok(())
    }

    /// Marks the share of this number as lost: gives the time up to which its rows are complete, in
    /// seconds, and its progress.
    pub fn lose(&self, share: usize) -> (f64, RunProgress) {
        self.send(LoopMessage::End(share));
        let mut state = self.state();
        let Some((up_to, progress)) = state.seen.get(share).copied() else {
            return (0.0, RunProgress::default());
        };
        // A successor counts anew.
        state.seen[share].1 = RunProgress::default();
        state.lost.push(progress);
        (up_to.as_secs_f64(), progress)
    }

    /// Ends the input.
    pub fn end(&self) {
        self.sender.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Whether the run must end.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Adds to the result's notes.
    pub fn warn(&self, warning: String) {
        self.state().warnings.push(warning);
    }

    /// Marks the result as not to be trusted, since a part of the load is missing, for this reason.
    pub fn spoil(&self, reason: String) {
        self.state().load_lost.get_or_insert(reason);
    }

    /// The result's notes about the generators.
    pub fn describe(&self, generators: Vec<GeneratorNode>) {
        self.state().generators = generators;
    }

    fn send(&self, message: LoopMessage) {
        if let Some(sender) = &*self.sender.lock().unwrap_or_else(PoisonError::into_inner) {
            sender.send(message).ok(); // the receiver is gone once the run has ended
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunProgress {
    fn time(&self) -> Nanos {
        Nanos::from_secs_f64(self.time_s)
    }
}

/// Records a run whose parts report to `merge`, until [`Merge::end`], and judges the result; as
/// [`run`](super::run), but without a precision: the parts end by the plan's limit.
///
/// # Errors
/// If workload and plan make no sense.
pub fn merge(
    workload: &Workload,
    plan: &Plan,
    merge: &Merge,
    sink: &mut dyn RowSink,
    watch: &mut dyn FnMut(RunProgress) -> bool,
) -> Result<RunOutcome, RunError> {
    plan.check(workload)?;
    let workload = with_common_fields(workload)?;
    let messages = merge.messages.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Some(messages) = messages else {
        return Err(Invalid::new("this was gathered already").into());
    };
    let mut outcome = super::run_and_judge(&workload, plan, sink, watch, |results, watch| {
        let merger = RowMerger::new(results, merge.shares);
        let collector = merger.merge(&messages, &merge.stop, &CommonEnd::new(), watch);
        Ok((merge.state().done(plan, merge.is_stopped()), collector))
    })?;
    let mut state = merge.state();
    outcome.summary.warnings.append(&mut state.warnings);
    outcome.summary.generators = std::mem::take(&mut state.generators);
    outcome.summary.notes.extend(divided(&workload, merge.shares));
    Ok(outcome)
}

/// Limits of all clients together, of which each share has its part, in words.
fn divided(workload: &Workload, shares: usize) -> Option<String> {
    let limits = || workload.populations.iter().map(|one| &one.clients);
    let in_flight = limits().any(|one| one.concurrency < u64::MAX);
    let budget = limits().any(|one| one.retry_budget.is_some());
    let what = match (in_flight, budget) {
        (true, true) => Some("the limit of requests in flight and the retry budget were"),
        (true, false) => Some("the limit of requests in flight was"),
        (false, true) => Some("the retry budget was"),
        (false, false) => None,
    };
    let parts = what.map(|what| {
        format!("{what} divided among {shares} event loops: each has its part, used or not")
    });
    let breaker = limits().any(|one| one.breaker.is_some());
    let own = breaker.then(|| {
        format!(
            "each of {shares} event loops has a circuit breaker of its own, which sees its part"
        )
    });
    let found: Vec<String> = parts.into_iter().chain(own).filter(|_| shares > 1).collect();
    (!found.is_empty()).then(|| found.join("; "))
}

impl State {
    /// The ends of all parts as one, lost ones included.
    fn done(&mut self, plan: &Plan, stopped: bool) -> LoopOutcome {
        let lost = self.lost.iter().map(|one| LoopOutcome {
            sessions: one.sessions,
            window: Window { begin: plan.limit.warmup, end: one.time() },
            ..LoopOutcome::nothing()
        });
        let all = self.ends.drain(..).chain(lost);
        let mut done = all.reduce(combine).unwrap_or_else(LoopOutcome::nothing);
        // Losses during the warm-up do not lengthen the others' time.
        done.window.begin = done.window.begin.min(done.window.end);
        done.interrupted |= stopped;
        done.load_lost = self.load_lost.take();
        done
    }
}
