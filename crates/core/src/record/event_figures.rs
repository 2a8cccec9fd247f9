//! The figures of streamed responses.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Collector;
use super::streams::KindStreams;
use crate::request::RequestKind;
use crate::statistics::{Tally, TimeFigures};
use crate::workload::Workload;

/// The requests that met all objectives of times.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GoodputFigures {
    /// Their number.
    pub requests: u64,
    /// Their share of all requests.
    pub share: f64,
    /// Their number a second: the part of the throughput that they are.
    pub rate: f64,
}

/// The figures of events, as a summary has them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct EventFigures {
    pub(super) events: Option<u64>,
    pub(super) prompt_tokens: Option<u64>,
    pub(super) output_tokens: Option<u64>,
    pub(super) first_event_s: Option<TimeFigures>,
    pub(super) event_gap_s: Option<TimeFigures>,
}

impl Collector {
    /// Takes the times between events, by kind of request, at the end of a run.
    pub fn set_event_gaps(&mut self, gaps: Vec<Tally>) {
        let own = self.streams.iter_mut().flat_map(|streams| &mut streams.by_kind);
        own.zip(gaps).for_each(|(own, gaps)| own.gaps = gaps);
    }

    /// The events of streamed responses of the wanted kinds; nothing if none of these has any.
    pub(super) fn event_figures(
        &self,
        workload: &Workload,
        wanted: impl Fn(&RequestKind) -> bool,
    ) -> EventFigures {
        let kinds = &workload.requests;
        let own = |place: usize| kinds[place].stream.is_some() && wanted(&kinds[place]);
        let streams = self.streams.as_ref().filter(|_| (0..kinds.len()).any(own));
        streams.map_or(EventFigures::default(), |streams| figures(&streams.of_kinds(own)))
    }

    /// The requests that met all objectives of times; `None` without streamed responses, or without
    /// such objectives.
    pub(super) fn goodput(&self, throughput: f64) -> Option<GoodputFigures> {
        let streams = self.streams.as_ref()?;
        let limited = streams.by_kind.iter().any(KindStreams::is_limited);
        let KindStreams { requests, good, .. } = streams.of_kinds(|_| true);
        let succeeded = self.counts.requests - self.counts.failed;
        (limited && requests > 0).then(|| GoodputFigures {
            requests: good,
            share: good as f64 / requests as f64,
            rate: throughput * good as f64 / succeeded.max(1) as f64,
        })
    }
}

fn figures(own: &KindStreams) -> EventFigures {
    let of = |times: &Tally| (times.count() > 0).then(|| times.figures(None));
    let reported = |tokens: u64| Some(tokens).filter(|tokens| *tokens > 0);
    EventFigures {
        events: Some(own.events),
        prompt_tokens: reported(own.prompt_tokens),
        output_tokens: reported(own.output_tokens),
        first_event_s: of(&own.first_event),
        event_gap_s: of(&own.gaps),
    }
}
