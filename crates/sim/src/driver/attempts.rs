//! The course of attempts: sent, answered, given up, recorded.

use thinktime_core::attempt::{Attempt, EventTimes, Fate};
use thinktime_core::client::{AttemptEnd, ClientAction};
use thinktime_core::failure::{CANCELLED, LATE, TIMEOUT, Word};
use thinktime_core::file::Cancel;
use thinktime_core::record::{EndPhase, Row};
use thinktime_core::request::Method;
use thinktime_core::system::{Departure, Job};
use thinktime_core::time::Nanos;

use super::Driver;
use super::sessions::{Sessions, Sort, only_attempt};
use crate::modelled_system::{ArrivalOutcome, ModelledSystem};

impl<M: ModelledSystem> Driver<'_, M> {
    /// Carries out the clients' action that is due now.
    #[inline(always)]
    pub(super) fn wake<S: Sessions>(&mut self, now: Nanos) {
        match S::wake(&mut self.clients) {
            ClientAction::Send(attempt) => self.send::<S>(now, &attempt),
            ClientAction::TimedOut(attempt, fate) => self.end(now, attempt, fate, TIMEOUT),
            ClientAction::Refused(attempt, fate, why) => {
                let row = self.row(attempt, fate, now);
                self.record(&Row { error: Some(why.word()), ..row });
            }
            ClientAction::Idle => {}
        }
    }

    /// Records the pages that are over, and the attempts that clients gave up for another's answer.
    #[inline(always)]
    pub(super) fn take_asides(&mut self) {
        if self.asides {
            while let Some(page) = self.clients.ended_page() {
                self.collector.add_page(&page);
            }
            while let Some(attempt) = self.clients.cancelled() {
                self.end(self.now, attempt, Fate::Retried, CANCELLED);
            }
        }
    }

    /// The client gave the attempt up.
    fn end(&mut self, now: Nanos, attempt: Attempt, fate: Fate, word: Word) {
        self.withdraw(now, &attempt);
        let sent = attempt.due;
        let row = self.row(attempt, fate, now);
        self.record(&Row { sent, error: Some(word), ..row });
    }

    #[inline(always)]
    fn send<S: Sessions>(&mut self, now: Nanos, attempt: &Attempt) {
        let kind = &self.kinds[attempt.kind as usize];
        let job = Job {
            token: S::token(attempt),
            session: attempt.session,
            serial: kind.retry.demand_serial(attempt),
            kind: attempt.kind,
        };
        match self.system.arrive(now, job) {
            ArrivalOutcome::Leaves(departure) => {
                if let Some(ended) = S::answer_ahead(&mut self.clients, attempt, &departure) {
                    self.record_answer(&departure, &ended);
                }
            }
            ArrivalOutcome::Present(presence) if !self.present.is_empty() => {
                let slot = attempt.ticket.slot();
                self.present.resize(self.present.len().max(slot + 1), None);
                self.present[slot] = Some(presence);
            }
            ArrivalOutcome::Present(_) | ArrivalOutcome::Stays => {}
        }
    }

    /// The client gave the attempt up, and may take it back from the system.
    fn withdraw(&mut self, now: Nanos, attempt: &Attempt) {
        let cancel = self.kinds[attempt.kind as usize].cancel;
        if cancel == Cancel::Never {
            return;
        }
        if let Some(presence) = self.present[attempt.ticket.slot()] {
            let token = attempt.ticket.to_word();
            self.system.withdraw(now, presence, token, cancel == Cancel::Always);
        }
    }

    /// Records an answer that reached a client.
    #[inline(always)]
    pub(super) fn record_answer(&mut self, departure: &Departure, ended: &AttemptEnd) {
        let phase = self.phase();
        let error = if ended.late { Some(LATE) } else { departure.error };
        let succeeded = error.is_none() && ended.fate == Fate::Over;
        // Copies, so that without sizes and rows nothing has to lie in memory.
        let bytes =
            if self.sized { self.received(*departure, ended.attempt, succeeded) } else { 0 };
        if self.rows {
            self.hand_over(*departure, *ended, error, bytes);
        }
        let streamed = M::STREAMS && self.collector.takes_events();
        let served = succeeded && !streamed;
        if !(served && self.collector.add_served(&ended.attempt, departure.at, phase)) {
            self.collector.add(&self.answered(departure, ended, error), phase);
        }
    }

    /// Gives the row of an answer to the sink.
    #[inline(never)]
    fn hand_over(
        &mut self,
        departure: Departure,
        ended: AttemptEnd,
        error: Option<&'static str>,
        bytes: u64,
    ) {
        let row = Row { bytes_received: bytes, ..self.answered(&departure, &ended, error) };
        self.sink.row(&row);
    }

    /// The row of an answer, without its bytes.
    #[inline(always)]
    fn answered(
        &self,
        departure: &Departure,
        ended: &AttemptEnd,
        error: Option<&'static str>,
    ) -> Row {
        let events = if M::STREAMS { self.events } else { EventTimes::NONE };
        Row {
            replication: self.replication,
            sent: ended.attempt.due,
            first_byte: events.first.min(departure.at),
            events,
            station: departure.station.0,
            demand: departure.demand,
            error,
            ..Row::ended(ended.attempt, ended.fate, departure.at)
        }
    }

    /// Counts the bytes of a response, if requests have sizes. Those to HEAD have only a head.
    #[inline(never)]
    fn received(&mut self, departure: Departure, attempt: Attempt, succeeded: bool) -> u64 {
        let kind = &self.kinds[attempt.kind as usize];
        let sizes = kind.size.as_ref().filter(|_| kind.method != Method::Head);
        let answered = sizes.filter(|_| departure.error.is_none());
        let bytes = answered.map_or(0, |sizes| sizes.of_request(attempt.session, attempt.index));
        if succeeded {
            self.collector.received(bytes, attempt.request_scheduled);
        }
        bytes
    }

    #[inline(always)]
    pub(super) fn row(&self, attempt: Attempt, fate: Fate, done: Nanos) -> Row {
        Row { replication: self.replication, ..Row::ended(attempt, fate, done) }
    }

    pub(super) fn record(&mut self, row: &Row) {
        self.collector.add(row, self.phase());
        self.sink.row(row);
    }

    /// The end of an attempt that ends now.
    #[inline(always)]
    fn phase(&self) -> EndPhase {
        match (M::KNOWS_DEPARTURES, self.clients.closed()) {
            (true, _) => EndPhase::ReportedLater,
            (false, true) => EndPhase::AfterWindow,
            (false, false) => EndPhase::InWindow,
        }
    }

    /// The attempts that wait for their response.
    pub(super) fn waiting(&self) -> Vec<Attempt> {
        if self.sort == Sort::OneShot {
            return self.system.inside().iter().map(only_attempt).collect();
        }
        self.clients.waiting().collect()
    }
}
