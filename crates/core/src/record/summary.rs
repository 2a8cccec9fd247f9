//! `summary.json`: the one form of a result's figures.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::annotations::{CheckFinding, CrossedLink, whole};
use super::by_population::{population_figures, session_figures};
use super::by_request::request_figures;
use super::event_figures::GoodputFigures;
use super::figures::{
    ClusterFigures, GeneratorFigures, MachineFigures, ObjectiveFigures, PopulationFigures,
    RequestFigures,
};
use super::generators::GeneratorNode;
use super::intervals::percentile_intervals;
use super::links::LinkFigures;
use super::rates::rate_intervals;
use super::scripts::metric_figures;
use super::station_figures::{QueueFigures, StationFigures};
use super::token_servers::TokenServerFigures;
use super::warnings::{NO_REQUEST, first_warnings};
use super::{Collector, Window};
use crate::program::CheckCount;
use crate::statistics::{Tally, TimeFigures};
use crate::workload::Workload;

/// The figures of a result. Times are in seconds, rates in events a second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Thinktime summary")]
pub struct Summary {
    /// `simulate` or `run`.
    pub kind: String,
    /// The system model: `open`, `closed`, `partly-open`, or `mixed` if populations differ.
    pub model: String,
    /// The seed of all random streams.
    pub seed: u64,
    /// Requests that count (those after the warm-up) and are over.
    pub requests: u64,
    /// Of these, the ones that failed for good. Their times are in no distribution.
    pub errors: u64,
    /// Attempts that the client gave up at its timeout.
    pub timeouts: u64,
    /// Attempts after the first.
    pub retries: u64,
    /// Requests that were scheduled and never sent.
    pub dropped: u64,
    /// Sessions that began.
    pub sessions: u64,
    /// The length of the measured time, from the end of the warm-up until no further request began.
    pub duration_s: f64,
    /// The length of the warm-up.
    pub warmup_s: f64,
    /// Requests scheduled a second.
    pub offered_rate: f64,
    /// Requests that succeeded a second.
    pub throughput: f64,
    /// The half-width of its 95 % confidence interval; `None` if the run was too short.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throughput_ci95: Option<f64>,
    /// Bytes of responses a second: the throughput times the mean size of the responses that
    /// succeeded, with their heads in a real run; `None` if they have no size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub byte_throughput: Option<f64>,
    /// The half-width of the 95 % confidence interval of the share of requests that failed for
    /// good; `None` if none failed, or the run was too short.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_share_ci95: Option<f64>,
    /// The mean think time of the workload; `None` if it is infinite.
    pub think_time_s: Option<f64>,
    /// From a request's scheduled time to the end of its response.
    pub response_time_s: TimeFigures,
    /// The 95 % confidence intervals of percentiles of the response time, by name; those that the
    /// data cannot bound are left out.
    #[serde(default, deserialize_with = "super::intervals::intervals")]
    pub response_time_ci95: BTreeMap<String, [f64; 2]>,
    /// The number of independent requests that those with a response time are worth, by the
    /// interval of the mean; `None` without one. A percentile is known if these bound it.
    #[serde(default)]
    pub independent_requests: Option<f64>,
    /// The mean response time of each replication, in seconds.
    #[serde(default)]
    pub replication_means_s: Vec<f64>,
    /// From when it was actually sent.
    pub service_time_s: TimeFigures,
    /// The server's own time, from the responses' `Server-Timing`: of those that succeeded and have
    /// it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_time_s: Option<TimeFigures>,
    /// The number of these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_timed: Option<u64>,
    /// From the scheduled time to the sending.
    pub lateness_s: TimeFigures,
    /// How long requests waited for one of the connections of a pool, or for a place among those in
    /// flight; only if the workload limits these. It is part of the response time, not lateness.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_s: Option<TimeFigures>,
    /// How long sessions lasted that arrived and ended in the measured time, from their first
    /// request to the end of the last one, thinking included; only if sessions have several
    /// requests and end. The longest are missing most, because the end of the run cuts them off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_time_s: Option<TimeFigures>,
    /// The modelled stations by name; empty for a real system.
    pub stations: BTreeMap<String, StationFigures>,
    /// The pools of a modelled system by name.
    #[serde(default)]
    pub pools: BTreeMap<String, QueueFigures>,
    /// The machines of a modelled system by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub machines: BTreeMap<String, MachineFigures>,
    /// The clusters of a modelled system by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub clusters: BTreeMap<String, ClusterFigures>,
    /// The links of a modelled system by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub links: BTreeMap<String, LinkFigures>,
    /// The servers of tokens of a modelled system by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub token_servers: BTreeMap<String, TokenServerFigures>,
    /// Response times by request name.
    pub by_request: BTreeMap<String, RequestFigures>,
    /// The figures of each population by name; empty if the workload names none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub by_population: BTreeMap<String, PopulationFigures>,
    /// Pages that are over: a request with objects, until the last of these is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<u64>,
    /// Of these, the ones with a request that failed for good. Their times are in no distribution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_errors: Option<u64>,
    /// From the scheduled time of a page's base to the end of its last object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_response_time_s: Option<TimeFigures>,
    /// The events of streamed responses; only if the workload has such.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<u64>,
    /// The tokens of prompts, by the responses that report them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_tokens: Option<u64>,
    /// The tokens of these responses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// From the scheduled time of a request to its first event; of those that succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_event_s: Option<TimeFigures>,
    /// The times between two events of a response, and from the last event to a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_gap_s: Option<TimeFigures>,
    /// The requests that met all objectives of times; absent without streams or such objectives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goodput: Option<GoodputFigures>,
    /// How often scripts' checks held, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub checks: BTreeMap<String, CheckCount>,
    /// The metrics that scripts recorded, by name; in the scripts' own units.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metrics: BTreeMap<String, TimeFigures>,
    /// Failed attempts by error.
    pub errors_by_kind: BTreeMap<String, u64>,
    /// Those that failed by their status, by that status.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub errors_by_status: BTreeMap<u16, u64>,
    /// How each objective of the workload was met.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objectives: Vec<ObjectiveFigures>,
    /// The generator's own use of resources; `None` for a simulation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generator: Option<GeneratorFigures>,
    /// The generators of a run that several made together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub generators: Vec<GeneratorNode>,
    /// Notes, in words: the length of the warm-up, the cost of a precision, a collapse.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Warnings, in words: what spoils or limits the result.
    pub warnings: Vec<String>,
    /// The link that the run crossed, if it crossed one.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "whole")]
    pub link: Option<CrossedLink>,
    /// The findings of the checks, which older versions did not note.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "whole")]
    pub validity: Option<Vec<CheckFinding>>,
}

impl Summary {
    /// The summary of a collection.
    #[must_use]
    pub fn new(
        kind: &str,
        workload: &Workload,
        collector: &Collector,
        window: Window,
        sessions: u64,
    ) -> Summary {
        let responses = collector.all_responses();
        let duration_s = window.duration_s();
        let rate = |count: u64| if duration_s > 0.0 { count as f64 / duration_s } else { 0.0 };
        let counts = &collector.counts;
        let throughput = rate(counts.completed_in_window);
        let simulated = !collector.is_real();
        let service = if simulated { &responses } else { &collector.service };
        let interval = collector.batches.interval_95();
        let pages = collector.pages.figures(0..workload.requests.len());
        let events = collector.event_figures(workload, |_| true);
        let intervals = rate_intervals(collector.timeline(), window);
        let ci95 = interval.map(|one| one.half_width * 1e-9);
        let independent_requests = responses.independent(ci95);
        let mut summary = Summary {
            kind: kind.to_owned(),
            model: workload.model_word(),
            seed: workload.seed,
            requests: counts.requests,
            errors: counts.failed,
            timeouts: counts.timeouts,
            retries: counts.retries,
            dropped: counts.dropped,
            sessions,
            duration_s,
            warmup_s: window.begin.as_secs_f64(),
            offered_rate: rate(counts.requests),
            throughput,
            throughput_ci95: intervals.throughput,
            byte_throughput: collector.response_bytes().map(|mean| throughput * mean),
            error_share_ci95: intervals.errors.filter(|_| counts.failed > 0),
            think_time_s: Some(workload.mean_think_s()).filter(|mean| mean.is_finite()),
            response_time_s: responses.figures(ci95),
            response_time_ci95: percentile_intervals(collector, &responses, independent_requests),
            independent_requests,
            replication_means_s: responses.mean_s().into_iter().collect(),
            service_time_s: service.figures(simulated.then_some(ci95).flatten()),
            server_time_s: collector.server_time.as_ref().map(|times| times.figures(None)),
            server_timed: collector.server_time.as_ref().map(Tally::count),
            lateness_s: collector.lateness_figures(&responses),
            waiting_s: collector.waiting.as_ref().map(|waiting| waiting.figures(None)),
            session_time_s: session_figures(&collector.session_times),
            stations: BTreeMap::new(),
            pools: BTreeMap::new(),
            machines: BTreeMap::new(),
            clusters: BTreeMap::new(),
            links: BTreeMap::new(),
            token_servers: BTreeMap::new(),
            by_request: request_figures(workload, collector, &responses),
            by_population: population_figures(workload, collector, duration_s),
            pages: pages.map(|pages| pages.pages),
            page_errors: pages.map(|pages| pages.failed),
            page_response_time_s: pages.map(|pages| pages.response_time_s),
            events: events.events,
            prompt_tokens: events.prompt_tokens,
            output_tokens: events.output_tokens,
            first_event_s: events.first_event_s,
            event_gap_s: events.event_gap_s,
            goodput: collector.goodput(throughput),
            checks: collector.programs.iter().flat_map(|one| one.checks().clone()).collect(),
            metrics: collector.programs.iter().flat_map(metric_figures).collect(),
            errors_by_kind: collector.failures.by_kind(),
            errors_by_status: collector.failures.by_status(),
            objectives: Vec::new(),
            generator: None,
            generators: Vec::new(),
            notes: Vec::new(),
            warnings: first_warnings(collector, interval),
            link: None,
            validity: None,
        };
        summary.judge_objectives(workload, collector);
        summary
    }

    /// Why a run without any request has no figures; `None` if it had requests.
    #[must_use]
    pub fn nothing_happened(&self) -> Option<String> {
        (self.requests == 0).then(|| {
            format!(
                "{NO_REQUEST}: give it a longer duration or a shorter warm-up, raise the rate, or \
                 let the script ask for something"
            )
        })
    }
}
