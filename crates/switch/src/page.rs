//! What is told of a switch, in Prometheus' text format.

use std::fmt::{Display, Write};

use crate::counts::{BOUNDS_S, Counts};
use crate::desk::Desk;
use crate::plan::Plan;

/// All of it, as it is now.
pub(crate) fn page(plan: &Plan, desk: &Desk, counts: &Counts) -> String {
    let mut page = Page::new(plan);
    let (done, now) = (counts.now(), desk.known());
    let open: Vec<u8> = now.open.iter().map(|open| u8::from(*open)).collect();
    page.by_server("requests_total", COUNTER, "Requests that the server answered.", &done.requests);
    page.by_server("failures_total", COUNTER, "Failures of the server.", &done.failures);
    let help = "Requests at the server now, as the policy counts them.";
    page.by_server("requests_in_progress", GAUGE, help, &now.in_progress);
    page.by_server("server_open", GAUGE, "Whether the server gets requests.", &open);
    page.one("requests_refused_total", COUNTER, "Requests that the switch refused.", done.refused);
    page.one("requests_waiting", GAUGE, "Requests that wait at the switch now.", now.waiting);
    let help = "Connections of clients now.";
    page.one("client_connections", GAUGE, help, counts.connections());
    if desk.checked {
        let (checks, misses) = counts.checks();
        page.by_server("health_checks_total", COUNTER, "Health checks of the server.", &checks);
        let help = "Health checks that did not find the server well.";
        page.by_server("health_check_failures_total", COUNTER, help, &misses);
    }
    page.response_times(counts);
    page.out
}

const COUNTER: &str = "counter";
const GAUGE: &str = "gauge";

struct Page {
    out: String,
    /// The labels that all have.
    common: String,
    /// By server, its labels.
    servers: Vec<String>,
}

impl Page {
    fn new(plan: &Plan) -> Page {
        let (name, policy) = (&plan.cluster.name, &plan.cluster.dispatch_text);
        let common = format!("cluster=\"{}\",policy=\"{}\"", escaped(name), escaped(policy));
        let labels = plan.servers.iter().enumerate().map(|(number, server)| {
            format!("{common},server=\"{number}\",url=\"{}\"", escaped(&server.url))
        });
        Page { servers: labels.collect(), common, out: String::new() }
    }

    fn head(&mut self, name: &str, kind: &str, help: &str) {
        self.line(format_args!("# HELP thinktime_switch_{name} {help}"));
        self.line(format_args!("# TYPE thinktime_switch_{name} {kind}"));
    }

    fn one(&mut self, name: &str, kind: &str, help: &str, value: impl Display) {
        self.head(name, kind, help);
        let labels = self.common.clone();
        self.sample(name, &labels, value);
    }

    fn by_server(&mut self, name: &str, kind: &str, help: &str, values: &[impl Display]) {
        self.head(name, kind, help);
        for (server, value) in values.iter().enumerate() {
            let labels = self.servers[server].clone();
            self.sample(name, &labels, value);
        }
    }

    /// A histogram for each server.
    fn response_times(&mut self, counts: &Counts) {
        let help = "From the placing of a request at the server to the last byte of its response.";
        self.head("response_time_seconds", "histogram", help);
        for server in 0..self.servers.len() {
            let (labels, times) = (self.servers[server].clone(), counts.response_times(server));
            for (place, within) in times.within.iter().enumerate() {
                let bound = BOUNDS_S.get(place).map_or("+Inf".to_owned(), f64::to_string);
                let labels = format!("{labels},le=\"{bound}\"");
                self.sample("response_time_seconds_bucket", &labels, within);
            }
            self.sample("response_time_seconds_sum", &labels, times.sum_s);
            self.sample("response_time_seconds_count", &labels, times.within[BOUNDS_S.len()]);
        }
    }

    fn sample(&mut self, name: &str, labels: &str, value: impl Display) {
        self.line(format_args!("thinktime_switch_{name}{{{labels}}} {value}"));
    }

    fn line(&mut self, line: impl Display) {
        // Writing into a text does not fail.
        let _ = writeln!(self.out, "{line}");
    }
}

/// A label's value.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
