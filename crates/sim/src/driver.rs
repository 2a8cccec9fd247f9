//! One replication on a virtual clock.

mod attempts;
mod checkpoints;
mod course;
mod dead_end;
mod link_budget;
mod progress_guard;
mod sessions;
mod stages;

use thinktime_core::attempt::EventTimes;
use thinktime_core::client::Clients;
use thinktime_core::limit::Limit;
use thinktime_core::record::{Collector, RowSink, RunProgress, Window};
use thinktime_core::request::RequestKind;
use thinktime_core::system::JobRef;
use thinktime_core::time::Nanos;

use self::checkpoints::Checkpoints;
pub(crate) use self::course::{Course, Replication, Setup};
use self::dead_end::DeadEnds;
use self::link_budget::LinkBudget;
pub use self::progress_guard::ProgressLimits;
pub(crate) use self::progress_guard::Stall;
use self::progress_guard::{ProgressGuard, ProgressMark};
use self::sessions::{Full, OneShot, Prompt, Sessions, Sort};
use crate::modelled_system::{Engine, ModelledSystem, withdraws};
use crate::node_figures::NodeFigures;

/// Begins a replication, on the fastest engine that applies.
pub(crate) fn begin<'a>(setup: &Setup<'_>, sink: &'a mut dyn RowSink) -> Box<dyn Course + 'a> {
    match Engine::new(setup.model, setup.workload) {
        Engine::Any(system) => Box::new(Driver::new(setup, *system, sink)),
        Engine::Station(station) => Box::new(Driver::new(setup, *station, sink)),
        Engine::Fcfs(line) => Box::new(Driver::new(setup, *line, sink)),
    }
}

/// Clients and system with the virtual clock between them.
struct Driver<'a, M> {
    /// The sort of the sessions.
    sort: Sort,
    clients: Clients,
    system: M,
    collector: Collector,
    /// Those of the response that came last.
    events: EventTimes,
    kinds: Vec<RequestKind>,
    /// By the slot of the session, its request in the system; kept if clients take requests back.
    present: Vec<Option<JobRef>>,
    limit: Limit,
    sink: &'a mut dyn RowSink,
    /// Whether the sink wants rows.
    rows: bool,
    replication: u32,
    /// The earliest of the times below: nothing else is due before it. Once no further request
    /// begins it is zero, because each event may be the last.
    boundary: Nanos,
    /// The end of the warm-up, while it lies ahead; then the end of the measured time.
    stage_end: Nanos,
    /// When the timeline next needs the number in the system.
    note_at: Nanos,
    /// The end of the wait for requests. Only retries can keep a system busy for ever after the
    /// last request began; without retries this is never.
    drain_end: Nanos,
    retries: bool,
    /// Whether clients tell more than actions and answers: pages, and attempts that they gave up.
    asides: bool,
    /// Whether any request has a size.
    sized: bool,
    measured: Option<NodeFigures>,
    /// Kept if intervals of the stations' figures are wanted.
    checkpoints: Option<Checkpoints>,
    /// The requests in the system when the measured time began.
    number_before: u64,
    gave_up: bool,
    now: Nanos,
    cut_short: bool,
    progress_guard: ProgressGuard,
    dead_ends: DeadEnds,
    link_budget: LinkBudget,
    stuck: Option<Stall>,
}

impl<'a, M: ModelledSystem> Driver<'a, M> {
    fn new(setup: &Setup<'_>, system: M, sink: &'a mut dyn RowSink) -> Driver<'a, M> {
        let &Setup { workload, model, limit, progress, number, interval, checkpoints } = setup;
        let clients = Clients::new(workload, limit);
        let collector = Collector::of(workload, limit, false, interval);
        let streams = model.token_servers().next().is_some();
        let checkpoints = checkpoints.then(|| Checkpoints::new(limit.warmup, interval));
        Driver {
            sort: Sort::of(&clients, M::KNOWS_DEPARTURES),
            asides: clients.has_copies() || workload.populations.iter().any(|one| one.has_pages),
            clients,
            system,
            collector: if streams { collector.with_events(workload) } else { collector },
            events: EventTimes::NONE,
            kinds: workload.requests.clone(),
            present: if withdraws(workload) { vec![None] } else { Vec::new() },
            limit,
            rows: sink.wants_rows(),
            sink,
            replication: number,
            boundary: Nanos::ZERO,
            stage_end: if limit.warmup > Nanos::ZERO { limit.warmup } else { limit.until },
            note_at: interval,
            drain_end: Nanos::MAX,
            retries: workload.requests.iter().any(|kind| kind.retry.attempts > 1),
            sized: workload.requests.iter().any(|kind| kind.size.is_some()),
            measured: None,
            checkpoints,
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

    /// Handles up to `events` events; says whether more are due. Here is all of a simulation: the
    /// clock moves to the next event, which is the system's or the clients'. It is compiled for
    /// each system and each sort of sessions.
    #[inline(never)] // the loop has the processor's registers for itself
    fn events<S: Sessions>(&mut self, events: u64) -> bool {
        let mut left = events;
        while left > 0 {
            let (wake, served) = (S::next_wake(&self.clients), self.system.next_event());
            let next = wake.min(served);
            if next >= self.boundary && !self.goes_on_at(next) {
                return false;
            }
            self.now = next;
            // A departure comes before a client's request at the same instant.
            if served <= wake {
                if let Some(departure) = self.system.advance(next) {
                    if M::STREAMS {
                        self.events = self.system.take_events(&departure);
                    }
                    if let Some(ended) = S::answer(&mut self.clients, &departure) {
                        self.record_answer(&departure, &ended);
                    }
                }
            } else {
                self.leave_line(next);
                self.wake::<S>(next);
                if self.clients.closed() {
                    self.close();
                }
            }
            if S::BROWSE {
                self.take_asides();
            }
            left = if M::LINKS { self.left_after(left) } else { left - 1 };
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
}

impl<M: ModelledSystem> Course for Driver<'_, M> {
    fn proceed(&mut self, events: u64) -> bool {
        let handled = self.link_budget.handled(events);
        if self.is_stuck(handled) {
            self.cut_short();
            if self.retries {
                self.give_up(); // as at the end of the drain: they may never end
            }
            return false;
        }
        let more = match self.sort {
            Sort::OneShot => self.events::<OneShot>(events),
            Sort::Prompt => self.events::<Prompt>(events),
            Sort::Full => self.events::<Full>(events),
        };
        self.collector.settle();
        more
    }

    fn cut_short(&mut self) {
        self.clients.close();
        self.boundary = Nanos::ZERO;
        self.cut_short = true;
    }

    fn closed(&self) -> bool {
        self.clients.closed()
    }

    fn now(&self) -> Nanos {
        self.now
    }

    fn collector(&self) -> &Collector {
        &self.collector
    }

    fn sessions(&self) -> u64 {
        match self.sort {
            Sort::OneShot => self.clients.open_requests(),
            Sort::Prompt | Sort::Full => self.clients.sessions(),
        }
    }

    fn in_system(&self) -> u64 {
        self.system.number()
    }

    fn look_is_due(&mut self) -> bool {
        self.link_budget.take_due()
    }

    fn look(&mut self, figures: &dyn Fn(Replication) -> RunProgress) {
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

    fn finish(mut self: Box<Self>) -> Replication {
        let whole = self.clients.window_end();
        let end = if self.cut_short { whole.min(self.now) } else { whole };
        let window = Window { begin: self.limit.warmup.min(end), end };
        let measured = self.measured.take();
        let measured =
            measured.unwrap_or_else(|| self.system.measured(self.now, self.number_before));
        self.collector.set_event_gaps(measured.event_gaps());
        self.collector.set_sessions(self.clients.report(), self.clients.session_times());
        self.clients.end_copies(self.now);
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
