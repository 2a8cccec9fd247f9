//! Properties of every policy.

use proptest::prelude::*;

use super::super::*;
use super::switch;
use crate::random::Purpose;

/// The arguments of an example that depend on the number of servers are made for it.
fn example(entry: &Entry, servers: usize) -> String {
    if entry.name() != "sita" {
        return entry.example.to_owned();
    }
    let cutoffs: Vec<String> = (1..servers).map(|at| format!("{}ms", 10 * at)).collect();
    format!("sita({})", cutoffs.join(", "))
}

#[test]
fn every_example_parses_and_slips_are_named() {
    for entry in ENTRIES {
        assert_eq!(Dispatch::parse(entry.example).unwrap().entry().name(), entry.name());
        let wrong = format!("{}(no-such-argument=1)", entry.name());
        assert!(Dispatch::parse(&wrong).is_err(), "{wrong}");
    }
    let message = |text: &str| Dispatch::parse(text).unwrap_err().to_string();
    assert!(message("crap").contains("did you mean `cap`?"));
    assert!(message("lard(low=70)").contains("`high` above it"));
    assert!(message("jsq(0)").contains("from 1 to 1000"));
    assert!(message("jsq(1.5)").contains("whole number"));
    assert!(message("sita(20ms, 10ms)").contains("above the one before"));
    assert!(message("consistent-hash(balance=1)").contains("above 1"));
}

#[test]
fn what_does_not_fit_the_cluster_is_refused() {
    let setting = Setting { weights: vec![1.0; 3], classes: 1, work: None };
    let error = Dispatch::parse("sita(1ms)").unwrap().build(&setting).unwrap_err();
    assert!(error.to_string().contains("1 times for 3 servers: it needs 2"), "{error}");
}

/// The events of a switch.
#[derive(Clone, Debug)]
enum Event {
    Comes { target: u64, class: u32, work: u64 },
    Ends { which: usize },
    Opens { server: usize, open: bool },
    Answers { server: usize },
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let one = prop_oneof![
        6 => (0..20_u64, 0..3_u32, 0..50_000_000_u64)
            .prop_map(|(target, class, work)| Event::Comes { target, class, work }),
        5 => any::<usize>().prop_map(|which| Event::Ends { which }),
        1 => (0..5_usize, any::<bool>()).prop_map(|(server, open)| Event::Opens { server, open }),
        1 => (0..5_usize).prop_map(|server| Event::Answers { server }),
    ];
    prop::collection::vec(one, 1..300)
}

proptest! {
    /// A request goes to an open server while there is one, or waits while others are in progress;
    /// the counts are those of a plain list.
    #[test]
    fn requests_go_to_open_servers(events in events(), heavy in 0..3_u8) {
        let weights = [1.0, 1.0, if heavy == 0 { 1.0 } else { 2.5 }, 1.0, f64::from(heavy) + 1.0];
        for entry in ENTRIES {
            let mut switch = switch(&example(entry, 5), &weights, 3, 1);
            let (mut open, mut there) = ([true; 5], Vec::new());
            let mut now = Nanos::ZERO;
            for event in &events {
                now += Nanos(1_000_000);
                match *event {
                    Event::Comes { target, class, work } => {
                        let request = Request { target, class, work: Nanos(work) };
                        match switch.place(now, &request) {
                            Placement::Server(server) => {
                                prop_assert!(open[server], "{} chose a closed one", entry.name());
                                there.push((server, now));
                            }
                            Placement::Waits => prop_assert!(!there.is_empty(), "{}", entry.name()),
                            Placement::Nowhere => prop_assert_eq!(open, [false; 5]),
                        }
                    }
                    Event::Ends { which } if !there.is_empty() => {
                        let (server, since) = there.swap_remove(which % there.len());
                        switch.ended(now, server, now.since(since));
                    }
                    Event::Ends { .. } => {}
                    Event::Opens { server, open: now_open } => {
                        open[server] = now_open;
                        switch.set_open(now, server, now_open);
                    }
                    Event::Answers { server } => {
                        let answer = Probe { in_progress: 1, response: Nanos(1_000) };
                        switch.probed(now, server, answer);
                    }
                }
                for (at, one) in switch.servers().all().iter().enumerate() {
                    let expected = there.iter().filter(|(server, _)| *server == at).count();
                    prop_assert_eq!(one.in_progress as usize, expected);
                    prop_assert_eq!(one.open, open[at]);
                }
            }
        }
    }

    /// The same seed and the same events lead to the same servers.
    #[test]
    fn the_same_seed_chooses_the_same(seed in any::<u64>()) {
        for entry in ENTRIES {
            let chosen = || -> Vec<Placement> {
                let mut switch = switch(&example(entry, 4), &[1.0; 4], 2, seed);
                let place = |at: u64| {
                    let (class, target, work) = ((at % 2) as u32, at % 7, Nanos(at));
                    let request = Request { class, target, work };
                    switch.place(Nanos(at), &request)
                };
                (0..50).map(place).collect()
            };
            prop_assert_eq!(chosen(), chosen(), "{}", entry.name());
        }
    }
}

/// The number of random draws between two states of a stream, if few.
fn drawn(before: &Stream, after: &Stream) -> Option<usize> {
    let (mut at, wanted) = (before.clone(), format!("{after:?}"));
    (0..DRAWS_MAX).find(|_| {
        let found = format!("{at:?}") == wanted;
        at.bits();
        found
    })
}

/// A policy may draw fewer than this for a request: twice 16 and one for `random`.
const DRAWS_MAX: usize = 40;

/// Weights from the least to the largest that files may have.
fn unequal() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec((-6..=6_i32).prop_map(|power| 10_f64.powi(power)), 2..12)
}

proptest! {
    /// A choice draws few random numbers, and ends, however unequal the weights are and whichever
    /// servers are closed: no choice waits for the turns of heavy closed servers.
    #[test]
    fn a_choice_costs_little(weights in unequal(), closed in any::<u16>(), last in 0..12_usize) {
        let number = weights.len();
        // The lightest of all is open as well, so that the closed ones outweigh it.
        let lightest = (0..number).min_by(|a, b| weights[*a].total_cmp(&weights[*b])).unwrap();
        for entry in ENTRIES {
            let setting = Setting { weights: weights.clone(), classes: 2, work: None };
            let policy = Dispatch::parse(&example(entry, number)).unwrap();
            let mut policy = policy.build(&setting).unwrap();
            let mut servers = Servers::new(&weights);
            let mut random = Stream::new(1, 0, Purpose::Dispatch);
            let mut notify = |policy: &mut dyn Dispatcher, servers: &Servers, at: usize| {
                policy.changed(at, &mut View { now: Nanos::ZERO, servers, random: &mut random });
            };
            (0..number).for_each(|at| notify(policy.as_mut(), &servers, at));
            let mut random = Stream::new(2, 0, Purpose::Dispatch);
            for round in 0..30_u32 {
                // Some servers are closed between the first requests and the last; by then all are
                // open.
                let is_open = |at: usize| {
                    !(5..25).contains(&round) || at == lightest || at == last
                        || (closed >> at) & 1 == 0
                };
                for at in 0..number {
                    if servers.set_open(at, is_open(at)) {
                        notify(policy.as_mut(), &servers, at);
                    }
                }
                let request =
                    Request { class: round % 2, target: round.into(), work: Nanos(round.into()) };
                let before = random.clone();
                let mut view =
                    View { now: Nanos::ZERO, servers: &servers, random: &mut random };
                let Some(chosen) = policy.choose(&request, &mut view) else {
                    // Replication lets requests wait if this many are in progress.
                    prop_assert_eq!(entry.name(), "lard-r");
                    break;
                };
                prop_assert!(is_open(chosen), "{} chose a closed one", entry.name());
                let few = drawn(&before, &random);
                prop_assert!(few.is_some(), "{} draws too much", entry.name());
                servers.begin(chosen);
                notify(policy.as_mut(), &servers, chosen);
            }
        }
    }
}

/// A server of weight 100 beside 199 of weight 1 gets 100 / 299 of 30,000 requests, most of them
/// drawn by the weights of all; the same holds if a heavier one is closed. A count has a standard
/// deviation of 82: a correct program fails once in 10^8 seeds.
#[test]
fn a_random_split_is_by_weight() {
    let mut weights = vec![1.0; 201];
    (weights[0], weights[200]) = (100.0, 1e6);
    let mut switch = switch("random", &weights, 1, 9);
    switch.set_open(Nanos::ZERO, 200, false);
    let mut counts = vec![0_i64; 201];
    for _ in 0..30_000 {
        counts[switch.server(0.0, &Request::default())] += 1;
    }
    assert!((counts[0] - 10_033).abs() < 480, "{counts:?}");
    let half: i64 = counts[1..100].iter().sum();
    // 99 / 299 of all, with about the same deviation.
    assert!((half - 9_933).abs() < 480, "{counts:?}");
    assert_eq!(counts[200], 0);
}

/// Samples of two of four open servers: each of the six pairs 5,000 times in 30,000, with a
/// standard deviation of 65; a correct program fails once in 10^8 times.
#[test]
fn each_sample_is_as_likely() {
    let mut servers = Servers::new(&[1.0; 5]);
    servers.set_open(1, false);
    let mut random = Stream::new(3, 0, Purpose::Dispatch);
    let mut counts = std::collections::BTreeMap::new();
    let mut drawn = Vec::new();
    for _ in 0..30_000 {
        servers.sample(2, &mut random, &mut drawn);
        drawn.sort_unstable();
        *counts.entry(drawn.clone()).or_insert(0_i64) += 1;
    }
    assert_eq!(counts.len(), 6, "{counts:?}");
    assert!(counts.values().all(|count| (count - 5_000).abs() < 400), "{counts:?}");
    servers.sample(9, &mut random, &mut drawn);
    drawn.sort_unstable();
    assert_eq!(drawn, [0, 2, 3, 4]);
}
