//! How many scheduling events a second are simulated on one core of this computer, by operating
//! system. An event is an arrival, the end of a burst, or the check of a turn.
//!
//! cargo run --release -p thinktime-sim --example scheduling [REQUESTS]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line measurement")]
#![allow(clippy::disallowed_methods, reason = "it times the simulator by the wall clock")]

use std::process::ExitCode;
use std::time::Instant;

use thinktime_core::files::NoFiles;
use thinktime_core::random::{Purpose, Stream};
use thinktime_core::schema::Source;
use thinktime_core::system::machine::features::PRESETS;
use thinktime_core::system::{DrawnDemands, Job, Program, System, SystemModel};
use thinktime_core::time::Nanos;

const KINDS: [&str; 3] = ["page", "monitoring", "reporting"];
const MEAN_DEMAND_S: f64 = 0.3535;
const LOAD: f64 = 0.9;

fn main() -> ExitCode {
    let requests = match std::env::args().nth(1).map_or(Ok(300_000), |text| text.parse()) {
        Ok(requests) => requests,
        Err(error) => {
            eprintln!("usage: scheduling [REQUESTS]: {error}");
            return ExitCode::from(2);
        }
    };
    println!("The mix of MOSS's case study at a load of {LOAD}, {requests} requests:");
    for cores in [1, 4] {
        for (os, _) in PRESETS {
            let (events, seconds) = measure(os, cores, requests);
            println!(
                "{os:<20} {cores} cores: {:6.2} million events/s ({events} in {seconds:.2} s)",
                events as f64 / seconds * 1e-6
            );
        }
    }
    ExitCode::SUCCESS
}

fn measure(os: &str, cores: u32, requests: u64) -> (u64, f64) {
    let text = format!(
        "name = \"case study\"\n[[machine]]\nname = \"server\"\ncores = {cores}\nos = \"{os}\"\n\
         demand = {{ page = \"5ms\", monitoring = \"250ms\", reporting = \"3s\" }}\n"
    );
    let source = Source { file: "", text: &text };
    let model = SystemModel::parse(source, &NoFiles).expect("the system is right");
    let program = Program::new(&model, &KINDS);
    let demands = DrawnDemands::new(&program, 1, Purpose::Demand);
    let mut system = System::new(&model, &program, &KINDS, demands, 1);
    let mut stream = Stream::new(1, 0, Purpose::Arrival);
    let gap = MEAN_DEMAND_S / f64::from(cores) / LOAD;
    let (began, mut events, mut now) = (Instant::now(), 0, Nanos::ZERO);
    for session in 0..requests {
        now += Nanos::from_secs_f64(-gap * stream.uniform().ln());
        while system.next_event() <= now {
            system.advance();
            events += 1;
        }
        let kind = match stream.uniform() {
            share if share < 0.7 => 0,
            share if share < 0.9 => 1,
            _ => 2,
        };
        system.arrive(now, Job { token: session, session, serial: 0, kind });
        events += 1;
    }
    (events, began.elapsed().as_secs_f64())
}
