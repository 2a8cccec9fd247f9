//! The cost of a client, in nanoseconds: `cargo run --release -p thinktime-script --example costs`.
//!
//! Clients as in the generator, with answers that come at once: no socket, no server.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a command-line measurement")]
#![allow(clippy::disallowed_methods, reason = "it times by the wall clock")]

use std::sync::Arc;
use std::time::Instant;

use thinktime_core::attempt::Attempt;
use thinktime_core::client::{ClientAction, Clients};
use thinktime_core::files::NoFiles;
use thinktime_core::limit::Limit;
use thinktime_core::program::Reply;
use thinktime_core::schema::Source;
use thinktime_core::time::Nanos;
use thinktime_core::workload::Workload;
use thinktime_script::Script;

const CLIENTS: usize = 100_000;
const ROUNDS: usize = 20;
const GETS: &str = "return function(client) while true do client:get('/') end end";
const THINKS: &str = "return function(client) while true do client:get('/') \
                      client:think('exp(10s)') end end";

fn main() {
    let plain = measure(None);
    println!("without a program: create {:.0} ns, a request {:.0} ns", plain.0, plain.1);
    let gets = measure(Some(GETS));
    println!("Luau program: create {:.0} ns, switch and request {:.0} ns", gets.0, gets.1);
    let thinks = measure(Some(THINKS));
    let timer = thinks.1 - gets.1;
    println!("Luau program that thinks: {:.0} ns, of which the think time {timer:.0} ns", thinks.1);
}

/// Nanoseconds to create a client up to its first request, and for each further request.
fn measure(script: Option<&str>) -> (f64, f64) {
    let text = format!(
        "name = 'w'\n[arrivals]\nmodel = 'closed'\nclients = {CLIENTS}\n[session]\nthink = '0s'"
    );
    let mut workload = Workload::parse(Source { file: "", text: &text }, &NoFiles).unwrap();
    if let Some(text) = script {
        workload.populations[0].programs =
            Some(Arc::new(Script::compile("w", text, &["request"]).unwrap()));
    }
    let limit = Limit { requests: u64::MAX, until: Nanos::MAX, warmup: Nanos::ZERO };
    let began = Instant::now();
    let mut clients = Clients::new(&workload, limit);
    let mut sent = collect(&mut clients);
    let create = began.elapsed().as_nanos() as f64 / CLIENTS as f64;
    let began = Instant::now();
    for _ in 0..ROUNDS {
        for (now, attempt) in std::mem::take(&mut sent) {
            clients.answer(now, attempt.ticket, Reply::default());
        }
        sent = collect(&mut clients);
    }
    let request = began.elapsed().as_nanos() as f64 / (CLIENTS * ROUNDS) as f64;
    (create, request)
}

/// Lets all clients act until each has sent a request.
fn collect(clients: &mut Clients) -> Vec<(Nanos, Attempt)> {
    let mut sent = Vec::with_capacity(CLIENTS);
    while sent.len() < CLIENTS {
        let now = clients.next_wake();
        if let ClientAction::Send(attempt) = clients.wake() {
            sent.push((now, attempt));
        }
    }
    sent
}
