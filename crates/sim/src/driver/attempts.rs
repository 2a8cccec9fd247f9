//! The course of attempts: sent, answered, given up, recorded.

use thinktime_core::attempt::{Attempt, Fate, Ticket};
use thinktime_core::client::{ClientAction, Ended};
use thinktime_core::failure::{LATE, TIMEOUT, UNSENT};
use thinktime_core::file::Cancel;
use thinktime_core::program::Reply;
use thinktime_core::record::{Ended as When, Row};
use thinktime_core::request::Method;
use thinktime_core::system::{Departure, Job};
use thinktime_core::time::Nanos;

use super::Driver;
use crate::modelled_system::{Arrived, ModelledSystem};

/// The part of a modelled system's response that programs see.
const OK: u16 = 200;

impl Driver<'_> {
    #[inline(always)]
    pub(super) fn wake(&mut self, now: Nanos) {
        if self.one_shot {
            if let Some(attempt) = self.clients.wake_one_shot() {
                self.clients.await_one_shot();
                self.send(now, &attempt);
            }
        } else {
            self.wake_session(now);
        }
        self.take_pages();
        if self.clients.closed() {
            self.close();
        }
    }

    /// Records the pages that are over.
    #[inline(always)]
    fn take_pages(&mut self) {
        if self.pages {
            while let Some(page) = self.clients.ended_page() {
                self.collector.add_page(&page);
            }
        }
    }

    #[inline(always)]
    fn wake_session(&mut self, now: Nanos) {
        match self.clients.wake() {
            ClientAction::Send(attempt) => self.send(now, &attempt),
            ClientAction::TimedOut(attempt, fate) => {
                self.withdraw(now, &attempt);
                let sent = attempt.scheduled;
                let row = self.row(attempt, fate, now);
                self.record(&Row { sent, error: Some(TIMEOUT), ..row });
            }
            ClientAction::Refused(attempt, fate) => {
                let row = self.row(attempt, fate, now);
                self.record(&Row { error: Some(UNSENT), ..row });
            }
            ClientAction::Idle => {}
        }
    }

    #[inline(always)]
    fn send(&mut self, now: Nanos, attempt: &Attempt) {
        let kind = &self.kinds[attempt.kind as usize];
        let job = Job {
            token: if self.one_shot { now.0 } else { attempt.ticket.to_word() },
            session: attempt.session,
            serial: kind.retry.demand_serial(attempt),
            kind: attempt.kind,
        };
        match self.system.arrive(now, job) {
            Arrived::Leaves(departure) => self.depart(&departure),
            Arrived::Present(presence) if !self.present.is_empty() => {
                let slot = attempt.ticket.slot();
                self.present.resize(self.present.len().max(slot + 1), None);
                self.present[slot] = Some(presence);
            }
            Arrived::Present(_) | Arrived::Stays => {}
        }
    }

    /// The client gave the attempt up, and may take it back.
    fn withdraw(&mut self, now: Nanos, attempt: &Attempt) {
        let cancel = self.kinds[attempt.kind as usize].cancel;
        if cancel == Cancel::Never {
            return;
        }
        if let (ModelledSystem::Any(system), Some(presence)) =
            (&mut self.system, self.present[attempt.ticket.slot()])
        {
            let token = attempt.ticket.to_word();
            system.withdraw(now, presence, token, cancel == Cancel::Always);
        }
    }

    #[inline(always)]
    pub(super) fn depart(&mut self, departure: &Departure) {
        if let Some(ended) = self.told(departure) {
            self.record_answer(departure, &ended, self.phase());
            self.take_pages();
        }
    }

    /// Records an answer that reached a client.
    #[inline(always)]
    pub(super) fn record_answer(&mut self, departure: &Departure, ended: &Ended, when: When) {
        let error = if ended.late { Some(LATE) } else { departure.error };
        if self.rows {
            // Copies, so that without rows nothing has to lie in memory.
            self.hand_over(*departure, *ended, error);
        }
        let served = error.is_none() && ended.fate == Fate::Over;
        if !(served && self.collector.add_served(&ended.attempt, departure.at, when)) {
            self.collector.add(&self.answered(departure, ended, error), when);
        }
    }

    /// Gives the row of an answer to the sink.
    #[inline(never)]
    fn hand_over(&mut self, departure: Departure, ended: Ended, error: Option<&'static str>) {
        let mut row = self.answered(&departure, &ended, error);
        if self.sized && self.sink.wants_bytes() {
            row.bytes_received = self.bytes_of(&ended.attempt, &departure);
        }
        self.sink.row(&row);
    }

    /// The row of an answer, without its bytes.
    #[inline(always)]
    fn answered(&self, departure: &Departure, ended: &Ended, error: Option<&'static str>) -> Row {
        Row {
            replication: self.replication,
            sent: ended.attempt.scheduled,
            first_byte: departure.at,
            station: departure.station.0,
            demand: departure.demand,
            error,
            ..Row::ended(ended.attempt, ended.fate, departure.at)
        }
    }

    /// The bytes of a response, if requests have sizes. Those to HEAD have only a head.
    #[inline(never)]
    fn bytes_of(&self, attempt: &Attempt, departure: &Departure) -> u64 {
        let kind = &self.kinds[attempt.kind as usize];
        let sizes = kind.size.as_ref().filter(|_| kind.method != Method::Head);
        let answered = sizes.filter(|_| departure.error.is_none());
        answered.map_or(0, |sizes| sizes.of_request(attempt.session, attempt.index))
    }

    /// Passes the answer to the client, unless it had given up.
    #[inline(always)]
    fn told(&mut self, departure: &Departure) -> Option<Ended> {
        if self.one_shot {
            self.clients.end_one_shot();
            let attempt = only_attempt(&departure.job);
            return Some(Ended { attempt, fate: Fate::Over, late: false });
        }
        let ticket = Ticket::from_word(departure.job.token);
        let reply = Reply { status: OK, ..Reply::of(departure.error) };
        self.clients.answer(departure.at, ticket, reply)
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
    fn phase(&self) -> When {
        match self.system {
            ModelledSystem::FastFcfs(_) => When::ToldLater,
            _ if self.clients.closed() => When::AfterWindow,
            _ => When::InWindow,
        }
    }

    /// The attempts that wait for their response.
    pub(super) fn waiting(&self) -> Vec<Attempt> {
        if self.one_shot {
            return self.system.inside().iter().map(only_attempt).collect();
        }
        self.clients.waiting().collect()
    }
}

/// The attempt of a session with a single request, which exists only as the job.
#[inline(always)]
pub(super) fn only_attempt(job: &Job) -> Attempt {
    Attempt { kind: job.kind, ..Attempt::only(job.session, Nanos(job.token)) }
}
