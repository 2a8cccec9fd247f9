//! Nanoseconds a simulated request: `cargo run --release -p thinktime-sim --example speed`.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a command-line measurement")]
#![allow(clippy::disallowed_methods, reason = "it times the simulator by the wall clock")]

use std::time::Instant;

use thinktime_core::files::NoFiles;
use thinktime_core::limit::Limit;
use thinktime_core::random::{Purpose, StreamFamily};
use thinktime_core::schema::Source;
use thinktime_core::system::SystemModel;
use thinktime_core::time::Nanos;
use thinktime_core::workload::Workload;
use thinktime_sim::{Control, Plan, simulate};

const CASES: &[(&str, &str, &str, &str)] = &[
    ("M/M/1 FCFS open", OPEN, "fcfs", "exp(10ms)"),
    ("M/H2/1 FCFS open", OPEN, "fcfs", "h2(10ms, cv2=8)"),
    ("M/M/1 PS open", OPEN, "ps", "exp(10ms)"),
    ("M/M/1 SRPT open", OPEN, "srpt", "exp(10ms)"),
    ("M/M/1 SRPT open, load 0.9", BUSY, "srpt", "exp(10ms)"),
    ("M/M/1 PS open, load 0.9", BUSY, "ps", "exp(10ms)"),
    ("M/M/1 LAS open, load 0.9", BUSY, "las", "exp(10ms)"),
    ("FCFS closed, 1000 clients", CLOSED, "fcfs", "exp(10ms)"),
    ("FCFS partly open, 5 requests", PARTLY_OPEN, "fcfs", "exp(10ms)"),
];
/// The name of the case of many stations.
const MANY: &str = "3 of 1000 stations open";
/// The name of the case of three populations, one of which browses pages.
const MIXED: &str = "PS, 3 populations with pages";
/// The published cluster of web servers: the study `clubweb`, and its workload at some 60 % load.
const CLUSTER: &str = "clubweb, 7 servers under CAP";
/// Clusters of few and of many servers, of which two are drawn, each at a load of 0.9.
const CHOICES: &[(&str, u32)] = &[("JSQ(2), 10 servers", 10), ("JSQ(2), 1000 servers", 1000)];
const OPEN: &str = "model = 'open'\nrate = '80/s'";
const BUSY: &str = "model = 'open'\nrate = '90/s'";
const CLOSED: &str = "model = 'closed'\nclients = 1000\n[session]\nthink = 'exp(12.45s)'";
const PARTLY_OPEN: &str = "model = 'partly-open'\nrate = '16/s'\n[session]\n\
                           requests = 'geometric(5)'\nthink = 'exp(1s)'";

/// A thousand stations, of which each of 333 kinds of request visits three of its own, at a load of
/// 0.5.
fn many_stations() -> (Workload, SystemModel) {
    let kinds = (0..333).map(|kind| format!("[[request]]\nname = 'r{kind}'\n"));
    let text: String = kinds.collect();
    let text = format!("name = 'w'\n[arrivals]\nmodel = 'open'\nrate = '16650/s'\n{text}");
    let workload = Workload::parse(Source { file: "", text: &text }, &NoFiles).unwrap();
    let stations =
        (0..1000).map(|at| format!("[[station]]\nname = 's{at}'\ndemand = 'exp(10ms)'\n"));
    let steps =
        |kind| [0, 333, 666].map(|more| format!("{{ use = 's{}' }}", kind + more)).join(", ");
    let behaviour =
        |kind| format!("[[behaviour]]\nrequest = 'r{kind}'\nsteps = [{}]\n", steps(kind));
    let text: String = stations.chain((0..333).map(behaviour)).collect();
    let text = format!("name = 's'\n{text}");
    (workload, SystemModel::parse(Source { file: "", text: &text }, &NoFiles).unwrap())
}

/// People who browse pages on a journey, programs that poll, and calls that come one by one, at a
/// load of 0.9.
fn populations() -> (Workload, SystemModel) {
    let text = "name = 'w'\n\
        [[population]]\nname = 'visitors'\n\
        [population.arrivals]\nmodel = 'partly-open'\nrate = '2.8/s'\n\
        [population.session]\nthink = 'exp(5s)'\n\
        [[population.request]]\nname = 'home'\n\
        next = { item = 0.6, search = 0.3, end = 0.1 }\n\
        objects = { count = 'pareto(shape=1.33, scale=2)', of = { image = 0.6, script = 0.4 } }\n\
        [[population.request]]\nname = 'item'\nnext = { item = 0.5, home = 0.3, end = 0.2 }\n\
        [[population.request]]\nname = 'search'\nnext = { item = 1 }\n\
        [[population.request]]\nname = 'image'\n\
        [[population.request]]\nname = 'script'\n\
        [[population]]\nname = 'pollers'\n\
        [population.arrivals]\nmodel = 'closed'\nclients = 40\n\
        [population.session]\nthink = '5s'\n\
        [[population.request]]\nname = 'status'\n\
        [[population]]\nname = 'callers'\n\
        [population.arrivals]\nmodel = 'open'\nrate = '10/s'\n\
        [[population.request]]\nname = 'call'";
    let workload = Workload::parse(Source { file: "", text }, &NoFiles).unwrap();
    let text = "name = 's'\n[[station]]\nname = 'server'\npolicy = 'ps'\ndemand = 'exp(10ms)'";
    (workload, SystemModel::parse(Source { file: "", text }, &NoFiles).unwrap())
}

/// Sessions of pages whose objects have sizes, at seven servers behind a switch.
fn cluster() -> (Workload, SystemModel) {
    let text = include_str!("../../../python/thinktime/workload/presets/clubweb.toml");
    let workload = Workload::parse(Source { file: "clubweb.toml", text }, &NoFiles).unwrap();
    let text = include_str!("../../../studies/clubweb/cpu-bound.toml");
    (workload, SystemModel::parse(Source { file: "cpu-bound.toml", text }, &NoFiles).unwrap())
}

/// This many servers of one station each, behind a switch that draws two.
fn choices(servers: u32) -> (Workload, SystemModel) {
    let text = format!("name = 'w'\n[arrivals]\nmodel = 'open'\nrate = '{}/s'", 90 * servers);
    let workload = Workload::parse(Source { file: "", text: &text }, &NoFiles).unwrap();
    let text = format!(
        "name = 's'\n[[cluster]]\nname = 'web'\nservers = {servers}\ndispatch = 'jsq(2)'\n\
         [[cluster.station]]\nname = 'cpu'\npolicy = 'ps'\ndemand = 'exp(10ms)'"
    );
    (workload, SystemModel::parse(Source { file: "", text: &text }, &NoFiles).unwrap())
}

/// Nanoseconds to make a stream for a session's request and draw from it once.
fn stream_nanos() -> f64 {
    const STREAMS: u64 = 20_000_000;
    let family = StreamFamily::new(1, Purpose::Demand);
    let began = Instant::now();
    let sum: f64 = (0..STREAMS).map(|session| family.substream(session, 0).uniform()).sum();
    std::hint::black_box(sum);
    began.elapsed().as_nanos() as f64 / STREAMS as f64
}

fn main() {
    let requests: u64 = std::env::args().nth(1).map_or(10_000_000, |text| text.parse().unwrap());
    let only = std::env::args().nth(2).unwrap_or_default();
    if only.is_empty() {
        println!("{:30} {:6.1} ns a stream", "new random stream, one draw", stream_nanos());
    }
    for (name, sessions, policy, demand) in CASES.iter().filter(|one| one.0.contains(&only)) {
        let text = format!("name = 'w'\n[arrivals]\n{sessions}");
        let workload = Workload::parse(Source { file: "", text: &text }, &NoFiles).unwrap();
        let text = format!(
            "name = 's'\n[[station]]\nname = 'server'\npolicy = '{policy}'\ndemand = '{demand}'"
        );
        let system = SystemModel::parse(Source { file: "", text: &text }, &NoFiles).unwrap();
        measure(name, &workload, &system, requests);
    }
    if MIXED.contains(&only) {
        let (workload, system) = populations();
        measure(MIXED, &workload, &system, requests);
    }
    if CLUSTER.contains(&only) {
        let (workload, system) = cluster();
        measure(CLUSTER, &workload, &system, requests);
    }
    for (name, servers) in CHOICES.iter().filter(|one| one.0.contains(&only)) {
        let (workload, system) = choices(*servers);
        measure(name, &workload, &system, requests);
    }
    if MANY.contains(&only) {
        let (workload, system) = many_stations();
        measure(MANY, &workload, &system, requests);
    }
}

fn measure(name: &str, workload: &Workload, system: &SystemModel, requests: u64) {
    let limit = Limit { requests, until: Nanos::MAX, warmup: Nanos::ZERO };
    let plan = Plan { rows: false, ..Plan::new(limit) };
    let began = Instant::now();
    let done = simulate(workload, system, &plan, &mut (), &|_| Control::Continue).unwrap();
    let nanos = began.elapsed().as_nanos() as f64 / requests as f64;
    let mean_ms = done.summary.response_time_s.mean.unwrap() * 1e3;
    let half_ms = done.summary.response_time_s.ci95.unwrap() * 1e3;
    println!("{name:30} {nanos:6.1} ns a request   mean {mean_ms:8.3} ms +- {half_ms:.3}");
}
