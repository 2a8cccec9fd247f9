//! A client written in Rust, simulated on a modelled server or run against a real one:
//!
//!     cargo run --release -p thinktime-rust-client
//!     cargo run --release -p thinktime-rust-client -- http://127.0.0.1:8080
#![allow(clippy::print_stdout, reason = "a command-line program")]

mod buyer;

use std::error::Error;
use std::sync::Arc;

use buyer::Buyers;
use thinktime_core::files::NoFiles;
use thinktime_core::limit::Limit;
use thinktime_core::record::Summary;
use thinktime_core::schema::Source;
use thinktime_core::system::SystemModel;
use thinktime_core::time::Nanos;
use thinktime_core::workload::Workload;
use thinktime_net::generator::{self, Target};
use thinktime_sim::{self as sim, Control};

const SECOND: Nanos = Nanos(1_000_000_000);

/// Sessions arrive as a Poisson process; `Buyers` decides their actions, so `requests` and `think`
/// are ignored.
const WORKLOAD: &str = r#"
name = "buyers in Rust"
[arrivals]
model = "partly-open"
rate = "12/s"
[session]
requests = "1"
think = "0s"
[[request]]
name = "home"
[[request]]
name = "item"
timeout = "2s"
[[request]]
name = "buy"
"#;

const SYSTEM: &str = r#"
name = "shop server"
[[station]]
name = "server"
policy = "ps"
demand.home = "exp(4ms)"
demand.item = "exp(8ms)"
demand.buy = "exp(20ms)"
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let mut workload = Workload::parse(Source { file: "", text: WORKLOAD }, &NoFiles)?;
    workload.populations[0].programs = Some(Arc::new(Buyers));
    let summary = match std::env::args().nth(1) {
        None => simulate(&workload)?,
        Some(url) => run(&workload, &url)?,
    };
    let times = &summary.response_time_s;
    println!("{} requests of {} sessions", summary.requests, summary.sessions);
    println!("mean {:.4} s, p99 {:.4} s", times.mean.unwrap_or(0.0), times.p99.unwrap_or(0.0));
    for (name, check) in &summary.checks {
        println!("{name}: {} of {}", check.passed, check.passed + check.failed);
    }
    Ok(())
}

/// Simulates an hour.
fn simulate(workload: &Workload) -> Result<Summary, Box<dyn Error>> {
    let system = SystemModel::parse(Source { file: "", text: SYSTEM }, &NoFiles)?;
    let limit = Limit { requests: u64::MAX, until: Nanos(3600 * SECOND.0), warmup: SECOND };
    let plan = sim::Plan { rows: false, ..sim::Plan::new(limit) };
    let done = sim::simulate(workload, &system, &plan, &mut (), &|_| Control::Continue)?;
    Ok(done.summary)
}

/// Runs for 10 s.
fn run(workload: &Workload, url: &str) -> Result<Summary, Box<dyn Error>> {
    let limit = Limit { requests: u64::MAX, until: Nanos(10 * SECOND.0), warmup: Nanos::ZERO };
    let plan = generator::Plan { drain: SECOND, ..generator::Plan::new(limit) };
    let target = Target::parse(url)?;
    Ok(generator::run(workload, &target, &plan, &mut (), &mut |_| true)?.summary)
}
