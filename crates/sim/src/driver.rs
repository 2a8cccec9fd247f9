//! One replication on a virtual clock.

use thinktime_core::client::{Attempt, Clients, Fate, Limit, Step};
use thinktime_core::record::{Collector, Row, RowSink, TIMEOUT, Window};
use thinktime_core::system::{Departure, DrawnDemands, Job, StationSummary, System, SystemModel};
use thinktime_core::time::Nanos;
use thinktime_core::workload::Workload;

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
    system: System<DrawnDemands>,
    collector: Collector,
    limit: Limit,
    sink: &'a mut S,
    replication: u32,
    /// The end of the warm-up, while it lies ahead; then the end of the measured time.
    boundary: Nanos,
    stations: Option<Vec<StationSummary>>,
    pub(crate) now: Nanos,
    cut_short: bool,
}

impl<'a, S: RowSink> Driver<'a, S> {
    pub(crate) fn new(
        workload: &Workload,
        model: &SystemModel,
        limit: Limit,
        replication: u32,
        sink: &'a mut S,
    ) -> Driver<'a, S> {
        let demands = DrawnDemands::new(model, workload, workload.seed);
        Driver {
            clients: Clients::new(workload, limit),
            system: System::new(model, demands),
            collector: Collector::new(workload.requests.len(), limit, false),
            limit,
            sink,
            replication,
            boundary: if limit.warmup > Nanos::ZERO { limit.warmup } else { limit.until },
            stations: None,
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
        self.system.in_system()
    }

    /// Handles up to `events` events; says whether there are more.
    pub(crate) fn proceed(&mut self, events: u64) -> bool {
        for _ in 0..events {
            if self.clients.finished() {
                return false;
            }
            let (wake, served) = (self.clients.next_wake(), self.system.next_event());
            let next = wake.min(served);
            if next.is_never() {
                return false;
            }
            while next >= self.boundary {
                self.pass_boundary();
            }
            self.now = next;
            // A departure goes before a client's wish of the same instant.
            if served <= wake {
                if let Some(departure) = self.system.advance() {
                    self.depart(&departure);
                }
            } else {
                self.wake(next);
            }
            if self.stations.is_none() && self.clients.closed() {
                self.stations = Some(self.system.summaries(self.now));
            }
        }
        true
    }

    /// The warm-up or the measured time ends.
    fn pass_boundary(&mut self) {
        let at = self.boundary;
        if at == self.limit.warmup && at < self.limit.until {
            self.system.begin_measuring(at);
            self.boundary = self.limit.until;
        } else {
            if self.stations.is_none() {
                self.stations = Some(self.system.summaries(at));
            }
            self.boundary = Nanos::MAX;
        }
    }

    #[inline]
    fn wake(&mut self, now: Nanos) {
        match self.clients.wake() {
            Step::Send(attempt) => self.system.arrive(now, job(&attempt)),
            Step::TimedOut(attempt, fate) => {
                let row = Row {
                    sent: attempt.scheduled,
                    error: Some(TIMEOUT),
                    ..self.row(attempt, fate, now)
                };
                self.record(&row);
            }
            Step::Idle => {}
        }
    }

    #[inline]
    fn depart(&mut self, departure: &Departure) {
        let ticket = thinktime_core::client::Ticket::from_word(departure.job.token);
        let in_window = !self.clients.closed();
        // A client that had given up is not told.
        let Some((attempt, fate)) = self.clients.answer(departure.at, ticket, false) else {
            return;
        };
        let row = Row {
            sent: attempt.scheduled,
            first_byte: departure.at,
            station: departure.station,
            demand: departure.demand,
            ..self.row(attempt, fate, departure.at)
        };
        self.collector.add(&row, in_window);
        self.sink.row(&row);
    }

    #[inline]
    fn row(&self, attempt: Attempt, fate: Fate, done: Nanos) -> Row {
        Row { replication: self.replication, ..Row::ended(attempt, fate, done) }
    }

    fn record(&mut self, row: &Row) {
        self.collector.add(row, !self.clients.closed());
        self.sink.row(row);
    }

    /// What there is. A run that was cut short was measured up to now.
    pub(crate) fn finish(self) -> Replication {
        let whole = self.clients.window_end();
        let end = if self.cut_short { whole.min(self.now) } else { whole };
        let window = Window { begin: self.limit.warmup.min(end), end };
        let stations = self.stations.unwrap_or_else(|| self.system.summaries(self.now));
        Replication {
            collector: self.collector,
            window,
            stations,
            sessions: self.clients.sessions_begun(),
        }
    }
}

#[inline]
fn job(attempt: &Attempt) -> Job {
    Job {
        token: attempt.ticket.to_word(),
        session: attempt.session,
        serial: attempt.serial(),
        kind: attempt.kind,
    }
}
