//! The ends of attempts: with a response, with a failure, or given up; and the end of the run.

use thinktime_core::attempt::{Attempt, Fate};
use thinktime_core::client::Owner;
use thinktime_core::failure::{CANCELLED, LATE, STATUS, UNANSWERED};
use thinktime_core::program::{Reply, Report};
use thinktime_core::record::{EndPhase, Row, Window};
use thinktime_core::time::Nanos;

use super::Engine;
use super::streamed::StreamedResponses;
use crate::generator::plan::LoopOutcome;
use crate::generator::protocols::exchange::{Answer, Exchange};
use crate::generator::record::recorder::Recorder;
use crate::generator::requests::Sender;
use crate::generator::requests::redirects::sum_of_times;
use crate::generator::transport::failure::Failure;

/// How often a server may leave a request unprocessed until it counts as refused; curl has the same
/// limit.
const RESENT_MAX: u8 = 5;
/// The failures of connections that were never open.
const UNREACHED: [Failure; 3] = ["refused", "unreachable", "connect_timeout"];
/// The time between two reports on checks.
const CHECKS: Nanos = Nanos(1_000_000_000);

impl<L: Recorder> Engine<'_, L> {
    /// A response is complete.
    pub(crate) fn complete(&mut self, exchange: &Exchange, mut answer: Answer) {
        let now = exchange.last_byte.min(self.clock.now());
        let status = answer.status;
        let streamed = self.end_stream(exchange, &mut answer, now);
        let error = match self.take_response(exchange, &answer) {
            Ok(true) => {
                let sent = exchange.sent;
                return self.send(Exchange::new(exchange.attempt, sent));
            }
            Ok(false) if status >= 400 => Some(STATUS),
            Ok(false) => answer.error.or(self.requests.grpc_failure(&exchange.attempt, &answer)),
            Err(failure) => Some(failure),
        };
        let error = error.or(streamed).or(self.decode(&exchange.attempt, &mut answer));
        let (head, body) = answer
            .excerpt
            .as_ref()
            .map_or((&[][..], &[][..]), |excerpt| (&excerpt.head, &excerpt.body));
        if let Some(error) = error {
            self.keep_body(&exchange.attempt, error, status, body);
        }
        let cut = answer.excerpt.as_ref().is_some_and(|excerpt| excerpt.cut);
        let reply = Reply { error, status, head, body, cut, ..Reply::default() };
        let owner = self.values.is_some().then(|| self.clients.owner(&exchange.attempt));
        let Some(ended) = self.clients.answer(now, exchange.attempt.ticket, reply) else { return };
        let row = Row {
            status,
            bytes_received: answer.bytes,
            server_time: answer.server_time,
            rows: answer.rows,
            error: if ended.late { Some(LATE) } else { error },
            ..exchange.row(ended.fate, now)
        };
        self.judge(&row, owner.map(|owner| (&answer, owner)));
        self.record_row(&row);
    }

    /// Decodes a kept body. Its errors are reported when somebody reads it.
    fn decode(&mut self, attempt: &Attempt, answer: &mut Answer) -> Option<Failure> {
        let excerpt = answer.excerpt.as_mut()?;
        let damaged = excerpt.decode().is_err();
        let bodies_cut = self.bodies_cut.as_mut()?;
        let failure = match damaged {
            true => Some("content_encoding"),
            false => self.requests.read_messages(attempt, excerpt),
        };
        *bodies_cut += u64::from(excerpt.cut);
        failure
    }

    /// Takes the cookies of a response, and says whether it redirects the attempt.
    fn take_response(&mut self, exchange: &Exchange, answer: &Answer) -> Result<bool, Failure> {
        if !self.requests.follows_responses() {
            return Ok(false);
        }
        let attempt = &exchange.attempt;
        let sender = Sender { owner: self.clients.owner(attempt), now: self.clock.now() };
        let call = self.call(attempt);
        self.requests.take_response(exchange, answer, &sender, call.as_deref())
    }

    /// A connection broke: its attempts have failed, or are sent once more if the server had merely
    /// closed a kept connection at that moment.
    pub(crate) fn fail_connection(&mut self, place: u32, failure: Failure) {
        let Some(mut connection) = self.pool.take(place) else { return };
        let reused = connection.reused;
        if let Some(address) = connection.address.filter(|_| UNREACHED.contains(&failure)) {
            self.pool.tries.entry(address).or_default().failed += 1;
        }
        let exchanges: Vec<Exchange> = std::iter::from_fn(|| connection.take_exchange()).collect();
        connection.close();
        for exchange in exchanges {
            let call = self.call(&exchange.attempt);
            let repeatable = self.requests.may_be_repeated(&exchange.attempt, call.as_deref());
            if reused && exchange.untouched() && repeatable {
                self.send_again(exchange, failure);
            } else {
                self.fail(exchange, failure);
            }
        }
    }

    /// Sends an exchange once more that the server has not processed: RFC 9113, section 8.7. After
    /// several times it is a failure.
    pub(crate) fn send_again(&mut self, exchange: Exchange, failure: Failure) {
        if exchange.resent < RESENT_MAX {
            self.send(Exchange { resent: exchange.resent + 1, ..exchange });
        } else {
            self.fail(exchange, failure);
        }
    }

    /// An attempt ended without a response.
    pub(crate) fn fail(&mut self, exchange: Exchange, failure: Failure) {
        let now = self.clock.now();
        let failure = self.failure_of(&exchange.attempt, failure);
        let ticket = exchange.attempt.ticket;
        let Some(ended) = self.clients.answer(now, ticket, Reply::of(Some(failure))) else {
            return;
        };
        let row = Row { error: Some(failure), ..exchange.row(ended.fate, now) };
        self.record(&row);
    }

    /// The client gave the attempt up. Its connection is closed, as by a real client; if it carries
    /// others as well, only the attempt's stream ends.
    pub(crate) fn give_up(&mut self, attempt: Attempt, fate: Fate, word: Failure) {
        let now = self.clock.now();
        let row = match self.stop_exchange(&attempt) {
            Some(exchange) => exchange.row(fate, now),
            None => Row::ended(attempt, fate, now),
        };
        self.record(&Row { error: Some(word), ..row });
    }

    /// Gives up the attempts whose request was answered by another one.
    pub(crate) fn end_cancelled(&mut self) {
        while let Some(attempt) = self.clients.cancelled() {
            self.give_up(attempt, Fate::Retried, CANCELLED);
        }
    }

    /// Ends an attempt's exchange from this side, if it has one.
    pub(crate) fn stop_exchange(&mut self, attempt: &Attempt) -> Option<Exchange> {
        let place = self.pool.slot_of(attempt.ticket);
        let (exchange, useless) = self.pool.get(place)?.give_up(attempt)?;
        if useless {
            self.pool.drop(place);
        } else {
            self.pool.list_or_close(place);
            self.write(place);
        }
        Some(exchange)
    }

    /// An attempt ended without an answer.
    pub(crate) fn record(&mut self, row: &Row) {
        self.judge(row, None);
        self.record_row(row);
    }

    /// The checks and extracted values of a request that has ended.
    fn judge(&mut self, row: &Row, answer: Option<(&Answer, Owner)>) {
        if let Some(values) = &mut self.values
            && row.fate == Fate::Over
        {
            values.finish_request(row, answer);
        }
    }

    fn record_row(&mut self, row: &Row) {
        let mut row = *row;
        if let Some(values) = &mut self.values {
            values.forget(row.attempt.ticket);
        }
        if let Some(before) = self.requests.redirects.end(row.attempt.ticket) {
            row.bytes_sent += before.bytes_sent;
            row.bytes_received += before.bytes_received;
            row.server_time = sum_of_times(before.server_time, row.server_time);
        }
        if let Some(streams) = &mut self.streams {
            streams.end(&mut row);
        }
        self.failures += u64::from(row.error.is_some_and(|error| error != CANCELLED));
        let closed = self.clients.closed() || row.done >= self.clients.until();
        self.recorder.add(&row, if closed { EndPhase::AfterWindow } else { EndPhase::InWindow });
        while let Some(page) = self.clients.ended_page() {
            self.recorder.page(&page);
        }
    }

    /// Ends the run.
    pub(crate) fn finish(mut self, interrupted: bool) -> (LoopOutcome, L) {
        let now = self.clock.now();
        let in_flight = self.clients.open_requests();
        let whole = self.clients.window_end();
        let end = if interrupted { whole.min(now) } else { whole };
        // Unanswered requests have failed; unless the run was cut short, which is not the server's
        // doing.
        if !interrupted {
            self.clients.end_copies(now);
            self.end_cancelled();
            let waiting: Vec<Attempt> = self.clients.waiting().collect();
            for attempt in waiting {
                let row = Row { error: Some(UNANSWERED), ..Row::ended(attempt, Fate::Over, now) };
                self.record(&row);
            }
        }
        self.pool.close_all();
        self.recorder.complete_up_to(Nanos::MAX, self.progress(now));
        let warning = self.end_sharing(now);
        let report = self.report();
        let mut report = self.failure_bodies.merge_into(report);
        if let Some(warning) = &warning {
            report.get_or_insert_default().warn(warning);
        }
        let done = LoopOutcome {
            generator: self.usage.figures(self.clock),
            report,
            window: Window { begin: self.plan.limit.warmup.min(end), end },
            sessions: self.clients.sessions_begun(),
            interrupted,
            load_lost: None,
            in_flight,
            bodies_cut: self.bodies_cut.unwrap_or_default(),
            session_times: self.clients.session_times().to_vec(),
            event_gaps: self.streams.take().map_or(Vec::new(), StreamedResponses::gaps),
            tries: std::mem::take(&mut self.pool.tries),
        };
        (done, self.recorder)
    }

    /// The findings of scripts, checks and values.
    fn report(&self) -> Option<Report> {
        let values = self.values.as_ref().map(|values| values.report().clone());
        Report::joined(self.clients.report(), values)
    }

    /// Reports the checks once a second, if somebody asks.
    pub(crate) fn report_checks(&mut self, now: Nanos) {
        if now >= self.next_checks {
            self.next_checks = now + CHECKS;
            let checks = self.report().map(|report| report.checks().clone());
            self.recorder.checks(checks.unwrap_or_default());
        }
    }
}
