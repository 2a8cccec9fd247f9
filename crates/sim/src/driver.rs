//! One replication on a virtual clock.

use thinktime_core::client::{Attempt, Clients, Fate, Limit, Step, Ticket};
use thinktime_core::random::Purpose;
use thinktime_core::record::{
    Collector, Ended, LATE, Row, RowSink, TIMEOUT, UNANSWERED, UNSENT, Window,
};
use thinktime_core::system::{
    Departure, DrawnDemands, Job, Line, Presence, StationSummary, System, SystemModel,
};
use thinktime_core::time::Nanos;
use thinktime_core::workload::{Cancel, ClientLimits, RequestKind, Workload};

/// What one replication gives.
pub(crate) struct Replication {
    pub(crate) collector: Collector,
    pub(crate) window: Window,
    pub(crate) stations: Vec<StationSummary>,
    pub(crate) sessions: u64,
}

/// Clients and system with the virtual clock between them.
pub(crate) struct Driver<'a, S> {
    clients: Clients,
    system: Modelled,
    collector: Collector,
    kinds: Vec<RequestKind>,
    /// By the slot of the session, its request in the system; kept where clients take requests
    /// back.
    present: Vec<Option<Presence>>,
    limit: Limit,
    sink: &'a mut S,
    replication: u32,
    /// The next of the times below: nothing else is due before it.
    boundary: Nanos,
    /// The end of the warm-up, while it lies ahead; then the end of the measured time.
    stage_end: Nanos,
    /// When the timeline next wants to know the number in the system.
    note_at: Nanos,
    /// When requests are no longer waited for. Only retries can keep a system busy for ever after
    /// the last request was begun; so this is never, where there are none.
    drain_end: Nanos,
    retries: bool,
    stations: Option<Vec<StationSummary>>,
    gave_up: bool,
    pub(crate) now: Nanos,
    cut_short: bool,
}

/// The modelled system.
enum Modelled {
    /// Whatever the file says.
    Any(Box<System<DrawnDemands>>),
    /// One server, first come, first served: clients are told at once when they will be answered.
    Line(Line<DrawnDemands>),
}

impl Modelled {
    fn new(model: &SystemModel, workload: &Workload) -> Modelled {
        let names: Vec<&str> = workload.requests.iter().map(|kind| kind.name.as_str()).collect();
        let program = model.program_for(workload);
        let demands = DrawnDemands::new(&program, workload.seed, Purpose::Demand);
        let general = |demands| {
            Modelled::Any(Box::new(System::new(model, &program, &names, demands, workload.seed)))
        };
        if !can_be_told_early(workload) {
            return general(demands);
        }
        Line::new(model, demands).map_or_else(general, Modelled::Line)
    }

    fn number(&self) -> u64 {
        match self {
            Modelled::Any(system) => system.in_system(),
            Modelled::Line(line) => line.number(),
        }
    }

    fn begin_measuring(&mut self, now: Nanos) {
        match self {
            Modelled::Any(system) => system.begin_measuring(now),
            Modelled::Line(line) => line.begin_measuring(now),
        }
    }

    fn summaries(&self, now: Nanos) -> Vec<StationSummary> {
        match self {
            Modelled::Any(system) => system.summaries(now),
            Modelled::Line(line) => vec![line.summary(now)],
        }
    }
}

/// Whether clients may be told of a response before its time: they may if nothing that they do
/// meanwhile, and nothing that others do, hangs on whether it has come.
fn can_be_told_early(workload: &Workload) -> bool {
    let patient = |kind: &RequestKind| kind.timeout.is_never();
    workload.clients == ClientLimits::NONE && workload.requests.iter().all(patient)
}

impl<'a, S: RowSink> Driver<'a, S> {
    pub(crate) fn new(
        workload: &Workload,
        model: &SystemModel,
        limit: Limit,
        replication: u32,
        sink: &'a mut S,
        interval: Nanos,
    ) -> Driver<'a, S> {
        let withdraws = workload.requests.iter().any(|kind| kind.cancel != Cancel::Never);
        let stage_end = if limit.warmup > Nanos::ZERO { limit.warmup } else { limit.until };
        Driver {
            clients: Clients::new(workload, limit),
            system: Modelled::new(model, workload),
            collector: Collector::new(workload.requests.len(), limit, false, interval),
            kinds: workload.requests.clone(),
            present: if withdraws { vec![None] } else { Vec::new() },
            limit,
            sink,
            replication,
            boundary: interval.min(stage_end),
            stage_end,
            note_at: interval,
            drain_end: Nanos::MAX,
            retries: workload.requests.iter().any(|kind| kind.retry.attempts > 1),
            stations: None,
            gave_up: false,
            now: Nanos::ZERO,
            cut_short: false,
        }
    }

    pub(crate) fn collector(&self) -> &Collector {
        &self.collector
    }

    /// Begins no further request, before the end that was planned.
    pub(crate) fn cut_short(&mut self) {
        self.clients.close();
        self.cut_short = true;
    }

    pub(crate) fn in_system(&self) -> u64 {
        self.system.number()
    }

    /// Handles up to `events` events; says whether there are more.
    pub(crate) fn proceed(&mut self, events: u64) -> bool {
        for _ in 0..events {
            if self.clients.done() {
                self.close();
                self.empty_line();
                return false;
            }
            let wake = self.clients.next_wake();
            let served = match &self.system {
                Modelled::Any(system) => system.next_event(),
                Modelled::Line(_) => Nanos::MAX,
            };
            let next = wake.min(served);
            if next >= self.boundary {
                if next.is_never() {
                    self.run_out();
                    return false;
                }
                self.pass_boundaries(next);
                if next >= self.drain_end {
                    self.now = self.drain_end;
                    self.give_up();
                    return false;
                }
            }
            self.now = next;
            // A departure goes before a client's wish of the same instant.
            match &mut self.system {
                Modelled::Any(system) if served <= wake => {
                    if let Some(departure) = system.advance() {
                        self.depart(&departure);
                    }
                }
                Modelled::Any(_) => self.wake(next),
                Modelled::Line(_) => {
                    self.leave_line(next);
                    self.wake(next);
                }
            }
        }
        true
    }

    /// Those leave the line whose time has come; the clients know already.
    #[inline(always)]
    fn leave_line(&mut self, now: Nanos) {
        let Modelled::Line(line) = &mut self.system else { return };
        while let Some(left) = line.leave(now) {
            if !self.clients.closed() {
                self.collector.completed(left.at);
            } else if self.limit.counts(left.came) {
                self.collector.unfinished(left.at.since(left.came));
            }
        }
    }

    /// Arrivals have come to an end before the limit did, and everybody has been served.
    #[cold]
    fn run_out(&mut self) {
        self.empty_line();
        if !self.limit.until.is_never() {
            self.pass_boundaries(self.limit.until);
        }
        self.close();
    }

    /// Handles the times up to `next` at which something is noted or begins.
    #[cold]
    fn pass_boundaries(&mut self, next: Nanos) {
        loop {
            self.boundary = self.stage_end.min(self.note_at).min(self.drain_end);
            if next >= self.drain_end && self.boundary == self.drain_end {
                return;
            }
            if next < self.boundary || self.boundary.is_never() {
                return;
            }
            // What is due at the boundary itself comes after it.
            self.leave_line(Nanos(self.boundary.0.saturating_sub(1)));
            if self.boundary == self.stage_end {
                self.end_stage();
            } else {
                let number = self.system.number();
                self.note_at = self.collector.note_in_server(self.note_at, number);
            }
        }
    }

    /// The warm-up or the measured time ends.
    fn end_stage(&mut self) {
        let at = self.stage_end;
        if at == self.limit.warmup && at < self.limit.until {
            self.system.begin_measuring(at);
            self.stage_end = self.limit.until;
        } else {
            if self.stations.is_none() {
                self.stations = Some(self.system.summaries(at));
            }
            self.stage_end = Nanos::MAX;
        }
    }

    /// No further request is begun: the measured time has ended.
    fn close(&mut self) {
        if self.stations.is_none() {
            self.stations = Some(self.system.summaries(self.now));
        }
        if self.retries && self.drain_end.is_never() {
            // As long again as it has lasted.
            self.drain_end = self.now + self.now;
            self.boundary = self.boundary.min(self.drain_end);
        }
    }

    /// What has not ended by now has failed.
    #[cold]
    fn give_up(&mut self) {
        let waiting: Vec<Attempt> =
            self.clients.waiting().chain(self.clients.between_attempts(self.now)).collect();
        for attempt in waiting {
            let row = self.row(attempt, Fate::Over, self.now);
            self.record(&Row { sent: attempt.scheduled, error: Some(UNANSWERED), ..row });
        }
        self.gave_up = true;
    }

    /// Those who are still in the line leave it; the clients know already.
    fn empty_line(&mut self) {
        if let Modelled::Line(line) = &self.system
            && let Some(last) = line.last_leaves()
        {
            self.pass_boundaries(last);
            self.leave_line(last);
        }
    }

    #[inline(always)]
    fn wake(&mut self, now: Nanos) {
        match self.clients.wake() {
            Step::Send(attempt) => self.send(now, &attempt),
            Step::TimedOut(attempt, fate) => {
                self.withdraw(now, &attempt);
                let sent = attempt.scheduled;
                let row = self.row(attempt, fate, now);
                self.record(&Row { sent, error: Some(TIMEOUT), ..row });
            }
            Step::Refused(attempt, fate) => {
                let row = self.row(attempt, fate, now);
                self.record(&Row { error: Some(UNSENT), ..row });
            }
            Step::Idle => {}
        }
        if self.clients.closed() {
            self.close();
        }
    }

    #[inline(always)]
    fn send(&mut self, now: Nanos, attempt: &Attempt) {
        let kind = &self.kinds[attempt.kind as usize];
        let job = Job {
            token: attempt.ticket.to_word(),
            session: attempt.session,
            serial: attempt.demand_serial(kind),
            kind: attempt.kind,
        };
        let presence = match &mut self.system {
            Modelled::Any(system) => system.arrive(now, job),
            Modelled::Line(line) => {
                let departure = line.arrive(now, job);
                return self.depart(&departure);
            }
        };
        if !self.present.is_empty() {
            let slot = attempt.ticket.slot();
            self.present.resize(self.present.len().max(slot + 1), None);
            self.present[slot] = Some(presence);
        }
    }

    /// The client gave the attempt up, and may take it back.
    fn withdraw(&mut self, now: Nanos, attempt: &Attempt) {
        let cancel = self.kinds[attempt.kind as usize].cancel;
        if cancel == Cancel::Never {
            return;
        }
        if let (Modelled::Any(system), Some(presence)) =
            (&mut self.system, self.present[attempt.ticket.slot()])
        {
            let token = attempt.ticket.to_word();
            system.withdraw(now, presence, token, cancel == Cancel::Always);
        }
    }

    #[inline(always)]
    fn depart(&mut self, departure: &Departure) {
        let ticket = Ticket::from_word(departure.job.token);
        let failed = departure.error.is_some();
        // A client that had given up is not told.
        let Some(ended) = self.clients.answer(departure.at, ticket, failed) else {
            return;
        };
        let row = Row {
            sent: ended.attempt.scheduled,
            first_byte: departure.at,
            station: departure.station,
            demand: departure.demand,
            error: if ended.late { Some(LATE) } else { departure.error },
            ..self.row(ended.attempt, ended.fate, departure.at)
        };
        self.record(&row);
    }

    #[inline(always)]
    fn row(&self, attempt: Attempt, fate: Fate, done: Nanos) -> Row {
        Row { replication: self.replication, ..Row::ended(attempt, fate, done) }
    }

    #[inline(always)]
    fn record(&mut self, row: &Row) {
        let ended = match self.system {
            Modelled::Line(_) => Ended::ToldLater,
            Modelled::Any(_) if self.clients.closed() => Ended::AfterWindow,
            Modelled::Any(_) => Ended::InWindow,
        };
        self.collector.add(row, ended);
        self.sink.row(row);
    }

    /// What there is. A run that was cut short was measured up to now.
    pub(crate) fn finish(mut self) -> Replication {
        let whole = self.clients.window_end();
        let end = if self.cut_short { whole.min(self.now) } else { whole };
        let window = Window { begin: self.limit.warmup.min(end), end };
        let stations = self.stations.take().unwrap_or_else(|| self.system.summaries(self.now));
        for attempt in self.clients.waiting().filter(|_| !self.gave_up) {
            if self.limit.counts(attempt.request_scheduled) {
                self.collector.unfinished(self.now.since(attempt.request_scheduled));
            }
        }
        Replication {
            collector: self.collector,
            window,
            stations,
            sessions: self.clients.sessions_begun(),
        }
    }
}
