//! Threads and the requests that they work for, on one machine or several.

use super::{Case, on};

/// Threads run one after another in slices of a second.
fn machine(cores: u32) -> Case {
    on("windows-server-2003", cores)
        .with("time_sharing.boosts = false")
        .with("time_sharing.starvation = false")
        .with("time_sharing.slice.length = '1s'")
        .with("time_sharing.slice.wait_costs = false")
}

fn w(threads: &str) -> Case {
    machine(1).service("w", &format!("threads = {threads}"))
}

/// A has the only thread until its last use of the service, including its sleep.
#[test]
fn a_thread_of_a_pool_waits_with_its_request() {
    let outcome = w("1").run(&[(0.0, "w 10, sleep 20, w 5"), (0.0, "w 10, sleep 20, w 5")]);
    assert_eq!(outcome.core(0), "A 0-10  A 30-35  B 35-45  B 65-70");
    assert_eq!(outcome.tasks(0), "A 0-10  A 30-45  A 65-70");
}

#[test]
fn a_pool_is_first_come_first_served_and_refuses_above_its_limit() {
    let outcome = w("1\nqueue_limit = 2").run(&[
        (0.0, "w 10"),
        (1.0, "w 10"),
        (2.0, "w 10"),
        (3.0, "w 10"),
        (11.0, "w 10"),
    ]);
    assert_eq!(outcome.ends(), ["10", "20", "30", "refused 3", "40"]);
}

/// One loop does all bursts in the order in which they come, and never waits.
#[test]
fn an_event_loop_does_not_wait_with_a_request() {
    let outcome =
        w("'event-loop'").run(&[(0.0, "w 10, sleep 15, w 5"), (0.0, "w 10"), (0.0, "w 20")]);
    assert_eq!(outcome.core(0), "A 0-10  B 10-20  C 20-40  A 40-45");
    assert_eq!(outcome.tasks(0), "A 0-45");
}

/// A is refused by `v` in the instant in which the loop has done its work. The loop is unchanged,
/// and continues with the next one.
#[test]
fn a_refusal_elsewhere_leaves_the_event_loop_alone() {
    for (at, case) in [machine(4), on("processor-sharing", 4)].into_iter().enumerate() {
        let case = case.service("w", "threads = 'event-loop'");
        let case = case.service("v", "threads = 1\nqueue_limit = 0");
        let requests =
            [(0.0, "v 30"), (1.0, "w 9, v 5"), (2.0, "w 10"), (3.0, "w 10"), (4.0, "w 10, v 5")];
        let outcome = case.run(&requests);
        assert_eq!(outcome.ends(), ["30", "refused 10", "20", "30", "45"]);
        if at == 0 {
            assert_eq!(outcome.tasks(1), "B 1-40", "one thread does it all");
        }
    }
}

/// Requests are dealt to the loops in turn, and stay with theirs.
#[test]
fn several_event_loops_take_requests_in_turn() {
    let case = machine(2).service("w", "threads = 'event-loop(2)'");
    let outcome = case.run(&[(0.0, "w 10"), (0.0, "w 30"), (0.0, "w 10"), (0.0, "w 10")]);
    assert_eq!(outcome.ends(), ["10", "30", "20", "40"]);
}

#[test]
fn per_request_threads_are_of_no_number() {
    let outcome = w("'per-request'").run(&[(0.0, "w 10, sleep 20, w 5"), (0.0, "w 10")]);
    assert_eq!(outcome.core(0), "A 0-10  B 10-20  A 30-35");
}

/// The only thread on `m` waits while `db` works for its request.
#[test]
fn a_thread_is_held_while_another_machine_works() {
    let db = "[[machine]]\nname = 'db'\nos = 'processor-sharing'";
    let outcome = w("1").table(db).run(&[(0.0, "w 10, db 20, w 5"), (0.0, "w 10")]);
    assert_eq!(outcome.ends(), ["35", "45"]);
    let outcome = w("2").table(db).run(&[(0.0, "w 10, db 20, w 5"), (0.0, "w 10")]);
    assert_eq!(outcome.ends(), ["35", "20"]);
    assert_eq!(outcome.summaries.len(), 2);
    assert!((outcome.summaries[1].core_loads[0] - 20.0 / 35.0).abs() < 1e-9);
}

/// Two services of one machine share its core; each has its own pool.
#[test]
fn services_of_a_machine_share_its_cores() {
    let case = w("1").service("v", "threads = 1\npriority = 'high'");
    let outcome =
        case.run(&[(0.0, "w 10, v 10, w 10"), (0.0, "w 10"), (5.0, "v 10"), (5.0, "v 10")]);
    // At 5 v's thread (12) takes the core; it serves C, then D, then A, which came at 30.
    assert_eq!(outcome.core(0), "A 0-5  C 5-15  D 15-25  A 25-50  B 50-60");
}

#[test]
fn parts_run_beside_each_other_and_join() {
    let outcome = machine(2).run(&[(0.0, "10, (30 | 20, sleep 15 | sleep 5, 10), 5")]);
    // The third part comes at 15 to two busy cores, and runs at 30, from the core that is free.
    assert_eq!(outcome.ends(), ["50"]);
}

#[test]
fn a_pool_of_one_place_lets_one_in() {
    let case = machine(2).table("[[pool]]\nname = 'p'\nsize = 1");
    let outcome = case.run(&[(0.0, "take p, 10, give p, 10"), (0.0, "take p, 10, give p, 10")]);
    assert_eq!(outcome.ends(), ["20", "30"]);
}

/// B holds the thread and waits for a place of the pool that A holds. A has no thread, and then
/// gives the place back. Nested use of two pools of one place in the same order.
#[test]
fn nested_pools_of_one_let_all_through() {
    let pools = "[[pool]]\nname = 'p'\nsize = 1\n[[pool]]\nname = 'q'\nsize = 1";
    let steps = "take p, w 1, take q, w 1, (1 | 1), give q, w 1, give p";
    let requests: Vec<(f64, &str)> = (0..20).map(|_| (0.0, steps)).collect();
    let outcome = w("2").table(pools).run(&requests);
    let last = outcome.ends().pop().unwrap();
    assert!(!last.contains("never"), "{:?}", outcome.ends());
}

/// The withdrawn requests: B, which waits for a thread; A, which runs; D, which holds the pool's
/// place and sleeps.
#[test]
fn requests_can_be_taken_back_wherever_they_are() {
    let waiting =
        w("1").run_with(&[(0.0, "w 10"), (1.0, "w 10"), (2.0, "w 10")], &[(1, 5.0, false)]);
    assert_eq!(waiting.ends(), ["10", "never", "20"]);
    let running = w("1").run_with(&[(0.0, "w 10"), (1.0, "w 10")], &[(0, 5.0, true)]);
    assert_eq!(running.ends(), ["never", "15"]);
    assert_eq!(running.core(0), "A 0-5  B 5-15");
    let in_service = w("1").run_with(&[(0.0, "w 10"), (1.0, "w 10")], &[(0, 5.0, false)]);
    assert_eq!(in_service.ends(), ["10", "20"]);
    let sleeping =
        w("1").run_with(&[(0.0, "w 10, sleep 50, w 10"), (1.0, "w 10")], &[(0, 20.0, true)]);
    assert_eq!(sleeping.ends(), ["never", "30"]);
    let case = w("2").table("[[pool]]\nname = 'p'\nsize = 1");
    let steps = "take p, w 10, sleep 50, give p";
    let holding = case.run_with(&[(0.0, steps), (1.0, steps)], &[(0, 20.0, true)]);
    assert_eq!(holding.ends(), ["never", "80"]);
    let looped = w("'event-loop'").run_with(
        &[(0.0, "w 10"), (1.0, "w 10"), (2.0, "w 10")],
        &[(0, 5.0, true), (1, 7.0, true)],
    );
    assert_eq!(looped.ends(), ["never", "never", "17"]);
    let ready = machine(1).run_with(&[(0.0, "10"), (1.0, "10")], &[(1, 5.0, true)]);
    assert_eq!(ready.ends(), ["10", "never"]);
    assert_eq!(ready.core(0), "A 0-10");
}

/// A core loses 1 ms when it turns to another task; this does not count as work.
#[test]
fn turning_to_another_task_costs_time() {
    let case =
        machine(1).with("time_sharing.slice.length = '10ms'").machine("context_switch = '1ms'");
    let outcome = case.run(&[(0.0, "20"), (0.0, "20")]);
    let switches = outcome.summaries[0].context_switches;
    // Two turns each; the very first turn follows no other task.
    assert!((3..=4).contains(&switches), "{switches}");
    let end = outcome.ends()[1].parse::<f64>().unwrap();
    assert!((end - 40.0 - switches as f64).abs() < 1e-9, "{end} with {switches}");
}

/// Bursts of zero and of 1 ns take no time, and no request is lost.
#[test]
fn demands_may_be_nothing() {
    for os in super::super::features::PRESETS.iter().map(|(name, _)| *name) {
        let outcome = on(os, 2).run(&[
            (0.0, "0"),
            (0.0, "0, sleep 0, 0, (0 | 0), 0"),
            (0.0, "1ns"),
            (1.0, "10"),
            (1.0, "0"),
            (1.0, "1ns, disk 0, 1ns, sleep 0, 0"),
        ]);
        assert!(outcome.ends().iter().all(|end| end != "never"), "{os}: {:?}", outcome.ends());
        assert_eq!(outcome.end.0.div_ceil(10), 1_100_000, "{os}: {:?}", outcome.ends());
    }
}
