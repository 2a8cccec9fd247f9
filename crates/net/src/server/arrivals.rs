//! Requests come to the model, or are answered beside it.

use thinktime_core::system::Job;
use thinktime_core::system::cluster::Condition;
use thinktime_core::time::Nanos;

use super::PROBE_PATH;
use super::connection::Answer;
use super::demands::IdentifiedRequest;
use super::engine::{Engine, Pending};
use crate::protocol::http1::Request;

/// A client that pipelines more requests than this is cut off.
const PIPELINED_MAX: usize = 1024;

impl Engine {
    pub(super) fn arrive(&mut self, place: u32, request: &Request) {
        let Some(connection) = &mut self.connections[place as usize] else { return };
        let head_only = request.method == "HEAD";
        connection.answers.push_back(Answer::to(head_only, request.keep_alive));
        if connection.answers.len() > PIPELINED_MAX {
            return self.refuse(place, 400);
        }
        if request.target == PROBE_PATH {
            return self.answer_probe(place);
        }
        let number = connection.first + connection.answers.len() as u64 - 1;
        let came = Pending::new(place, connection.generation, number);
        let identified = self.system.demands_mut().kinds().read(request);
        if self.models.is_empty() {
            match identified {
                Ok(identified) => self.enter(came, identified),
                Err(_) => self.refuse(place, 400),
            }
        } else {
            self.arrive_for_tokens(came, request, identified);
        }
    }

    /// A failed server sends nothing any more.
    fn answer_probe(&mut self, place: u32) {
        self.advance(self.clock.now());
        let status = match self.system.condition() {
            Condition::Well => 200,
            Condition::Drained => 503,
            Condition::Failed => return self.close(place),
        };
        let text = self.report.answer().to_json();
        self.say(place, status, text, None);
    }

    /// Answers the newest request of a connection with JSON, and with the methods in `Allow`.
    pub(super) fn say(
        &mut self,
        place: u32,
        status: u16,
        text: String,
        allow: Option<&'static str>,
    ) {
        let Some(connection) = &mut self.connections[place as usize] else { return };
        if let Some(answer) = connection.answers.back_mut() {
            (answer.ready, answer.said, answer.allow) = (Some(status), Some(text), allow);
        }
        self.write_answers(place);
    }

    /// The newest request of a connection enters the model.
    pub(super) fn enter(&mut self, came: Pending, identified: IdentifiedRequest) {
        let IdentifiedRequest { kind, own_demands } = identified;
        let now = self.clock.now();
        self.advance(now);
        if self.system.condition() == Condition::Failed {
            return self.cut_off(&came);
        }
        // The client may have been cut off meanwhile.
        if self.connection_of(&came).is_none() {
            return;
        }
        let now = self.model_time(now);
        self.arrivals += 1;
        let (found, arrival) = (self.report.begin(), self.arrivals);
        let token = self.token_of(Pending { found, since: now, arrival, ..came });
        if let Some(answer) = self.newest_answer(&came) {
            if let Some(size) = own_demands.size {
                answer.size = size;
            }
            answer.job = answer.completion.is_some().then_some((token, arrival));
        }
        self.system.demands_mut().set(token, own_demands);
        let job = Job { token, session: arrival, serial: 0, kind };
        let presence = self.system.arrive(now, job);
        self.jobs[token as usize].presence = Some(presence);
    }

    /// The name of the job of a request.
    fn token_of(&mut self, pending: Pending) -> u64 {
        match self.free_jobs.pop() {
            Some(token) => {
                self.jobs[token as usize] = pending;
                token
            }
            None => {
                self.jobs.push(pending);
                self.jobs.len() as u64 - 1
            }
        }
    }

    pub(super) fn newest_answer(&mut self, came: &Pending) -> Option<&mut Answer> {
        self.connection_of(came)?.answers.back_mut()
    }

    /// The time of an arrival now: no later than an event that the model has not caught up with.
    pub(super) fn model_time(&self, now: Nanos) -> Nanos {
        now.min(self.system.next_event())
    }

    /// Answers the newest request of a connection with an error, and closes after it.
    pub(super) fn refuse(&mut self, place: u32, status: u16) {
        self.served.refused += 1;
        let Some(connection) = &mut self.connections[place as usize] else { return };
        connection.closing = true;
        if let Some(answer) = connection.answers.back_mut() {
            answer.ready = Some(status);
            answer.keep_alive = false;
        }
        self.write_answers(place);
    }
}
