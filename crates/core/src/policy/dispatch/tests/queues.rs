//! Policies over FCFS servers, compared with formulas and with one central queue. The servers are
//! written out here, and share no code with the simulator.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::super::*;
use super::switch;
use crate::random::Purpose;

/// Requests with their arrivals and demands: a Poisson process of this rate per second, and
/// exponential demands of mean 1 s.
fn requests(number: usize, rate: f64, seed: u64) -> Vec<(Nanos, Nanos)> {
    let mut random = Stream::new(seed, 1, Purpose::Arrival);
    let mut exponential = |mean: f64| -mean * random.uniform().ln();
    let mut at = 0.0;
    let one = |_| {
        at += exponential(1.0 / rate);
        (Nanos::from_secs_f64(at), Nanos::from_secs_f64(exponential(1.0)))
    };
    (0..number).map(one).collect()
}

/// The response time of each request if every server serves first come, first served.
fn responses(mut switch: Switch, requests: &[(Nanos, Nanos)]) -> Vec<Nanos> {
    let mut free_at = vec![Nanos::ZERO; switch.servers().all().len()];
    let mut there = BinaryHeap::new();
    let one = |&(now, work): &(Nanos, Nanos)| {
        while let Some(Reverse((end, server, response))) = there.peek().copied()
            && end <= now
        {
            there.pop();
            switch.ended(end, server, response);
        }
        let Placement::Server(server) = switch.place(now, &Request { work, ..Request::default() })
        else {
            panic!("all servers are open");
        };
        free_at[server] = free_at[server].max(now) + work;
        let response = free_at[server].since(now);
        there.push(Reverse((free_at[server], server, response)));
        response
    };
    requests.iter().map(one).collect()
}

fn mean_s(responses: &[Nanos]) -> f64 {
    responses.iter().map(|one| one.as_secs_f64()).sum::<f64>() / responses.len() as f64
}

/// Of 500 servers at load 0.9, the mean for infinitely many: the sum of 0.9^(d^i - d)/(d - 1) over
/// i (Mitzenmacher 2001). 300,000 requests scatter by some 0.5 %; the tolerance is 2 %.
#[test]
fn choices_are_as_good_as_their_formula() {
    let requests = requests(400_000, 450.0, 11);
    for (policy, choices) in [("jsq(2)", 2.0_f64), ("jsq(3)", 3.0)] {
        let exact: f64 =
            (1..12).map(|i| 0.9_f64.powf((choices.powi(i) - choices) / (choices - 1.0))).sum();
        let found = mean_s(&responses(switch(policy, &[1.0; 500], 1, 1), &requests)[100_000..]);
        assert!((found / exact - 1.0).abs() < 0.02, "{policy}: {found} s for {exact} s");
    }
}

/// A random split gives this many M/M/1 queues: at load 0.5 a mean of 2 s. The mean of 400,000
/// responses has a standard error of some 0.7 %, and the margin is 4 of them.
#[test]
fn a_random_split_is_a_queue_for_each() {
    let requests = requests(400_000, 10.0, 5);
    let found = mean_s(&responses(switch("random", &[1.0; 20], 1, 1), &requests)[20_000..]);
    assert!((found / 2.0 - 1.0).abs() < 0.03, "{found} s");
}

/// Each request waits as long as at one queue in front of all servers.
#[test]
fn least_work_left_is_one_central_queue() {
    let requests = requests(50_000, 4.5, 3);
    let found = responses(switch("least-work-left", &[1.0; 5], 1, 1), &requests);
    let mut free_at: BinaryHeap<Reverse<Nanos>> = [Reverse(Nanos::ZERO); 5].into();
    for (at, (now, work)) in requests.into_iter().enumerate() {
        let Reverse(free) = free_at.pop().unwrap();
        let end = free.max(now) + work;
        free_at.push(Reverse(end));
        assert_eq!(found[at], end.since(now), "request {at}");
    }
}

/// For equal servers and exponential demands (Weber 1978, and the classical orderings): the more a
/// policy knows, the shorter the response times.
#[test]
fn who_knows_more_does_better() {
    let requests = requests(200_000, 9.0, 21);
    let mean = |policy: &str| mean_s(&responses(switch(policy, &[1.0; 10], 1, 1), &requests));
    let order = ["random", "round-robin", "jsq(2)", "jsq", "least-work-left"].map(mean);
    assert!(order.is_sorted_by(|worse, better| worse > better), "{order:?}");
}
