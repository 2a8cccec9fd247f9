//! The order of events at one instant: ends of bursts and slices, then periodic balancing, then
//! checks for starving tasks, then arrivals and wakes from outside.

use super::{Case, on};

fn plain(os: &str, cores: u32) -> Case {
    on(os, cores)
        .with("time_sharing.boosts = false")
        .with("time_sharing.starvation = false")
        .with("time_sharing.slice.length = '1s'")
        .with("time_sharing.slice.wait_costs = false")
        .with("balancing.static.policy = 'same-as-parent'")
        .with("balancing.static.woken = 'last-core'")
}

/// B is done at 20, when A's sleep ends: core 0 is idle then, and A has no reason to leave it.
#[test]
fn bursts_are_done_before_sleeps_end() {
    let case = plain("windows-server-2003", 2)
        .with("balancing.dynamic.information.demand_driven = false")
        .with("balancing.dynamic.information.state_change_driven = ['on-wake']");
    let outcome = case.run(&[(0.0, "10, sleep 10, 10"), (1.0, "10")]);
    assert_eq!(outcome.core(0), "A 0-10  B 10-20  A 20-30");
}

/// Slices of 10. At 30 C's slice ends, and A wakes: C is before A in the queue, behind B.
#[test]
fn slices_are_used_up_before_sleeps_end() {
    let case = plain("windows-server-2003", 1).with("time_sharing.slice.length = '10ms'");
    let outcome = case.run(&[(0.0, "10, sleep 20, 10"), (0.0, "30"), (0.0, "30")]);
    let expected = "A 0-10  B 10-20  C 20-30  B 30-40  C 40-50  A 50-60  B 60-70  C 70-80";
    assert_eq!(outcome.core(0), expected);
}

/// The parts begin at 10, and one waits then: the attempt of that very instant moves it.
#[test]
fn an_attempt_sees_what_was_done_at_its_instant() {
    let case = plain("windows-server-2003", 2)
        .with("balancing.dynamic.information.demand_driven = false")
        .with("balancing.dynamic.information.state_change_driven = []")
        .with("balancing.dynamic.information.periodic = '10ms'");
    let outcome = case.run(&[(0.0, "10, (25 | 25), 5")]);
    assert_eq!(outcome.ends(), ["40"]);
}

/// A arrives at 10, after the attempt of that instant, and is moved at 20.
#[test]
fn an_attempt_comes_before_arrivals() {
    let case = plain("windows-server-2003", 2)
        .with("balancing.dynamic.information.demand_driven = false")
        .with("balancing.dynamic.information.state_change_driven = []")
        .with("balancing.dynamic.information.periodic = '10ms'");
    let outcome = case.run(&[(0.0, "100"), (10.0, "100")]);
    assert_eq!(outcome.core(1), "B 20-120");
}

/// A expires at 10 and has waited for 50 at 60. It goes first for two slices.
#[test]
fn the_expired_are_rescued_too() {
    let rescue = "{kind = 'boost', after = '50ms', every = '10ms', to = 15, slices = 2}";
    let case = plain("windows-server-2003", 1)
        .with("time_sharing.slice.length = '10ms'")
        .with("run_queues.arrays = 'active-and-expired'")
        .with(&format!("time_sharing.starvation = {rescue}"));
    let outcome = case.run(&[
        (0.0, "30"),
        (9.5, "10"),
        (19.5, "10"),
        (29.5, "10"),
        (39.5, "10"),
        (49.5, "10"),
        (59.5, "10"),
    ]);
    let expected = "B 10-20  C 20-30  D 30-40  E 40-50  F 50-60  A 60-80  G 80-90";
    assert_eq!(outcome.core(0), format!("A 0-10  {expected}"));
}

/// Two parts of priority 12 begin at 10 on two cores; on the other one B runs at 8.
#[test]
fn with_one_queue_nobody_waits_for_a_worse_task() {
    let case =
        plain("windows-xp", 2).service("low", "priority = 3").service("high", "priority = 12");
    let outcome = case.run(&[(0.0, "low 10, (high 20 | high 20), low 1"), (0.0, "50")]);
    assert_eq!(outcome.core(0), "A 0-30  B 30-70");
    assert_eq!(outcome.core(1), "B 0-10  A 10-31");
}

/// Two tasks have waited for 4.5 s at 5 s, behind two better ones on two cores: both go first.
#[test]
fn with_one_queue_all_cores_serve_the_starving() {
    let case = on("windows-xp", 2).service("high", "priority = 12");
    let outcome = case.run(&[(0.0, "high 6000"), (0.0, "high 6000"), (500.0, "20"), (500.0, "20")]);
    assert_eq!(outcome.ends()[2..], ["5020", "5020"]);
}
