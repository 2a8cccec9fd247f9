//! A run whose parts are under way in other processes, on this machine or on others.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

use thinktime_core::error::Invalid;
use thinktime_core::record::{GeneratorNode, RowSink, Window};
use thinktime_core::time::Nanos;
use thinktime_core::workload::Workload;

use crate::generator::credentials::common_fields::with_common_fields;
use crate::generator::plan::{Done, Plan, RunError, RunOutcome, RunProgress};
use crate::generator::record::merger::{Keeper, joined};
use crate::generator::record::recorder::Told;

/// Where what the parts of a run tell comes together. Parts are named by the numbers of their
/// shares.
#[derive(Debug)]
pub struct Gathering {
    sender: Mutex<Option<Sender<Told>>>,
    told: Mutex<Option<Receiver<Told>>>,
    state: Mutex<State>,
    stop: AtomicBool,
    shares: usize,
}

#[derive(Debug, Default)]
struct State {
    ends: Vec<Done>,
    /// By share, how far its rows are there, and how far it is.
    seen: Vec<(Nanos, RunProgress)>,
    /// How far each share was that was lost.
    lost: Vec<RunProgress>,
    warnings: Vec<String>,
    load_lost: Option<String>,
    generators: Vec<GeneratorNode>,
}

impl Gathering {
    /// For so many shares.
    #[must_use]
    pub fn new(shares: usize) -> Gathering {
        let (sender, told) = channel();
        let seen = vec![(Nanos::ZERO, RunProgress::default()); shares];
        Gathering {
            sender: Mutex::new(Some(sender)),
            told: Mutex::new(Some(told)),
            state: Mutex::new(State { seen, ..State::default() }),
            stop: AtomicBool::new(false),
            shares,
        }
    }

    /// Takes what [`Part::take`](super::part::Part::take) gave.
    ///
    /// # Errors
    /// When that is not what these bytes are.
    pub fn take(&self, bytes: &[u8]) -> Result<(), Invalid> {
        let (all, done): (Vec<Told>, Option<Done>) = postcard::from_bytes(bytes)
            .map_err(|error| Invalid::new(format!("what a generator told is damaged: {error}")))?;
        let mut state = self.state();
        state.ends.extend(done);
        for told in all {
            let Some(seen) = state.seen.get_mut(told.part()) else { continue };
            match &told {
                Told::Page(page) => seen.0 = page.complete_up_to.min(seen.1.time().max(seen.0)),
                Told::Progress(_, progress) => seen.1 = *progress,
                Told::Gone(_) => {}
            }
            self.tell(told);
        }
        Ok(())
    }

    /// The share of this number has been lost: gives the time up to which its rows are there, in
    /// seconds, and how far it was.
    pub fn lose(&self, share: usize) -> (f64, RunProgress) {
        self.tell(Told::Gone(share));
        let mut state = self.state();
        let Some((up_to, progress)) = state.seen.get(share).copied() else {
            return (0.0, RunProgress::default());
        };
        // Whoever takes it over counts anew.
        state.seen[share].1 = RunProgress::default();
        state.lost.push(progress);
        (up_to.as_secs_f64(), progress)
    }

    /// Nothing more comes.
    pub fn end(&self) {
        self.sender.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Whether the run is to end.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Adds to what the result says of itself.
    pub fn warn(&self, warning: String) {
        self.state().warnings.push(warning);
    }

    /// A part of the load is missing, so that the result is not to be trusted, for this reason.
    pub fn spoil(&self, reason: String) {
        self.state().load_lost.get_or_insert(reason);
    }

    /// What the result says of the generators.
    pub fn describe(&self, generators: Vec<GeneratorNode>) {
        self.state().generators = generators;
    }

    fn tell(&self, told: Told) {
        if let Some(sender) = &*self.sender.lock().unwrap_or_else(PoisonError::into_inner) {
            sender.send(told).ok(); // nobody listens any more once the run has ended
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

/// Keeps the book of a run whose parts tell `gathering`, until [`Gathering::end`], and judges what
/// came of it; as [`run`](super::run).
///
/// # Errors
/// When workload and plan make no sense.
pub fn gather(
    workload: &Workload,
    plan: &Plan,
    gathering: &Gathering,
    sink: &mut impl RowSink,
    watch: &mut dyn FnMut(RunProgress) -> bool,
) -> Result<RunOutcome, RunError> {
    plan.check(workload)?;
    let workload = with_common_fields(workload)?;
    let told = gathering.told.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Some(told) = told else { return Err(Invalid::new("this was gathered already").into()) };
    let mut outcome = super::kept(&workload, plan, sink, watch, |book, watch| {
        let keeper = Keeper::new(book, gathering.shares);
        let collector = keeper.keep(&told, &gathering.stop, watch);
        Ok((gathering.state().done(plan, gathering.is_stopped()), collector))
    })?;
    let mut state = gathering.state();
    outcome.summary.warnings.append(&mut state.warnings);
    outcome.summary.generators = std::mem::take(&mut state.generators);
    outcome.summary.notes.extend(divided(&workload, gathering.shares));
    Ok(outcome)
}

/// What belongs to all clients together, and of which each share has its part, in words.
fn divided(workload: &Workload, shares: usize) -> Option<String> {
    let limits = || workload.populations.iter().map(|one| &one.clients);
    let in_flight = limits().any(|one| one.concurrency < u64::MAX);
    let budget = limits().any(|one| one.retry_budget.is_some());
    let what = match (in_flight, budget) {
        (true, true) => "the limit of requests in flight and the retry budget were",
        (true, false) => "the limit of requests in flight was",
        (false, true) => "the retry budget was",
        (false, false) => return None,
    };
    (shares > 1).then(|| {
        format!("{what} divided among {shares} event loops: each has its part, used or not")
    })
}

impl State {
    /// The ends of all parts as one, those that were lost included.
    fn done(&mut self, plan: &Plan, stopped: bool) -> Done {
        let lost = self.lost.iter().map(|one| Done {
            sessions: one.sessions,
            window: Window { begin: plan.limit.warmup, end: one.time() },
            ..Done::nothing()
        });
        let all = self.ends.drain(..).chain(lost);
        let mut done = all.reduce(joined).unwrap_or_else(Done::nothing);
        // What was lost in the warm-up does not make the others' time longer.
        done.window.begin = done.window.begin.min(done.window.end);
        done.interrupted |= stopped;
        done.load_lost = self.load_lost.take();
        done
    }
}
