//! How tasks come to cores. By default every request begins on core 0, slices are of a second, and
//! balancing is tried at multiples of 10 ms: a core with more than one task gives one to a core
//! with none, the longest-waiting one first.

use super::{Case, Request, on};

/// No attempt is made until a test gives its time.
pub(super) fn quiet(cores: u32) -> Case {
    on("windows-server-2003", cores)
        .with("time_sharing.boosts = false")
        .with("time_sharing.starvation = false")
        .with("time_sharing.slice.length = '1s'")
        .with("time_sharing.slice.wait_costs = false")
        .with("balancing.static.policy = 'same-as-parent'")
        .with("balancing.static.woken = 'last-core'")
        .with("balancing.dynamic.information.demand_driven = false")
}

pub(super) fn periodic(cores: u32, every: &str) -> Case {
    quiet(cores)
        .with("balancing.dynamic.information.state_change_driven = []")
        .with(&format!("balancing.dynamic.information.periodic = '{every}'"))
}

fn at(cores: u32, changes: &[&str]) -> Case {
    changes.iter().fold(periodic(cores, "10ms"), |case, change| case.with(change))
}

pub(super) fn cores(case: &Case, requests: &[Request<'_>]) -> [String; 2] {
    let outcome = case.run(requests);
    [outcome.core(0), outcome.core(1)]
}

const FOUR: [Request<'_>; 4] = [(0.0, "100"), (0.0, "100"), (0.0, "100"), (0.0, "100")];

/// One at 10. At 110 core 1 is done first, then balancing is tried: core 0 has two.
#[test]
fn one_task_is_moved_at_a_time() {
    let expected = ["A 0-100  C 100-200", "B 10-110  D 110-210"];
    assert_eq!(cores(&at(2, &[]), &FOUR), expected);
}

#[test]
fn those_who_wait_shortly_may_go_first() {
    let case = at(2, &["balancing.dynamic.selection.preferred_waiting_time = 'short'"]);
    // At 10 D; at 110 core 0 runs B, and C is the only one that waits.
    assert_eq!(cores(&case, &FOUR), ["A 0-100  B 100-200", "D 10-110  C 110-210"]);
}

/// (4 - 0) / 2 = 2 tasks at 10; threshold or relative.
#[test]
fn loads_are_made_equal() {
    let expected = ["A 0-100  D 100-200", "B 10-110  C 110-210"];
    let equalise = "balancing.dynamic.selection.number = 'equalise'";
    assert_eq!(cores(&at(2, &[equalise]), &FOUR), expected);
    let relative = "balancing.dynamic.transfer = {policy = 'relative', difference = 2}";
    assert_eq!(cores(&at(2, &[equalise, relative]), &FOUR), expected);
    // A difference of 4 is enough too, one of 5 is not.
    let relative = "balancing.dynamic.transfer = {policy = 'relative', difference = 4}";
    assert_eq!(cores(&at(2, &[equalise, relative]), &FOUR), expected);
    let relative = "balancing.dynamic.transfer = {policy = 'relative', difference = 5}";
    assert_eq!(cores(&at(2, &[equalise, relative]), &FOUR)[1], "");
}

/// Relative, one a time: 4 : 0 at 10, 3 : 1 at 20, then 2 : 2.
#[test]
fn a_relative_policy_asks_for_the_difference_only() {
    let relative = "balancing.dynamic.transfer = {policy = 'relative', difference = 2}";
    let expected = ["A 0-100  D 100-200", "B 10-110  C 110-210"];
    assert_eq!(cores(&at(2, &[relative]), &FOUR), expected);
}

/// A giver must have more than the upper bound, a taker less than the lower one.
#[test]
fn bounds_say_who_gives_and_who_takes() {
    let upper = at(2, &["balancing.dynamic.transfer.upper_bound = 2"]);
    assert_eq!(cores(&upper, &FOUR[..2]), ["A 0-100  B 100-200", ""]);
    assert_eq!(cores(&upper, &FOUR[..3]), ["A 0-100  C 100-200", "B 10-110"]);
    let both = "balancing.dynamic.transfer = {policy='threshold', lower_bound=2, upper_bound=2}";
    // At 10 B, at 20 no task: core 1 has 1 < 2, but core 0 has 3 > 2: C too.
    let expected = ["A 0-100  D 100-200", "B 10-110  C 110-210"];
    assert_eq!(cores(&at(2, &[both]), &FOUR), expected);
}

/// B (4), C (8) and D (12) wait behind A.
#[test]
fn the_best_or_the_worst_priority_goes_first() {
    let requests = [(0.0, "high 100"), (0.0, "low 100"), (0.0, "100"), (0.0, "high 100")];
    let run = |preferred: &str| {
        let change = format!("balancing.dynamic.selection.preferred_priority = '{preferred}'");
        let case = at(2, &[&change]).service("high", "priority = 12");
        cores(&case.service("low", "priority = 4"), &requests)
    };
    assert_eq!(run("high"), ["A 0-100  C 100-200", "D 10-110  B 110-210"]);
    assert_eq!(run("low"), ["A 0-100  D 100-200", "B 10-110  C 110-210"]);
}

/// Slices of 30, attempts each 40. At 40 A has expired, B runs and C is active: A goes, into the
/// expired array of core 1, which changes places with the empty one. At 120 B expires. Then core 1,
/// idle since 110, takes it; B has had 60, and C 30.
#[test]
fn the_expired_go_before_the_active() {
    let case = periodic(2, "40ms")
        .with("run_queues.arrays = 'active-and-expired'")
        .with("time_sharing.slice.length = '30ms'");
    let expected = ["A 0-30  B 30-60  C 60-90  B 90-120  C 120-190", "A 40-110  B 120-160"];
    assert_eq!(cores(&case, &FOUR[..3]), expected);
}

/// Slices of 10. At 40 B runs, C left the core at 30 and A at 40.
#[test]
fn who_ran_a_moment_ago_stays() {
    let run = |affinity: &str| {
        let case = periodic(2, "40ms")
            .with("time_sharing.slice.length = '10ms'")
            .with(&format!("balancing.dynamic.selection.cache_affinity = '{affinity}'"));
        cores(&case, &[(0.0, "30"), (0.0, "30"), (0.0, "30")])
    };
    let moved = ["A 0-10  B 10-20  C 20-30  A 30-40  B 40-50  A 50-60  B 60-70", "C 40-60"];
    assert_eq!(run("10ms"), moved);
    assert_eq!(run("11ms")[1], "");
}

/// B may run on core 0 only.
#[test]
fn a_bound_task_stays_where_it_may_run() {
    let run = |affinity: bool| {
        let case =
            at(2, &[&format!("balancing.dynamic.selection.processor_affinity = {affinity}")]);
        let case = case.service("bound", "cores = [0]");
        cores(&case, &[(0.0, "100"), (0.0, "bound 100"), (0.0, "100")])
    };
    assert_eq!(run(true), ["A 0-100  B 100-200", "C 10-110"]);
    assert_eq!(run(false), ["A 0-100  C 100-200", "B 10-110"]);
}

/// Two tasks since 0: their average over the last 20 ms is 1 at 10, 2 at 20.
#[test]
fn the_average_queue_length_lags_behind() {
    let index = "balancing.dynamic.load_index = {kind='average-queue-length', time_span='20ms'}";
    assert_eq!(cores(&at(2, &[index]), &FOUR[..2]), ["A 0-100", "B 20-120"]);
    // Over 25 ms at 20: 1.6, more than 1; over 40 ms at 20: 1, at 30: 1.5.
    let index = "balancing.dynamic.load_index = {kind='average-queue-length', time_span='40ms'}";
    assert_eq!(cores(&at(2, &[index]), &FOUR[..2]), ["A 0-100", "B 30-130"]);
}

const AGEING: &str =
    "balancing.dynamic.load_index = {kind='ageing-queue-length', weight=0.5, tick='10ms'}";

/// Three tasks, 384: aged 0, then (0 + 384 x 512 + 1023)/1024 -> 192 at 10, 288 at 20. Attempts at
/// multiples of 11: above 128 at 11, above 256 at 22 only.
#[test]
fn the_ageing_queue_length_of_a_giver_rises_slowly() {
    let case = periodic(2, "11ms").with(AGEING);
    assert_eq!(cores(&case, &FOUR[..3])[1], "B 11-111");
    let case = case.with("balancing.dynamic.transfer.upper_bound = 2");
    assert_eq!(cores(&case, &FOUR[..3]), ["A 0-100  C 100-200", "B 22-122"]);
}

/// Core 1 has two tasks of 30: aged 128, 192, 224, then 176, 152, 140 at 60 (rounded down while
/// it falls; at 60 one is still there). Then it is idle, and 70 from 70 on: below 128 at 77, not
/// at 66.
#[test]
fn the_ageing_queue_length_of_a_taker_falls_slowly() {
    let case = periodic(2, "11ms").with(AGEING).service("one", "cores = [1]");
    let requests = [(0.0, "300"), (0.0, "300"), (0.0, "one 30"), (0.0, "one 30")];
    assert_eq!(cores(&case, &requests), ["A 0-300", "C 0-30  D 30-60  B 77-377"]);
}

/// Core 2 gives; 0 and 3 are idle, and 1 is not.
#[test]
fn location_policies_choose_the_taker() {
    let run = |location: &str| {
        let case = at(4, &[&format!("balancing.dynamic.location = '{location}'")])
            .with("balancing.dynamic.selection.processor_affinity = false")
            .service("one", "cores = [1]")
            .service("two", "cores = [2]");
        let outcome = case.run(&[(0.0, "one 100"), (0.0, "two 100"), (0.0, "two 100")]);
        (0..4).map(|core| outcome.core(core)).collect::<Vec<_>>()
    };
    assert_eq!(run("broadcast"), ["C 10-110", "A 0-100", "B 0-100", ""]);
    assert_eq!(run("nearest-neighbour"), ["", "A 0-100", "B 0-100", "C 10-110"]);
}

/// At 10 core 0 is busy, and 1 takes; at 20 both are idle.
#[test]
fn memory_goes_to_the_last_taker() {
    let run = |location: &str| {
        let case = at(3, &[&format!("balancing.dynamic.location = '{location}'")])
            .with("balancing.dynamic.selection.processor_affinity = false")
            .service("two", "cores = [2]");
        cores(&case, &[(0.0, "15"), (0.0, "two 100"), (0.0, "two 5"), (0.0, "two 5")])
    };
    assert_eq!(run("memory"), ["A 0-15", "C 10-15  D 20-25"]);
    assert_eq!(run("broadcast"), ["A 0-15  D 20-25", "C 10-15"]);
}

/// Over 200 seeds each of two takers is drawn 100 times; 35 are five standard deviations (7.07): a
/// false alarm has a probability below 1e-6, and seeds are fixed.
#[test]
fn random_location_draws_among_the_takers() {
    let case = at(3, &["balancing.dynamic.location = 'random'"]);
    let first = (0..200).filter(|seed| {
        case.clone().seed(*seed).run(&[(0.0, "20"), (0.0, "20")]).core(1) == "B 10-30"
    });
    let first = first.count();
    assert!(first.abs_diff(100) <= 35, "{first}");
}

/// X is on core 1 until 10. A sender starts an attempt when B comes, a receiver when X is done.
#[test]
fn senders_or_receivers_ask() {
    let run = |who: &str, other: &str| {
        let case = quiet(2)
            .with("balancing.dynamic.information.state_change_driven = []")
            .with(&format!("balancing.dynamic.information.demand_driven = '{who}-initiated'"))
            .service("one", "cores = [1]");
        cores(&case, &[(0.0, other), (0.0, "100"), (1.0, "100")])
    };
    assert_eq!(run("sender", "one 10"), ["B 0-100  C 100-200", "A 0-10"]);
    assert_eq!(run("sender", "one 1"), ["B 0-100", "A 0-1  C 1-101"]);
    assert_eq!(run("receiver", "one 10"), ["B 0-100", "A 0-10  C 10-110"]);
    assert_eq!(run("receiver", "sleep 1, one 10").first().unwrap(), "B 0-100");
    assert_eq!(run("symmetrically", "one 10"), ["B 0-100", "A 0-10  C 10-110"]);
    assert_eq!(run("symmetrically", "one 1"), ["B 0-100", "A 0-1  C 1-101"]);
}

/// Bounds of 2: core 1 begins to take at 10, when it still has E. It takes from the three of core
/// 0, and runs E first.
#[test]
fn a_receiver_need_not_be_idle() {
    let case = quiet(2)
        .with("balancing.dynamic.information.state_change_driven = []")
        .with("balancing.dynamic.information.demand_driven = 'receiver-initiated'")
        .with("balancing.dynamic.transfer.upper_bound = 2")
        .with("balancing.dynamic.transfer.lower_bound = 2")
        .service("one", "cores = [1]");
    let requests = [(0.0, "100"), (0.0, "100"), (0.0, "100"), (0.0, "one 10"), (0.0, "one 30")];
    assert_eq!(cores(&case, &requests), ["A 0-100  C 100-200", "D 0-10  E 10-40  B 40-140"]);
}

/// A sleeps from 10 to 20; B is new at 5 and C done, on core 1, at 30.
#[test]
fn changes_of_state_start_balancing() {
    let run = |change: &str| {
        let case = quiet(2)
            .with(&format!("balancing.dynamic.information.state_change_driven = [{change}]"))
            .with("balancing.dynamic.information.periodic = '100s'")
            .service("one", "cores = [1]");
        cores(&case, &[(0.0, "10, sleep 10, 50"), (5.0, "100"), (15.0, "one 1"), (25.0, "one 5")])
    };
    // No task: B runs from 10 to 110, A after it.
    assert_eq!(run(""), ["A 0-10  B 10-110  A 110-160", "C 15-16  D 25-30"]);
    // B at 5 to the idle core 1, where C and D wait for it.
    assert_eq!(run("'on-fork'"), ["A 0-10  A 20-70", "B 5-105  C 105-106  D 106-111"]);
    // A at 20 to the idle core 1.
    assert_eq!(run("'on-wake'"), ["A 0-10  B 10-110", "C 15-16  A 20-70  D 70-75"]);
    // At 16 no task waits; at 30 A does.
    assert_eq!(run("'on-idle'"), ["A 0-10  B 10-110", "C 15-16  D 25-30  A 30-80"]);
}
