//! Requests to servers of tokens: they enter the model, and their tokens leave when it gives them.

use thinktime_core::attempt::TokenCounts;
use thinktime_core::error::Invalid;
use thinktime_core::record::TokenServerFigures;
use thinktime_core::request::TOKENS_MAX;
use thinktime_core::system::{NodeSummary, SystemModel};
use thinktime_core::time::Nanos;

use super::completions::{
    Completion, CompletionError, CompletionRequest, Endpoint, Identity, OUTPUT_MAX, models,
};
use super::demands::IdentifiedRequest;
use super::engine::{Engine, Pending};
use super::totals::TokenTotals;
use crate::poller::Clock;
use crate::protocol::http1::Request;

impl Engine {
    /// A request comes to a system that has servers of tokens. One that visits none of them is
    /// answered as by other systems.
    pub(super) fn arrive_for_tokens(
        &mut self,
        came: Pending,
        request: &Request,
        identified: Result<IdentifiedRequest, Invalid>,
    ) {
        match self.completion(&came, request, identified) {
            Ok(Some(identified)) => self.enter(came, identified),
            Ok(None) => {
                self.say(came.place, 200, models(&self.models, Clock::date_s()), None);
            }
            Err(error) => {
                self.served.refused += 1;
                self.say(came.place, error.status, error.to_json(), error.allow);
            }
        }
    }

    /// The request with its tokens, and the place of its completion; `None` if it wants the list of
    /// models.
    fn completion(
        &mut self,
        came: &Pending,
        request: &Request,
        identified: Result<IdentifiedRequest, Invalid>,
    ) -> Result<Option<IdentifiedRequest>, CompletionError> {
        let endpoint = Endpoint::of(&request.target);
        if endpoint == Some(Endpoint::Models) {
            return Endpoint::Models.check_method(&request.method).map(|()| None);
        }
        let mut identified = match (identified, endpoint) {
            (Ok(identified), _) if self.token_visits(identified.kind) == 0 => {
                return Ok(Some(identified));
            }
            // The path has a kind, and the request's own fields are wrong.
            (Err(error), None) if self.system.demands_mut().kinds().knows(request) => {
                return Err(CompletionError::new(400, error.to_string()));
            }
            (_, None) => {
                let path = &request.target;
                let message = format!(
                    "`{path}` is no path of this server: it has /v1/chat/completions, \
                     /v1/completions and /v1/models"
                );
                return Err(CompletionError::new(404, message));
            }
            (Err(error), Some(_)) => return Err(CompletionError::new(400, error.to_string())),
            (Ok(identified), Some(_)) => identified,
        };
        let Some(endpoint) = endpoint else { return Ok(None) };
        endpoint.check_method(&request.method)?;
        identified.own_demands.tokens = self.answer_with_tokens(came, request, endpoint)?;
        Ok(Some(identified))
    }

    /// Reads the body of a request, and begins its answer; gives its tokens.
    fn answer_with_tokens(
        &mut self,
        came: &Pending,
        request: &Request,
        endpoint: Endpoint,
    ) -> Result<TokenCounts, CompletionError> {
        let connection = self.connection_of(came);
        let body = connection.and_then(|connection| connection.reader.take_body());
        let body =
            body.ok_or_else(|| CompletionError::new(413, "the body is longer than 1 MiB"))?;
        let asked = CompletionRequest::read(endpoint, &body)?;
        let drawn = self.tokens_of(request)?;
        let (number, created) = (self.arrivals + 1, Clock::date_s());
        let identity = Identity { number, created, chunks: request.minor_version > 0 };
        let completion = Completion::new(endpoint, &asked, drawn, identity);
        let tokens = completion.tokens();
        if let Some(answer) = self.newest_answer(came) {
            // Without chunks the body of a stream ends with the connection.
            answer.keep_alive &= identity.chunks || !asked.is_stream();
            answer.completion = Some(Box::new(completion));
        }
        Ok(tokens)
    }

    fn token_visits(&mut self, kind: u32) -> usize {
        self.system.demands_mut().kinds().token_visits(kind)
    }

    /// The tokens that a request carries, or those that the laws of its kind give.
    fn tokens_of(&mut self, request: &Request) -> Result<Option<TokenCounts>, CompletionError> {
        if let Some(text) = &request.headers[2] {
            let tokens = parse_tokens(text);
            return tokens.map(Some).map_err(|error| CompletionError::new(400, error.to_string()));
        }
        // As the first request of the session with this number, from 0.
        let session = self.arrivals;
        let kind = self.system.demands_mut().kinds().asked(request);
        let laws = kind.and_then(|kind| kind.tokens.as_ref());
        Ok(laws.map(|laws| laws.of_request(session, FIRST_REQUEST)))
    }

    /// Requests were given tokens in an event at this time.
    pub(super) fn give_tokens(&mut self, at: Nanos) {
        let mut given = std::mem::take(&mut self.given);
        self.system.take_tokens(&mut given);
        if !given.is_empty() {
            self.lateness.add(self.clock.now().since(at), given.len());
        }
        for token in given.drain(..) {
            let pending = self.jobs[token as usize];
            let Some(connection) = self.connection_of(&pending) else { continue };
            let place_in_line = (pending.number - connection.first) as usize;
            let answer = connection.answers.get_mut(place_in_line);
            if let Some(completion) = answer.and_then(|answer| answer.completion.as_mut()) {
                completion.give();
            }
            if place_in_line == 0 {
                self.write_answers(pending.place);
            }
        }
        self.given = given;
    }

    /// What its servers of tokens have done, if it has any.
    pub(super) fn token_totals(&self, system: &SystemModel) -> Option<TokenTotals> {
        if self.models.is_empty() {
            return None;
        }
        let summaries = self.system.averages(self.model_time(self.clock.now()));
        let figures = system.nodes.iter().zip(&summaries).filter_map(|(node, summary)| {
            let Some(NodeSummary::TokenServer { tokens, .. }) = summary else { return None };
            Some((node.name().to_owned(), TokenServerFigures::new(tokens)))
        });
        let (cancellations, lateness) = (self.cancellations, self.lateness);
        Some(TokenTotals { servers: figures.collect(), cancellations, lateness })
    }

    /// The requests of closed connections leave the model.
    pub(super) fn withdraw_left(&mut self) {
        if self.left.is_empty() {
            return;
        }
        let now = self.clock.now();
        self.advance(now);
        let now = self.model_time(now);
        for (token, arrival) in std::mem::take(&mut self.left) {
            let pending = self.jobs[token as usize];
            // The job may have ended by now, and another may have its name.
            let Some(presence) = pending.presence.filter(|_| pending.arrival == arrival) else {
                continue;
            };
            if self.system.withdraw(now, presence, token, true) {
                self.cancellations += 1;
                self.end_job(token, now);
            }
        }
    }
}

/// The number of a session's first request among its attempts.
const FIRST_REQUEST: u64 = 1 << 32;

/// Parses the value of [`super::TOKENS_HEADER`].
fn parse_tokens(text: &str) -> Result<TokenCounts, Invalid> {
    let number = |text: &str, most: u32| {
        let number = text.trim().parse().ok();
        number.filter(|number| (1..=most).contains(number))
    };
    let tokens = text.split_once(',').and_then(|(prompt, output)| {
        let (prompt, output) = (number(prompt, TOKENS_MAX)?, number(output, OUTPUT_MAX)?);
        Some(TokenCounts { prompt, output })
    });
    tokens.ok_or_else(|| {
        Invalid::new(format!(
            "Thinktime-Tokens are those of the prompt, from 1 to 16,777,216, and of the response, \
             from 1 to 1,048,576, as in 250,40, not `{text}`"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carried_tokens_are_read_or_explained() {
        assert_eq!(parse_tokens("250, 40"), Ok(TokenCounts { prompt: 250, output: 40 }));
        assert_eq!(parse_tokens("2000000,4").unwrap().prompt, 2_000_000);
        for wrong in ["", "250", "0,4", "4,0", "1,2,3", "-1,4", "4,1048577"] {
            assert!(parse_tokens(wrong).unwrap_err().to_string().contains("as in 250,40"));
        }
    }
}
