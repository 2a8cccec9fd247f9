//! Responses that are streams of events: when these came, and what ends such a response.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use thinktime_core::attempt::{Attempt, Ticket, TokenCounts};
use thinktime_core::file::StreamFormat;
use thinktime_core::limit::Limit;
use thinktime_core::record::{EventTimes, Row};
use thinktime_core::request::StreamedResponse;
use thinktime_core::statistics::Tally;
use thinktime_core::time::Nanos;
use thinktime_core::workload::Workload;

use super::Engine;
use crate::generator::protocols::exchange::{Answer, Exchange};
use crate::generator::record::recorder::Recorder;
use crate::generator::transport::failure::Failure;
use crate::protocol::StreamNews;

/// The word for a stream of which nothing arrived for too long.
const SILENCE: Failure = "silence";
/// The word for a stream that broke off after its first event.
const CUT: Failure = "stream_cut";
/// The word for an event beyond the largest size.
const TOO_LARGE: Failure = "event_too_large";
/// The word for a stream with an event that reports an error.
const ERROR: Failure = "stream_error";
/// The word for a response without any event.
const NO_EVENTS: Failure = "no_events";

/// The streamed responses of a run.
pub(crate) struct StreamedResponses {
    /// By kind of request.
    kinds: Vec<Option<StreamedResponse>>,
    limit: Limit,
    /// Those under way, by the words of their tickets.
    under_way: HashMap<u64, UnderWay>,
    /// When silence could end one of them at the earliest.
    silences: BinaryHeap<Reverse<(Nanos, u64)>>,
    /// By kind of request, the times between events of requests that count.
    gaps: Vec<Tally>,
}

/// A streamed response under way.
struct UnderWay {
    attempt: Attempt,
    events: EventTimes,
    /// When something of it arrived last, or else its request was sent.
    heard: Nanos,
}

impl StreamedResponses {
    /// `None` if no response is streamed.
    pub(crate) fn of(workload: &Workload, limit: Limit) -> Option<StreamedResponses> {
        let kinds: Vec<_> = workload.requests.iter().map(|kind| kind.stream).collect();
        kinds.iter().any(Option::is_some).then(|| StreamedResponses {
            gaps: vec![Tally::default(); kinds.len()],
            kinds,
            limit,
            under_way: HashMap::new(),
            silences: BinaryHeap::new(),
        })
    }

    /// The times between events, by kind of request.
    pub(crate) fn gaps(self) -> Vec<Tally> {
        self.gaps
    }

    /// An attempt is sent: the format of its events, if it will have any.
    pub(crate) fn begin(&mut self, attempt: &Attempt, now: Nanos) -> Option<StreamFormat> {
        let streamed = self.kinds[attempt.kind as usize]?;
        let word = attempt.ticket.to_word();
        let under_way = UnderWay { attempt: *attempt, events: EventTimes::NONE, heard: now };
        let sent_before = self.under_way.insert(word, under_way).is_some();
        if !streamed.silence.is_never() && !sent_before {
            self.silences.push(Reverse((now + streamed.silence, word)));
        }
        Some(streamed.format)
    }

    /// This many events arrived at this time, and perhaps none, but other bytes.
    fn arrived(&mut self, ticket: Ticket, number: u32, at: Nanos) {
        let Some(own) = self.under_way.get_mut(&ticket.to_word()) else { return };
        own.heard = at;
        if number == 0 {
            return;
        }
        let events = &mut own.events;
        let first = events.count == 0;
        if self.limit.counts(own.attempt.request_scheduled) {
            let gaps = &mut self.gaps[own.attempt.kind as usize];
            if !first {
                gaps.add(at.since(events.last));
            }
            // Those that arrive together follow one another at once.
            (1..number).for_each(|_| gaps.add(Nanos::ZERO));
        }
        if first {
            events.first = at;
        }
        events.last = at;
        events.count = events.count.saturating_add(number);
    }

    /// A complete response has reported these tokens.
    fn report(&mut self, ticket: Ticket, tokens: TokenCounts) {
        if let Some(own) = self.under_way.get_mut(&ticket.to_word()) {
            own.events.tokens = tokens;
        }
    }

    fn has_events(&self, ticket: Ticket) -> bool {
        self.under_way.get(&ticket.to_word()).is_some_and(|own| own.events.count > 0)
    }

    /// An attempt ended with this row, which receives its events. Until a failure the stream has
    /// stood still.
    pub(crate) fn end(&mut self, row: &mut Row) {
        let Some(own) = self.under_way.remove(&row.attempt.ticket.to_word()) else { return };
        row.events = own.events;
        let counts = self.limit.counts(row.attempt.request_scheduled);
        if row.error.is_some() && row.events.count > 0 && counts {
            self.gaps[row.attempt.kind as usize].add(row.done.since(row.events.last));
        }
    }

    /// When silence could end a response at the earliest.
    fn next_silence(&self) -> Nanos {
        self.silences.peek().map_or(Nanos::MAX, |Reverse((at, _))| *at)
    }

    /// A response of which nothing has arrived for too long. The others are checked again later.
    fn silent(&mut self, now: Nanos) -> Option<Attempt> {
        while self.next_silence() <= now {
            let Reverse((_, word)) = self.silences.pop()?;
            let Some(own) = self.under_way.get(&word) else { continue };
            let streamed = self.kinds[own.attempt.kind as usize]?;
            let at = own.heard + streamed.silence;
            if at <= now {
                return Some(own.attempt);
            }
            self.silences.push(Reverse((at, word)));
        }
        None
    }
}

impl<L: Recorder> Engine<'_, L> {
    /// A part of a streamed response arrived at this time.
    pub(crate) fn take_news(&mut self, attempt: &Attempt, news: StreamNews, at: Nanos) {
        if let Some(streams) = &mut self.streams {
            streams.arrived(attempt.ticket, news.events, at);
        }
        if news.too_large {
            self.abandon(attempt, TOO_LARGE);
        }
    }

    /// A response is complete: takes the rest of its events. The failure, if it is streamed and its
    /// events are not as they should be.
    pub(crate) fn end_stream(
        &mut self,
        exchange: &Exchange,
        answer: &mut Answer,
        now: Nanos,
    ) -> Option<Failure> {
        let streams = self.streams.as_mut()?;
        let ticket = exchange.attempt.ticket;
        let events = answer.excerpt.as_mut()?.events.as_mut()?;
        events.end();
        let tokens = events.tokens();
        // The end need not complete an event.
        let news = events.take_news().unwrap_or_default();
        streams.arrived(ticket, news.events, now);
        streams.report(ticket, tokens);
        let known = [
            (news.too_large, TOO_LARGE),
            (events.has_failed(), ERROR),
            (!streams.has_events(ticket), NO_EVENTS),
        ];
        known.into_iter().find(|(is, _)| *is).map(|(_, failure)| failure)
    }

    /// The word for a failure of an attempt: streams that had begun are told from others.
    pub(crate) fn failure_of(&self, attempt: &Attempt, failure: Failure) -> Failure {
        let begun = self.streams.as_ref().is_some_and(|it| it.has_events(attempt.ticket));
        if begun && ![SILENCE, TOO_LARGE].contains(&failure) { CUT } else { failure }
    }

    /// When silence could end a response at the earliest.
    pub(crate) fn next_silence(&self) -> Nanos {
        self.streams.as_ref().map_or(Nanos::MAX, StreamedResponses::next_silence)
    }

    /// Gives up the streams of which nothing has arrived for too long.
    pub(crate) fn end_silent_streams(&mut self) {
        if self.next_silence().is_never() {
            return;
        }
        let now = self.clock.now();
        while let Some(attempt) = self.streams.as_mut().and_then(|streams| streams.silent(now)) {
            self.abandon(&attempt, SILENCE);
        }
    }

    /// Gives an attempt up that has failed so.
    fn abandon(&mut self, attempt: &Attempt, failure: Failure) {
        let exchange = self.stop_exchange(attempt);
        self.fail(exchange.unwrap_or_else(|| Exchange::new(*attempt, Nanos::MAX)), failure);
    }
}

#[cfg(test)]
mod tests {
    use thinktime_core::attempt::Fate;
    use thinktime_core::files::NoFiles;
    use thinktime_core::schema::Source;

    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn streams() -> StreamedResponses {
        let text = "name = 'w'\n[arrivals]\nmodel = 'open'\nrate = 1\n[[request]]\nname = 'a'\n\
                    get = '/'\nstream = 'lines'\nsilence = '5s'";
        let workload = Workload::parse(Source { file: "", text }, &NoFiles).unwrap();
        let limit = Limit { requests: 9, until: Nanos::MAX, warmup: Nanos::ZERO };
        StreamedResponses::of(&workload, limit).unwrap()
    }

    fn at(seconds: u64) -> Nanos {
        Nanos(seconds * SECOND)
    }

    #[test]
    fn a_stream_is_silent_when_nothing_of_it_has_arrived_for_so_long() {
        let (mut streams, attempt) = (streams(), Attempt::only(7, Nanos::ZERO));
        assert_eq!(streams.begin(&attempt, at(1)), Some(StreamFormat::Lines));
        assert_eq!((streams.next_silence(), streams.silent(at(5))), (at(6), None));
        // A comment is something, too.
        streams.arrived(attempt.ticket, 0, at(4));
        assert_eq!((streams.silent(at(6)), streams.next_silence()), (None, at(9)));
        streams.arrived(attempt.ticket, 2, at(8));
        assert_eq!((streams.silent(at(12)), streams.next_silence()), (None, at(13)));
        assert_eq!(streams.silent(at(13)), Some(attempt));
        assert_eq!((streams.silent(at(99)), streams.next_silence()), (None, Nanos::MAX));
    }

    #[test]
    fn a_failed_stream_stood_still_since_its_last_event() {
        let (mut streams, attempt) = (streams(), Attempt::only(7, Nanos::ZERO));
        streams.begin(&attempt, at(1));
        streams.arrived(attempt.ticket, 3, at(2));
        streams.arrived(attempt.ticket, 1, at(4));
        let mut row = Row { error: Some(SILENCE), ..Row::ended(attempt, Fate::Over, at(10)) };
        streams.end(&mut row);
        let times = EventTimes { count: 4, first: at(2), last: at(4), ..EventTimes::NONE };
        assert_eq!(row.events, times);
        assert_eq!(row.event_gap(), Some(Nanos(2 * SECOND / 3)));
        streams.end(&mut row);
        let [gaps] = &streams.gaps()[..] else { panic!("one kind of request") };
        assert_eq!((gaps.count(), gaps.mean_s()), (4, Some(2.0)), "0, 0, 2 and 6 s");
    }
}
