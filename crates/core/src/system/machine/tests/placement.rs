//! The core of a new or a woken task.

use super::Request;
use super::balancing::{cores, periodic, quiet};

#[test]
fn static_policies_choose_the_first_core() {
    let run = |policy: &str| {
        let case = quiet(3)
            .with("balancing.dynamic = false")
            .with(&format!("balancing.static.policy = '{policy}'"));
        let outcome = case.run(&[(0.0, "20"), (0.0, "5"), (0.0, "20"), (1.0, "10"), (6.0, "10")]);
        (0..3).map(|core| outcome.core(core)).collect::<Vec<_>>()
    };
    assert_eq!(run("cyclic-splitting"), ["A 0-20  D 20-30", "B 0-5  E 6-16", "C 0-20"]);
    assert_eq!(run("least-loaded"), ["A 0-20  D 20-30", "B 0-5  E 6-16", "C 0-20"]);
    let all = "A 0-20  B 20-25  C 25-45  D 45-55  E 55-65";
    assert_eq!(run("same-as-parent"), [all, "", ""]);
}

/// A continues at 20 on the idle core 1, and its parts begin there.
#[test]
fn parts_begin_on_the_core_of_their_parent() {
    let case =
        quiet(2).with("balancing.dynamic = false").with("balancing.static.woken = 'idle-core'");
    let requests = [(0.0, "10, sleep 10, 10, (20 | 20), 5"), (5.0, "100")];
    let expected = ["A 0-10  B 10-110", "A 20-75"];
    assert_eq!(cores(&case, &requests), expected);
}

/// Of 400 tasks 320 go to core 1, with a standard deviation of 8; 40 are five: a false alarm has a
/// probability below 1e-6, and the seed is fixed.
#[test]
fn random_policy_keeps_to_its_probabilities() {
    let case = quiet(2)
        .with("balancing.dynamic = false")
        .with("balancing.static = {policy = 'random', probabilities = [0.2, 0.8]}");
    let requests: Vec<Request<'_>> = (0..400).map(|at| (f64::from(at), "0.5")).collect();
    let outcome = case.run(&requests);
    let second = outcome.turns.iter().filter(|turn| turn.core == 1).count();
    assert!(second.abs_diff(320) <= 40, "{second}");
}

/// A task that wakes: on its last core, its first one, or an idle one.
#[test]
fn woken_tasks_go_where_the_policy_says() {
    let run = |woken: &str| {
        let case = periodic(2, "7ms")
            .with(&format!("balancing.static.woken = '{woken}'"))
            .service("one", "cores = [1]");
        // B begins on core 0, is moved to core 1 at 7, sleeps at 17, wakes at 20.
        cores(&case, &[(0.0, "18"), (0.0, "10, sleep 3, 10"), (0.0, "sleep 19, one 1")])
    };
    assert_eq!(run("last-core"), ["A 0-18", "B 7-17  C 19-20  B 20-30"]);
    assert_eq!(run("first-core"), ["A 0-18  B 20-30", "B 7-17  C 19-20"]);
    let busy = |woken: &str| {
        let case = quiet(2)
            .with("balancing.dynamic = false")
            .with(&format!("balancing.static.woken = '{woken}'"));
        cores(&case, &[(0.0, "10, sleep 10, 10"), (0.0, "30")])
    };
    assert_eq!(busy("last-core"), ["A 0-10  B 10-40  A 40-50", ""]);
    assert_eq!(busy("idle-core"), ["A 0-10  B 10-40", "A 20-30"]);
}
