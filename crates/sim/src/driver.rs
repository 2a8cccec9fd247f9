//! One replication on a virtual clock.

mod attempts;
mod checkpoints;
mod dead_end;
mod fast_fcfs;
mod fast_station;
mod link_budget;
mod progress_guard;
mod stages;

use serde::{Deserialize, Serialize};
use thinktime_core::client::Clients;
use thinktime_core::limit::Limit;
use thinktime_core::record::{Collector, RowSink, RunProgress, Window};
use thinktime_core::request::RequestKind;
use thinktime_core::system::{JobRef, SystemModel};
use thinktime_core::time::Nanos;
use thinktime_core::workload::Workload;

use self::checkpoints::Checkpoints;
use self::dead_end::DeadEnds;
use self::link_budget::LinkBudget;
pub use self::progress_guard::ProgressLimits;
pub(crate) use self::progress_guard::Stall;
use self::progress_guard::{ProgressGuard, ProgressMark};
use crate::modelled_system::{Measured, ModelledSystem, Nodes, withdraws};

/// The result of one replication.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Replication {
    pub(crate) collector: Collector,
    pub(crate) window: Window,
    pub(crate) measured: Measured,
    pub(crate) sessions: u64,
    /// The nodes' figures from the beginning of the measured time up to evenly spaced times of it.
    pub(crate) checkpoints: Vec<Nodes>,
    /// Why it was given up, if it was.
    pub(crate) stuck: Option<Stall>,
}

/// Clients and system with the virtual clock between them.
pub(crate) struct Driver<'a> {
    clients: Clients,
    /// Whether clients remember nothing of sessions, so that only the system's jobs know of
    /// attempts.
    one_shot: bool,
    system: ModelledSystem,
    collector: Collector,
    kinds: Vec<RequestKind>,
    /// By the slot of the session, its request in the system; kept if clients take requests back.
    present: Vec<Option<JobRef>>,
    limit: Limit,
    sink: &'a mut dyn RowSink,
    /// Whether the sink wants rows.
    rows: bool,
    replication: u32,
    /// The earliest of the times below: nothing else is due before it.
    boundary: Nanos,
    /// The end of the warm-up, while it lies ahead; then the end of the measured time.
    stage_end: Nanos,
    /// When the timeline next needs the number in the system.
    note_at: Nanos,
    /// The end of the wait for requests. Only retries can keep a system busy for ever after the
    /// last request began; without retries this is never.
    drain_end: Nanos,
    retries: bool,
    pages: bool,
    /// Whether any request has a size.
    sized: bool,
    measured: Option<Measured>,
    /// Kept if intervals of the stations' figures are wanted.
    checkpoints: Option<Checkpoints>,
    /// The requests in the system when the measured time began.
    number_before: u64,
    gave_up: bool,
    pub(crate) now: Nanos,
    cut_short: bool,
    progress_guard: ProgressGuard,
    dead_ends: DeadEnds,
    link_budget: LinkBudget,
    stuck: Option<Stall>,
}

impl<'a> Driver<'a> {
    pub(crate) fn new(
        workload: &Workload,
        model: &SystemModel,
        limit: Limit,
        progress: ProgressLimits,
        replication: u32,
        sink: &'a mut dyn RowSink,
        interval: Nanos,
    ) -> Driver<'a> {
        let clients = Clients::new(workload, limit);
        Driver {
            one_shot: clients.one_shot(),
            clients,
            system: ModelledSystem::new(model, workload),
            collector: Collector::of(workload, limit, false, interval),
            kinds: workload.requests.clone(),
            present: if withdraws(workload) { vec![None] } else { Vec::new() },
            limit,
            rows: sink.wants_rows(),
            sink,
            replication,
            boundary: Nanos::ZERO,
            stage_end: if limit.warmup > Nanos::ZERO { limit.warmup } else { limit.until },
            note_at: interval,
            drain_end: Nanos::MAX,
            retries: workload.requests.iter().any(|kind| kind.retry.attempts > 1),
            sized: workload.requests.iter().any(|kind| kind.size.is_some()),
            pages: workload.populations.iter().any(|one| one.has_pages),
            measured: None,
            checkpoints: None,
            number_before: 0,
            gave_up: false,
            now: Nanos::ZERO,
            cut_short: false,
            progress_guard: ProgressGuard::new(workload, progress),
            dead_ends: DeadEnds::new(workload, model),
            link_budget: LinkBudget::of(model),
            stuck: None,
        }
    }

    /// Keeps the nodes' figures at a few times, if they are wanted.
    pub(crate) fn with_checkpoints(mut self, wanted: bool) -> Driver<'a> {
        self.checkpoints = wanted.then(|| Checkpoints::new(self.limit.warmup, self.note_at));
        self
    }

    pub(crate) fn collector(&self) -> &Collector {
        &self.collector
    }

    /// Begins no further request, before the planned end.
    pub(crate) fn cut_short(&mut self) {
        self.clients.close();
        self.cut_short = true;
    }

    /// The present sessions: those that think, and those that wait for a response.
    pub(crate) fn sessions(&self) -> u64 {
        if self.one_shot { self.clients.open_requests() } else { self.clients.sessions() }
    }

    /// Whether no further request is begun.
    pub(crate) fn closed(&self) -> bool {
        self.clients.closed()
    }

    pub(crate) fn in_system(&self) -> u64 {
        self.system.number()
    }

    /// Whether a look is due, however few events were handled since the last one, because links
    /// have sent much.
    pub(crate) fn look_is_due(&mut self) -> bool {
        self.link_budget.take_due()
    }

    /// Handles up to `events` events; says whether more are due and the replication makes progress.
    pub(crate) fn proceed(&mut self, events: u64) -> bool {
        let handled = self.link_budget.handled(events);
        if self.is_stuck(handled) {
            self.cut_short();
            if self.retries {
                self.give_up(); // as at the end of the drain: they may never end
            }
            return false;
        }
        let more = self.handle(events);
        self.collector.settle();
        more
    }

    fn handle(&mut self, events: u64) -> bool {
        let at_line = matches!(self.system, ModelledSystem::FastFcfs(_));
        let at_station = self.one_shot && matches!(self.system, ModelledSystem::FastStation(_));
        let mut left = events;
        while left > 0 {
            if at_line {
                left -= self.fast_fcfs_events(left);
            } else if at_station {
                left -= self.fast_station_events(left);
            }
            if left == 0 {
                break;
            }
            if self.clients.done() {
                self.close();
                self.empty_line();
                self.dead_end().into_iter().for_each(|stuck| self.stop_at(stuck));
                return false;
            }
            let wake =
                if self.one_shot { self.clients.next_one_shot() } else { self.clients.next_wake() };
            let served = self.system.next_event();
            let next = wake.min(served);
            if next >= self.boundary && !self.goes_on_at(next) {
                return false;
            }
            self.now = next;
            // A departure comes before a client's request at the same instant.
            if served <= wake {
                if let Some(departure) = self.system.advance(next) {
                    self.depart(&departure);
                }
            } else {
                self.leave_line(next);
                self.wake(next);
            }
            left = self.left_after(left);
        }
        true
    }

    /// The number of events to handle before the next look, of those that were left before this
    /// one.
    #[inline(always)]
    fn left_after(&mut self, left: u64) -> u64 {
        match self.link_budget.links {
            true => self.link_budget.left(self.system.take_segments(), left - 1),
            false => left - 1,
        }
    }

    fn is_stuck(&mut self, events: u64) -> bool {
        let end = if self.clients.closed() { self.drain_end } else { self.limit.until };
        let seen = ProgressMark {
            over: self.collector.requests(),
            open: self.clients.open_requests(),
            begun: self.clients.last_begun(),
            by_time: self.limit.requests == u64::MAX || self.now < self.limit.warmup,
        };
        let number = self.system.number();
        self.stuck = self.progress_guard.look(events, seen, number, self.now, end);
        if self.stuck.is_none() && self.dead_ends.look_is_due(events, number) {
            self.stuck = self.deadlock();
        }
        self.stuck.is_some()
    }

    /// Shows the sink the result if the run ended now; `figures` makes figures of it.
    pub(crate) fn look(&mut self, figures: impl Fn(Replication) -> RunProgress) {
        let (limit, now, system) = (&self.limit, self.now, &self.system);
        let before = self.number_before;
        let (clients, collector, measured) = (&self.clients, &self.collector, &self.measured);
        self.sink.look(&|| {
            let end = clients.window_end().min(now);
            figures(Replication {
                collector: collector.clone(),
                window: Window { begin: limit.warmup.min(end), end },
                measured: measured.clone().unwrap_or_else(|| system.measured(now, before)),
                sessions: clients.sessions_begun(),
                checkpoints: Vec::new(),
                stuck: None,
            })
        });
    }

    /// The result so far. A run that was cut short was measured up to now.
    pub(crate) fn finish(mut self) -> Replication {
        let whole = self.clients.window_end();
        let end = if self.cut_short { whole.min(self.now) } else { whole };
        let window = Window { begin: self.limit.warmup.min(end), end };
        let measured = self.measured.take();
        let measured =
            measured.unwrap_or_else(|| self.system.measured(self.now, self.number_before));
        self.collector.set_sessions(self.clients.report(), self.clients.session_times());
        for attempt in self.waiting().into_iter().filter(|_| !self.gave_up) {
            if self.limit.counts(attempt.request_scheduled) {
                self.collector.unfinished(self.now.since(attempt.request_scheduled));
            }
        }
        Replication {
            collector: self.collector,
            window,
            measured,
            sessions: self.clients.sessions_begun(),
            // Several replications keep none: their own means give the intervals.
            checkpoints: self.checkpoints.as_mut().map(Checkpoints::take).unwrap_or_default(),
            stuck: self.stuck,
        }
    }
}
