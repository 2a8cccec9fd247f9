//! The figures of streamed responses that objectives limit.

use super::interval::share;
use super::{Evidence, Found, Times};
use crate::record::streams::KindStreams;
use crate::workload::Scope;

impl Evidence<'_> {
    /// The times to the first event. Requests that failed are later than any.
    pub(super) fn first_events(&self, of: &Scope) -> Times {
        let failed = self.collector.failures.of(|kind| self.is_streamed(of, kind as usize));
        let tally = self.streamed(of).first_event;
        Times { tally, failed, ci95: None, is_all: false, requests: None }
    }

    /// The times between events.
    pub(super) fn gaps(&self, of: &Scope) -> Times {
        let KindStreams { gaps, first_event, .. } = self.streamed(of);
        let requests = Some(first_event.count());
        Times { tally: gaps, failed: 0, ci95: None, is_all: false, requests }
    }

    /// The share of requests that missed an objective of times.
    pub(super) fn goodput(&self, of: &Scope, most: f64) -> Found {
        let kinds = &self.workload.requests;
        let streams = self.collector.streams.as_ref();
        let own = streams.map(|streams| streams.of_kinds(|place| of.covers(&kinds[place])));
        let (missed, requests) = own.map_or((0, 0), |own| own.missed());
        share(missed, requests, most)
    }

    fn streamed(&self, of: &Scope) -> KindStreams {
        let streams = self.collector.streams.as_ref();
        let own = streams.map(|streams| streams.of_kinds(|place| self.is_streamed(of, place)));
        // A result without streams has no figure of them.
        own.unwrap_or_default()
    }

    fn is_streamed(&self, of: &Scope, place: usize) -> bool {
        let kind = &self.workload.requests[place];
        kind.stream.is_some() && of.covers(kind)
    }
}
