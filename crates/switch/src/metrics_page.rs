//! The figures of a switch, in Prometheus' text format.

use std::fmt::{Display, Write};
use std::sync::Arc;

use crate::counters::{BOUNDS_S, ResponseTimes, ServerCounters};
use crate::dispatcher::{Dispatcher, Snapshot};

/// The current page: counters include those before a reload, and gauges belong to the current
/// policy.
pub(crate) fn page(dispatcher: &Dispatcher) -> String {
    let all = dispatcher.totals().servers.clone();
    let mut page = Page { out: String::new(), all };
    page.counts("requests_total", "Requests that the server answered.", ServerCounters::requests);
    page.counts("failures_total", "Failures of the server.", ServerCounters::failures);
    if dispatcher.checked {
        page.counts("health_checks_total", "Health checks of the server.", ServerCounters::checks);
        let help = "Health checks that did not find the server well.";
        page.counts("health_check_failures_total", help, ServerCounters::misses);
    }
    if dispatcher.generation().plan.probe.is_some() {
        page.counts("probes_total", "Probes of the server.", ServerCounters::probes);
        let help = "Probes that brought no answer.";
        page.counts("probe_failures_total", help, ServerCounters::unanswered);
    }
    page.snapshot(&dispatcher.snapshot());
    page.head("requests_refused_total", COUNTER, "Requests that the switch refused.");
    for policy in dispatcher.totals().policies.iter() {
        page.sample("requests_refused_total", &policy.labels, policy.refused());
    }
    page.response_times();
    page.out
}

const COUNTER: &str = "counter";
const GAUGE: &str = "gauge";

struct Page {
    out: String,
    /// All servers so far, under all policies.
    all: Vec<Arc<ServerCounters>>,
}

impl Page {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        self.line(format_args!("# HELP thinktime_switch_{name} {help}"));
        self.line(format_args!("# TYPE thinktime_switch_{name} {kind}"));
    }

    fn counts(&mut self, name: &str, help: &str, read: impl Fn(&ServerCounters) -> u64) {
        self.head(name, COUNTER, help);
        for server in self.all.clone() {
            self.sample(name, &server.labels, read(&server));
        }
    }

    /// The current state.
    fn snapshot(&mut self, now: &Snapshot) {
        let counts = &now.generation.counts;
        let help = "Requests at the server now, as the policy counts them.";
        self.head("requests_in_progress", GAUGE, help);
        for (server, in_progress) in counts.servers.iter().zip(&now.in_progress) {
            self.sample("requests_in_progress", &server.labels, in_progress);
        }
        self.head("server_open", GAUGE, "Whether the server gets requests.");
        for (server, open) in counts.servers.iter().zip(&now.open) {
            self.sample("server_open", &server.labels, u8::from(*open));
        }
        self.head("requests_waiting", GAUGE, "Requests that wait at the switch now.");
        self.sample("requests_waiting", &counts.policy.labels, now.waiting);
        self.head("client_connections", GAUGE, "Connections of clients now.");
        self.sample("client_connections", &counts.policy.labels, now.connections);
    }

    /// A histogram for each server.
    fn response_times(&mut self) {
        let help = "From the placing of a request at the server to the last byte of its response.";
        self.head("response_time_seconds", "histogram", help);
        for server in self.all.clone() {
            self.histogram(&server.labels, &server.response_times());
        }
    }

    fn histogram(&mut self, labels: &str, times: &ResponseTimes) {
        for (place, within) in times.within.iter().enumerate() {
            let bound = BOUNDS_S.get(place).map_or("+Inf".to_owned(), f64::to_string);
            let labels = format!("{labels},le=\"{bound}\"");
            self.sample("response_time_seconds_bucket", &labels, within);
        }
        self.sample("response_time_seconds_sum", labels, times.sum_s);
        self.sample("response_time_seconds_count", labels, times.within[BOUNDS_S.len()]);
    }

    fn sample(&mut self, name: &str, labels: &str, value: impl Display) {
        self.line(format_args!("thinktime_switch_{name}{{{labels}}} {value}"));
    }

    fn line(&mut self, line: impl Display) {
        // Writing into a text does not fail.
        let _ = writeln!(self.out, "{line}");
    }
}
