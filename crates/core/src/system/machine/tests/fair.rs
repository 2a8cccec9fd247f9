//! CFS on one core without a tick: period 6 ms, so 3 ms for each of two tasks of one weight; no
//! turn below 0.75 ms; a woken task takes the core if it is behind by more than 1 ms.

use super::{Case, Outcome, letters, ns, on};

fn fair(cores: u32) -> Case {
    on("linux-cfs", cores).with("balancing.dynamic = false").with("time_sharing.tick = false")
}

fn share(outcome: &Outcome, until: f64) -> f64 {
    outcome.received(0, ns(until)).0 as f64 / ns(until).0 as f64
}

/// B comes behind A by its own slice: A's virtual time is 6 (one slice of its own), B's 6 + 3. A is
/// there at 3, and B continues, which came first to 9.
#[test]
fn equals_take_turns_of_half_a_period() {
    let outcome = fair(1).run(&[(0.0, "9"), (0.0, "9")]);
    assert_eq!(outcome.core(0), "A 0-3  B 3-6  A 6-9  B 9-12  A 12-15  B 15-18");
}

/// Nine tasks do not fit in a period of 6 by 0.75: it is 6.75 then, and each has 0.75.
#[test]
fn many_tasks_make_the_period_longer() {
    let turn = |tasks: usize| {
        let requests: Vec<(f64, &str)> = (0..tasks).map(|_| (0.0, "100")).collect();
        let outcome = fair(1).run(&requests);
        let turn = outcome.turns[3 * tasks];
        turn.until.since(turn.from)
    };
    assert_eq!((turn(4), turn(8)), (ns(1.5), ns(0.75)));
    assert_eq!((turn(9), turn(20)), (ns(0.75), ns(0.75)));
}

/// Weights 1024 : 335 and 1024 : 820. Over 10 s the shares are exact to a period.
#[test]
fn cores_are_shared_by_weight() {
    for (nice, expected) in [(5, 1024.0 / 1359.0), (1, 1024.0 / 1844.0)] {
        let case = fair(1).service("nice", &format!("priority = {nice}"));
        let outcome = case.run(&[(0.0, "5000"), (0.0, "nice 5000")]);
        let found = share(&outcome, 5000.0);
        assert!((found - expected).abs() < 6.0 / 5000.0, "nice {nice}: {found}");
    }
}

/// Slices of a period by weight: 6 x 1024/1359 = 4.521 and 6 x 335/1359 = 1.479.
#[test]
fn slices_are_parts_of_the_period_by_weight() {
    let case = fair(1).service("nice", "priority = 5");
    let outcome = case.run(&[(0.0, "100"), (0.0, "nice 100")]);
    let lengths: Vec<f64> = outcome.turns[4..10]
        .iter()
        .map(|turn| turn.until.since(turn.from).0 as f64 / 1e6)
        .collect();
    for pair in lengths.chunks(2) {
        let sum = pair[0] + pair[1];
        assert!((sum - 6.0).abs() < 0.01, "{lengths:?}");
    }
}

/// With two cores the factor is 2 and with eight 4: 6 ms and 12 ms for each of two tasks.
#[test]
fn times_grow_with_the_number_of_cores() {
    for (cores, turn) in [(1, 3), (2, 6), (4, 9), (8, 12), (128, 12)] {
        let case = fair(cores).service("one", "cores = [0]");
        let outcome = case.run(&[(0.0, "one 100"), (0.0, "one 100")]);
        let expected = format!("A 0-{turn}  B {turn}-{}  A ", 2 * turn);
        assert!(outcome.core(0).starts_with(&expected), "{cores}: {}", outcome.core(0));
    }
}

/// A sleeps at 1 with the virtual time 7; B comes to 9 and is at 29 when A wakes at 21. A is put at
/// 29 - 3 (half a period) and takes the core: 3 > 1. It is at 29 after its slice, and B goes first,
/// because it was there before. Then they alternate by 3; A has 1 left at 39.
#[test]
fn a_woken_task_is_half_a_period_ahead() {
    let outcome = fair(1).run(&[(0.0, "1, sleep 20, 10"), (0.0, "40")]);
    let expected = "A 0-1  B 1-21  A 21-24  B 24-27  A 27-30  B 30-33  A 33-36  B 36-39  A 39-40";
    assert_eq!(outcome.core(0), format!("{expected}  B 40-51"));
}

/// A is at 7 when it sleeps; B begins at 9 and is at 9.5 when A wakes: behind by 2.5, it takes the
/// core. With a wake-up granularity of 3 it does not, until B is ahead by a slice, 3, at 2 ms.
#[test]
fn a_woken_task_must_be_behind_by_more_than_the_granularity() {
    let run = |case: Case| case.run(&[(0.0, "1, sleep 0.5, 10"), (0.0, "40")]).core(0);
    let taken = run(fair(1));
    assert!(taken.starts_with("A 0-1  B 1-1.5  A 1.5-4.5  B 4.5-7.5"), "{taken}");
    let kept = run(fair(1).with("time_sharing.wakeup_granularity = '3ms'"));
    assert!(kept.starts_with("A 0-1  B 1-2  A 2-5  B 5-8"), "{kept}");
}

/// With a tick of 4 ms, slices of 3 ms end at multiples of 4.
#[test]
fn ends_of_slices_are_seen_at_ticks() {
    let case = fair(1).with("time_sharing.tick = '4ms'");
    let outcome = case.run(&[(0.0, "8"), (1.0, "8")]);
    assert_eq!(outcome.core(0), "A 0-4  B 4-8  A 8-12  B 12-16");
}

/// Each core has its own queue; four tasks on two cores have half a core each.
#[test]
fn the_least_loaded_core_takes_a_new_task() {
    let outcome = fair(2).run(&[(0.0, "30"), (0.0, "30"), (0.0, "30"), (0.0, "30")]);
    assert_eq!(letters(&outcome.core(0)).replace("AC", ""), "");
    assert_eq!(letters(&outcome.core(1)).replace("BD", ""), "");
}
