//! The service of each kind of request, of which some are taken back.

use super::job;
use super::many::system;
use crate::random::{Purpose, Stream};
use crate::system::{Job, JobRef, NodeSummary, StationSummary};
use thinktime_file::time::Nanos;

/// Requests of two kinds come, and of 600 about 200 are taken back, some out of service; all leave.
/// Gives the figures of the only station or machine, and how many were taken back.
fn figures(table: &str) -> (StationSummary, u32) {
    let names = ["r0".to_owned(), "r1".to_owned()];
    let mut system = system(&format!("name = 's'\n{table}\n"), &names);
    let mut random = Stream::new(7, 0, Purpose::Arrival);
    let (mut there, mut now, mut taken) = (Vec::<JobRef>::new(), Nanos::ZERO, 0);
    for token in 0..600 {
        now += Nanos((4e6 * random.uniform()) as u64);
        while system.next_event() <= now {
            system.advance();
        }
        there.push(system.arrive(now, Job { kind: (token % 3 == 0).into(), ..job(token) }));
        if random.uniform() < 0.5 {
            let back = (random.uniform() * 6.0) as u64;
            let who = token.saturating_sub(back);
            taken += u32::from(system.withdraw(now, there[who as usize], who, true));
        }
    }
    while system.in_system() > 0 {
        now = system.next_event();
        system.advance();
    }
    match system.summaries(now).swap_remove(0) {
        Some(NodeSummary::Station(station) | NodeSummary::Machine { station, .. }) => {
            (station, taken)
        }
        other => panic!("{other:?} is no station"),
    }
}

/// The service of both kinds is the time for which servers were busy, up to the rounding of each
/// request's to nanoseconds.
fn check(table: &str, servers: f64) {
    let (station, taken) = figures(table);
    assert!(taken > 100, "{taken} were taken back: {table}");
    let served: f64 = station.by_kind.iter().map(|one| one.served_s).sum();
    let busy = station.load * station.duration_s * servers;
    assert!((served / busy - 1.0).abs() < 1e-6, "{served} of {busy}: {table}");
    let loads: Vec<f64> = station.by_kind.iter().map(|one| station.load_of(&[one])).collect();
    assert!((loads.iter().sum::<f64>() / station.load - 1.0).abs() < 1e-9);
}

#[test]
fn kinds_together_have_the_service_of_the_servers() {
    for policy in
        ["fcfs", "lcfs", "plcfs", "ps", "rr(2ms)", "sjf", "psjf", "srpt", "las", "mlfq(1ms, 4ms)"]
    {
        for servers in [1, 3] {
            let demand = 3 * servers;
            let keys = format!("servers = {servers}\npolicy = '{policy}'");
            check(
                &format!("[[station]]\nname = 'a'\n{keys}\ndemand = 'exp({demand}ms)'"),
                servers.into(),
            );
        }
    }
}

#[test]
fn kinds_together_have_the_service_of_the_cores() {
    for threads in ["3", "'per-request'", "'event-loop'"] {
        let keys = format!("os = 'processor-sharing'\ncores = 2\nthreads = {threads}");
        check(&format!("[[machine]]\nname = 'm'\n{keys}\ndemand = 'exp(5ms)'"), 2.0);
    }
}

/// What is dropped from the line was served nothing.
#[test]
fn a_queue_timeout_gives_no_service() {
    let keys = "queue_timeout = '4ms'\ndemand.r0 = '9ms'\ndemand.r1 = '1ms'";
    check(&format!("[[station]]\nname = 'a'\n{keys}"), 1.0);
}
