//! Sequences, rules and traces that are published, or worked out by hand from them.

use super::super::*;
use super::{class, switch, target};

const END: Nanos = Nanos(1);

fn chosen(switch: &mut Switch, number: usize) -> Vec<usize> {
    (0..number).map(|_| switch.server(0.0, &Request::default())).collect()
}

/// The known sequence of nginx's change of 2012: weights 5, 1, 1 give a a b a c a a.
#[test]
fn smooth_weighted_round_robin_spreads_turns() {
    let mut switch = switch("weighted-round-robin", &[5.0, 1.0, 1.0], 1, 1);
    assert_eq!(chosen(&mut switch, 14), [0, 0, 1, 0, 2, 0, 0, 0, 0, 1, 0, 2, 0, 0]);
}

#[test]
fn round_robin_passes_closed_servers_over() {
    let mut switch = switch("round-robin", &[1.0, 9.0, 1.0], 1, 1);
    assert_eq!(chosen(&mut switch, 4), [0, 1, 2, 0]);
    switch.set_open(Nanos::ZERO, 1, false);
    assert_eq!(chosen(&mut switch, 3), [2, 0, 2]);
    switch.set_open(Nanos::ZERO, 1, true);
    assert_eq!(chosen(&mut switch, 3), [0, 1, 2]);
}

/// The counts of each class differ by at most one between servers, whatever the order.
#[test]
fn cap_gives_each_server_the_same_mix() {
    let mut switch = switch("cap", &[1.0; 7], 3, 1);
    let mut counts = [[0_i32; 7]; 3];
    let mut random = Stream::new(5, 0, crate::random::Purpose::Request);
    for _ in 0..5_000 {
        let of = random.below(3) as u32;
        counts[of as usize][switch.server(0.0, &class(of))] += 1;
        for of_class in &counts {
            let (most, least) = (of_class.iter().max(), of_class.iter().min());
            assert!(most.unwrap() - least.unwrap() <= 1, "{counts:?}");
        }
    }
}

#[test]
fn cap_of_one_class_is_round_robin() {
    let (mut cap, mut plain) =
        (switch("cap", &[1.0; 5], 1, 1), switch("round-robin", &[1.0; 5], 1, 1));
    assert_eq!(chosen(&mut cap, 23), chosen(&mut plain, 23));
}

/// Pai et al., the pseudo-code of the basic policy, by hand, with low 2 and high 3 on two servers.
#[test]
fn lard_moves_a_target_when_its_server_has_too_much() {
    let mut switch = switch("lard(low=2, high=3)", &[1.0, 1.0], 1, 1);
    let first = switch.server(0.0, &target(1));
    // The other one has fewer, so another target begins there.
    let second = switch.server(0.0, &target(2));
    assert_ne!(first, second);
    // Up to a load of high + 1 the target stays: it has 1, and 2, 3, 4 follow.
    for load in 2..=4 {
        assert_eq!(switch.server(0.0, &target(1)), first, "a load of {load}");
    }
    // 4 > high, and the other one's 1 < low: it moves, and stays there.
    assert_eq!(switch.server(0.0, &target(1)), second);
    assert_eq!(switch.server(0.0, &target(1)), second);
}

/// A server of twice `high` loses its targets even if no other has fewer than `low`.
#[test]
fn lard_moves_a_target_at_twice_the_high_load() {
    let mut switch = switch("lard(low=1, high=2)", &[1.0, 1.0], 1, 1);
    let own = switch.server(0.0, &target(1));
    let other = switch.server(0.0, &target(2));
    // Loads 1 and 1: none is below low, so the target stays up to 2 x high = 4.
    let stays: Vec<usize> = (0..3).map(|_| switch.server(0.0, &target(1))).collect();
    assert_eq!(stays, [own; 3]);
    assert_eq!(switch.server(0.0, &target(1)), other);
}

/// Pai et al., the pseudo-code with replication, by hand, with low 2, high 3 and 20 s.
#[test]
fn lard_replicates_and_forgets() {
    let mut switch = switch("lard-r(low=2, high=3, keep=20s)", &[1.0; 3], 1, 1);
    let first = switch.server(0.0, &target(1));
    let same: Vec<usize> = (0..3).map(|_| switch.server(1.0, &target(1))).collect();
    assert_eq!(same, [first; 3]);
    // A load of 4 is too much: a second server joins, and gets the next ones while it has fewer.
    let second = switch.server(2.0, &target(1));
    assert_ne!(second, first);
    assert_eq!(switch.server(3.0, &target(1)), second);
    switch.ended(Nanos::from_secs_f64(4.0), second, END);
    switch.ended(Nanos::from_secs_f64(4.0), second, END);
    // Unchanged for more than 20 s: the one with the most leaves the set, and the request still
    // goes to the one with the fewest.
    assert_eq!(switch.server(23.0, &target(1)), second);
    (0..4).for_each(|_| switch.ended(Nanos::from_secs_f64(24.0), first, END));
    // The first has no request now, and would be the better one; but it is forgotten.
    assert_eq!(switch.server(25.0, &target(1)), second);
}

/// The limit (n - 1) x high + low - 1.
#[test]
fn lard_with_replication_lets_others_wait() {
    let mut switch = switch("lard-r(low=2, high=3)", &[1.0; 3], 1, 1);
    for at in 0..7 {
        assert!(matches!(switch.place(Nanos::ZERO, &target(at)), Placement::Server(_)), "{at}");
    }
    assert_eq!(switch.place(Nanos::ZERO, &target(7)), Placement::Waits);
    switch.ended(END, 0, END);
    assert!(matches!(switch.place(END, &target(7)), Placement::Server(_)));
}

#[test]
fn weights_and_idle_servers_count_as_published() {
    // One of weight 4 with 3 requests, one of weight 1 without: (3 + 1) / 4 = (0 + 1) / 1.
    let busy = |policy: &str| {
        let mut switch = switch(policy, &[4.0, 1.0], 1, 1);
        switch.set_open(Nanos::ZERO, 1, false);
        chosen(&mut switch, 4);
        switch.set_open(Nanos::ZERO, 1, true);
        switch.server(0.0, &Request::default())
    };
    // 5 / 4, compared with 1 / 1.
    assert_eq!(busy("shortest-expected-delay"), 1);
    assert_eq!(busy("never-queue"), 1);
    // 4 / 4, compared with 0.
    assert_eq!(busy("least-connections"), 1);
    // Both idle: the delays are 1 / 4 and 1.
    assert_eq!(
        switch("shortest-expected-delay", &[1.0, 4.0], 1, 1).server(0.0, &Request::default()),
        1
    );
}

#[test]
fn demands_choose_their_interval() {
    let mut switch = switch("sita(10ms, 50ms)", &[1.0; 3], 1, 1);
    let of = |ms: u64| Request { work: Nanos(ms * 1_000_000), ..Request::default() };
    let servers: Vec<usize> = [1, 10, 11, 50, 51].map(|ms| switch.server(0.0, &of(ms))).to_vec();
    assert_eq!(servers, [0, 0, 1, 1, 2]);
    switch.set_open(Nanos::ZERO, 1, false);
    assert_eq!(switch.server(0.0, &of(20)), 2);
    switch.set_open(Nanos::ZERO, 2, false);
    assert_eq!(switch.server(0.0, &of(20)), 0);
}

/// Exponential demands of mean 1 s on two servers: 1 - (1 + x) exp(-x) = 1/2 at 1.678 s.
#[test]
fn without_times_each_server_gets_the_same_work() {
    let law = crate::distribution::Distribution::exponential_time(1.0).unwrap();
    let setting = Setting { weights: vec![1.0; 2], classes: 1, work: Some(law) };
    let random = Stream::new(1, 0, crate::random::Purpose::Dispatch);
    let policy = Dispatch::parse("sita").unwrap();
    let mut switch = Switch::new(&policy, &setting, random).unwrap();
    let mut of =
        |us: u64| switch.server(0.0, &Request { work: Nanos(1_000 * us), ..Request::default() });
    assert_eq!([of(1_678_346), of(1_678_348)], [0, 1]);
}

#[test]
fn idle_servers_are_taken_in_the_order_in_which_they_became_idle() {
    let mut switch = switch("join-idle-queue", &[1.0; 3], 1, 1);
    assert_eq!(chosen(&mut switch, 3), [0, 1, 2]);
    switch.ended(END, 2, END);
    switch.ended(END, 0, END);
    assert_eq!(chosen(&mut switch, 2), [2, 0]);
}

/// The bound of the paper: no server has more than the share, rounded up.
#[test]
fn consistent_hashing_bounds_the_load() {
    let mut switch = switch("consistent-hash(balance=1.25)", &[1.0; 10], 1, 1);
    for number in 1..=200_u64 {
        switch.server(0.0, &target(1));
        let most = switch.servers().all().iter().map(|one| one.in_progress).max().unwrap();
        assert!(f64::from(most) <= (1.25 * number as f64 / 10.0).ceil());
    }
}

/// The server of each of 1,000 targets that come one after another, alone.
fn alone(switch: &mut Switch) -> Vec<usize> {
    let of = |at: u64| {
        let server = switch.server(0.0, &target(at));
        switch.ended(Nanos::ZERO, server, END);
        server
    };
    (0..1_000).map(of).collect()
}

/// Only the targets of a server that closes move, and they come back.
#[test]
fn consistent_hashing_moves_few_targets() {
    let mut switch = switch("consistent-hash(balance=1000)", &[1.0; 10], 1, 1);
    let before = alone(&mut switch);
    switch.set_open(Nanos::ZERO, 3, false);
    let after = alone(&mut switch);
    assert!(before.iter().zip(&after).all(|(one, other)| one == other || *one == 3));
    assert!(!after.contains(&3));
    let share = before.iter().filter(|one| **one == 3).count();
    assert!((40..250).contains(&share), "{share} of 1000 targets were on one of ten servers");
    switch.set_open(Nanos::ZERO, 3, true);
    assert_eq!(alone(&mut switch), before);
}

#[test]
fn peak_ewma_leaves_a_slow_server_until_its_peak_has_decayed() {
    let mut switch = switch("peak-ewma(decay=10s)", &[1.0, 1.0], 1, 1);
    let serve = |switch: &mut Switch, now_s: f64, took_s: [f64; 2]| {
        let server = switch.server(now_s, &Request::default());
        let took = Nanos::from_secs_f64(took_s[server]);
        switch.ended(Nanos::from_secs_f64(now_s) + took, server, took);
        server
    };
    // Both become known, and one is slow once.
    for at in 0..20 {
        serve(&mut switch, f64::from(at), [0.001, 0.001]);
    }
    while serve(&mut switch, 30.0, [2.0, 0.001]) != 0 {}
    let soon: Vec<usize> =
        (0..10).map(|at| serve(&mut switch, 33.0 + f64::from(at) / 10.0, [0.001; 2])).collect();
    assert_eq!(soon, [1; 10]);
    // exp(-t / 10 s) x 2 s < 1 ms after 76 s.
    let later = (0..40).map(|at| serve(&mut switch, 200.0 + f64::from(at), [0.001; 2]));
    assert!(later.collect::<Vec<_>>().contains(&0));
}

#[test]
fn prequal_takes_the_fastest_cold_server() {
    let mut switch = switch("prequal(quantile=0.5)", &[1.0; 20], 1, 1);
    let told = |in_progress: u32, us: u64| Probe { in_progress, response: Nanos(1_000 * us) };
    // The median of 1, 2, 9 is 2: the first two are cold, and the slower one has fewer requests.
    for (server, answer) in [(4, told(1, 900)), (5, told(2, 300)), (6, told(9, 10))] {
        switch.probed(Nanos::ZERO, server, answer);
    }
    assert_eq!(switch.server(0.1, &Request::default()), 5);
    // Answers of more than a second ago are not used: any server may be chosen.
    let later: Vec<usize> = (0..40).map(|_| switch.server(5.0, &Request::default())).collect();
    assert!(later.iter().any(|server| ![4, 5, 6].contains(server)));
}

/// The servers of answers that are used one after another if no further probes go out. Each request
/// removes one more, the worst and the oldest in turn.
fn prequal_without_new_answers(servers: usize, answers: usize, seed: u64) -> Vec<usize> {
    let mut switch = switch("prequal(quantile=0)", &vec![1.0; servers], 1, seed);
    for server in 0..answers {
        // The last is the best, and has so few requests that it stays the best.
        let in_progress = 100 * (answers - server) as u32;
        switch.probed(Nanos::ZERO, server, Probe { in_progress, response: Nanos(1) });
    }
    (0..answers / 3).map(|_| switch.server(0.0, &Request::default())).collect()
}

/// With 7 servers and 16 answers the paper's formula is negative: each answer is used once.
#[test]
fn prequal_uses_an_answer_once_where_there_are_few_servers() {
    assert_eq!(prequal_without_new_answers(7, 6, 1), [5, 4]);
    assert_eq!(prequal_without_new_answers(16, 12, 1), [11, 10, 9, 8]);
}

/// With 64 servers it says 2 / (0.75 x 3 - 1) = 1.6: of 4,000 answers 60 % are used twice. The
/// count has a standard deviation of 31, so that a correct program fails once in 10^8 seeds.
#[test]
fn prequal_uses_an_answer_as_often_on_average_as_the_formula_says() {
    let twice = |seed: &u64| {
        let used = prequal_without_new_answers(64, 6, *seed);
        used[0] == used[1]
    };
    let count = (0..4_000_u64).filter(twice).count() as i64;
    assert!((count - 2_400).abs() < 180, "{count}");
    assert!((0..100).all(|seed| {
        let used = prequal_without_new_answers(40, 9, seed);
        // 2 / (0.6 x 3 - 1) = 2.5: two times or three.
        used[0] == used[1]
    }));
}

#[test]
fn least_work_left_follows_the_work() {
    let mut switch = switch("least-work-left", &[1.0, 1.0], 1, 1);
    let of = |seconds: f64| Request { work: Nanos::from_secs_f64(seconds), ..Request::default() };
    let long = switch.server(0.0, &of(10.0));
    let short = 1 - long;
    assert_eq!(switch.server(0.0, &of(4.0)), short);
    assert_eq!(switch.server(1.0, &of(4.0)), short);
    // 10 s, compared with 8 s of which one is over; the next makes it 12.
    assert_eq!(switch.server(1.0, &of(4.0)), short);
    assert_eq!(switch.server(1.0, &of(4.0)), long);
}
