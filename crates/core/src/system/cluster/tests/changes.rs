use super::*;
use crate::failure::{REFUSED, RESET};

const SECOND: u64 = 1_000_000_000;

/// A cluster of this dispatch policy with changes (at, server, what).
fn changing(servers: u32, keys: &str, policy: &str, changes: &[(u64, u32, &str)]) -> String {
    let change = |(at, server, does): &(u64, u32, &str)| {
        format!("[[cluster.change]]\nat = '{at}s'\nserver = {server}\ndoes = '{does}'\n")
    };
    cluster(servers, keys, policy) + &changes.iter().map(change).collect::<String>()
}

/// Runs requests (arrival, demand) in seconds; gives the time at which each left, in seconds, and
/// the reason.
fn left(text: &str, requests: &[(u64, u64)]) -> Vec<(f64, Option<&'static str>)> {
    let given = requests.iter().map(|(_, demand)| (vec![Some(demand * SECOND)], 0, 0)).collect();
    let arrivals: Vec<(u64, u32)> = requests.iter().map(|(at, _)| (at * SECOND, 0)).collect();
    let all = run(&mut system(text, given), &arrivals);
    all.iter().map(|one| (one.at.as_secs_f64(), one.error)).collect()
}

const TURNS: &str = "dispatch = 'round-robin'";

#[test]
fn a_server_that_fails_loses_what_it_has_and_gets_nothing_until_it_recovers() {
    let changes = [(1, 0, "fails"), (5, 0, "recovers")];
    let found = left(
        &changing(2, TURNS, "fcfs", &changes),
        // Two are lost, in service and in line; one is safe, one has only server 1, and one finds
        // both.
        &[(0, 3), (0, 3), (0, 1), (2, 1), (6, 1), (6, 1)],
    );
    let reset = (1.0, Some(RESET));
    assert_eq!(found, [reset, (3.0, None), reset, (4.0, None), (7.0, None), (7.0, None)]);
}

#[test]
fn a_slow_server_does_everything_slowly_until_it_recovers() {
    for policy in ["fcfs", "ps", "srpt", "las"] {
        let slows = [(2, 0, "slows(0.5)")];
        assert_eq!(left(&changing(1, TURNS, policy, &slows), &[(0, 4)]), [(6.0, None)]);
        let both = [(2, 0, "slows(0.5)"), (4, 0, "recovers")];
        assert_eq!(left(&changing(1, TURNS, policy, &both), &[(0, 4)]), [(5.0, None)]);
    }
}

#[test]
fn averages_are_over_the_time_of_all() {
    let text = changing(1, TURNS, "fcfs", &[(0, 0, "slows(0.25)"), (8, 0, "recovers")]);
    let given = vec![(vec![Some(SECOND)], 0, 0), (vec![Some(SECOND)], 0, 0)];
    let mut system = system(&text, given);
    // Four seconds each, both in the slow time; then none for as long.
    run(&mut system, &[(0, 0), (0, 0)]);
    let found = summary(&system, 16 * SECOND);
    let station = &found.servers[0].stations[0];
    assert_eq!((station.duration_s, station.load, station.demands.arrivals), (16.0, 0.5, 2));
    assert_eq!(station.queue_length_mean, (2.0 * 4.0 + 4.0) / 16.0);
}

#[test]
fn a_server_that_drains_finishes_what_it_has() {
    let text = changing(2, TURNS, "fcfs", &[(1, 0, "drains")]);
    let found = left(&text, &[(0, 3), (0, 1), (2, 1), (3, 1)]);
    assert_eq!(found, [(3.0, None), (1.0, None), (3.0, None), (4.0, None)]);
}

#[test]
fn what_the_switch_has_not_seen_yet_is_refused() {
    let keys = "dispatch = 'least-connections'\nseen_after = '3s'";
    let text = changing(2, keys, "fcfs", &[(1, 0, "fails")]);
    // The first two are at both servers. The failure and its refusals are seen 3 s later.
    let found = left(&text, &[(0, 9), (0, 9), (2, 1), (2, 1), (5, 1)]);
    let errors: Vec<_> = found.iter().map(|one| one.1).collect();
    let lost = errors.iter().filter(|one| **one == Some(RESET)).count();
    assert_eq!((lost, errors[4]), (1, None));
    assert!(errors[2..4].contains(&Some(REFUSED)), "{found:?}");
}

#[test]
fn where_no_server_is_left_requests_are_refused_and_nobody_waits() {
    let keys = "dispatch = 'lard-r(low=1, high=2)'";
    let changes = [(1, 0, "drains"), (2, 1, "fails"), (9, 0, "recovers")];
    let text = changing(2, keys, "fcfs", &changes);
    let found = left(&text, &[(0, 5), (0, 5), (0, 5), (0, 5), (3, 1), (10, 1)]);
    // Both servers' requests are at the one that drains; the others wait until the last fails.
    let refused = |at: f64| (at, Some(REFUSED));
    let served = |at: f64| (at, None);
    let all = [served(5.0), served(10.0), refused(2.0), refused(2.0), refused(3.0), served(11.0)];
    assert_eq!(found, all);
}

/// A server at half speed is like one to which each request brings twice as much.
#[test]
fn half_the_speed_is_twice_the_demand() {
    let requests = drawn(2_000, 0.4, 11);
    let doubled: Vec<(u64, u64)> = requests.iter().map(|(at, work)| (*at, 2 * work)).collect();
    for policy in ["fcfs", "ps", "srpt", "las", "sjf", "lcfs"] {
        let slow = responses(&changing(1, TURNS, policy, &[(0, 0, "slows(0.5)")]), &requests);
        let plain = responses(&cluster(1, TURNS, policy), &doubled);
        for (number, (slow, plain)) in slow.iter().zip(&plain).enumerate() {
            // Shares of time are rounded to nanoseconds, once a departure.
            assert!(slow.abs_diff(*plain) <= 10_000, "{policy} {number}: {slow} {plain}");
        }
    }
}

#[test]
fn names_that_would_not_be_clear_in_labels_are_refused() {
    let message = |text: &str| {
        SystemModel::parse(Source { file: "", text }, &NoFiles).unwrap_err().to_string()
    };
    let text = cluster(2, TURNS, "fcfs");
    assert!(message(&text.replace("'web'", "'we/b'")).contains("name: must be without `/`"));
    assert!(message(&text.replace("'cpu'", "'c/pu'")).contains("name: must be without `/`"));
}

#[test]
fn errors_name_the_key() {
    let cases = [
        ((1, 2, "fails"), "cluster[1].change[1].server", "must be from 0 to 1"),
        ((1, 0, "fail"), "cluster[1].change[1].does", "did you mean `fails`?"),
        ((1, 0, "slows"), "cluster[1].change[1].does", "slows(SPEED)"),
        ((1, 0, "slows(1)"), "cluster[1].change[1].does", "a fraction between 0 and 1"),
        ((1, 0, "drains(2)"), "cluster[1].change[1].does", "too many arguments"),
    ];
    for (change, key, message) in cases {
        let text = changing(2, TURNS, "fcfs", &[change]);
        let error = SystemModel::parse(Source { file: "", text: &text }, &NoFiles).unwrap_err();
        let error = error.to_string();
        assert!(error.contains(key) && error.contains(message), "{error}");
    }
}
