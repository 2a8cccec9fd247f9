//! What holds for every policy.

use proptest::prelude::*;

use super::super::*;
use super::switch;
use crate::random::Purpose;

/// The arguments of an example that hang on the number of servers are made for it.
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

/// What may happen to a switch.
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

/// Samples of two of four open servers: each of the six pairs 5,000 times in 30,000, with a
/// standard deviation of 65; a right program fails once in 10^8 times.
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
