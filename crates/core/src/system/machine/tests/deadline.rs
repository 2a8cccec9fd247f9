//! EEVDF. Examples of the kernel's commit messages have a quantum of 8; here that is 8 ms, without
//! a tick.

use thinktime_file::time::Nanos;

use super::{Case, Outcome, letters, ns, on};

fn deadline(slice: &str) -> Case {
    on("linux-eevdf", 1)
        .with("balancing.dynamic = false")
        .with("time_sharing.tick = false")
        .with("time_sharing.half_first_slice = false")
        .with(&format!("time_sharing.slice = '{slice}'"))
}

fn nice(case: Case, values: &[i32]) -> Case {
    values.iter().fold(case, |case, value| {
        case.service(&format!("n{value}"), &format!("priority = {value}"))
    })
}

/// Request 8, four equal tasks: ABCD, and again.
#[test]
fn four_equal_tasks_take_turns() {
    let requests: Vec<(f64, &str)> = (0..4).map(|_| (0.0, "24")).collect();
    let outcome = deadline("8ms").run(&requests);
    let line = outcome.core(0);
    assert_eq!(letters(&line), "ABCDABCDABCD", "{line}");
    assert!(line.starts_with("A 0-8  B 8-16  C 16-24  D 24-32  A 32-40"), "{line}");
}

/// Weights 1, 1 and 2 (nice 18, 18 and 15: 18, 18 and 36), request 16. In virtual time a request is
/// 16 for A and B, 8 for C. A is there first and runs to 16. From then on C has a turn for each of
/// A's and of B's, and in 64 ms all have their share, as in AACCBBCC. (At 32 ms B and C have the
/// same deadline: their order then decides whether C's two turns follow each other.)
#[test]
fn a_task_of_twice_the_weight_has_two_turns_for_one() {
    let requests = [(0.0, "n18 160"), (0.0, "n18 160"), (0.0, "n15 320")];
    let outcome = nice(deadline("16ms"), &[18, 15]).run(&requests);
    let turns = turns_of(&outcome, 16);
    for cycle in turns.chunks(4) {
        let count = |who: char| cycle.iter().filter(|one| **one == who).count();
        let counts = [count('A'), count('B'), count('C')];
        assert_eq!(counts, [1, 1, 2], "{}", outcome.core(0));
    }
}

/// The schedule, a letter for each `turn` ms.
fn turns_of(outcome: &Outcome, turn: u64) -> Vec<char> {
    let length = outcome.turns.iter().map(|one| one.until.0).max().unwrap();
    let at = |at: u64| {
        let middle = Nanos(at * turn * 1_000_000 + turn * 500_000);
        let here = outcome.turns.iter().find(|one| one.from <= middle && middle < one.until);
        here.map_or('-', |one| char::from(b'A' + one.session as u8))
    };
    (0..length / (turn * 1_000_000)).map(at).collect()
}

/// Weights 1024 : 335.
#[test]
fn the_core_is_shared_by_weight() {
    let outcome = nice(deadline("3ms"), &[5]).run(&[(0.0, "5000"), (0.0, "n5 5000")]);
    let share = outcome.received(0, ns(5000.0)).0 as f64 / 5e9;
    assert!((share - 1024.0 / 1359.0).abs() < 6.0 / 5000.0, "{share}");
}

/// Stoica and Abdel-Wahab, theorem: -r < lag < max(r, tick) for tasks that stay. The lag is the
/// time owed to a task: its share less the time it had. All begin at 0.
#[test]
fn nobody_is_ever_owed_or_owes_more_than_a_request() {
    let values = [0, 5, -3, 10, 0];
    let weights = [1024.0, 335.0, 1991.0, 110.0, 1024.0];
    let total: f64 = weights.iter().sum();
    let steps: Vec<String> = values.iter().map(|value| format!("n{value} 4000")).collect();
    let requests: Vec<(f64, &str)> = steps.iter().map(|one| (0.0, one.as_str())).collect();
    let outcome = nice(deadline("3ms"), &[0, 5, -3, 10]).run(&requests);
    for ms in 1..2000 {
        for (at, weight) in weights.iter().enumerate() {
            let now = ns(f64::from(ms));
            let received = outcome.received(at as u64, now).0 as f64 / 1e6;
            let lag = f64::from(ms) * weight / total - received;
            assert!(lag > -3.0 - 1e-3 && lag < 3.0 + 1e-3, "{lag} of {at} at {ms} ms");
        }
    }
}

/// B (nice -5, 3121) comes at 3 and is put at V = 3, with the deadline 3 + 8 x 1024/3121 = 5.6,
/// before A's 8. A is at V, so it is eligible: under run-to-parity it keeps the core to the end of
/// its request.
#[test]
fn run_to_parity_protects_the_running_task() {
    let run = |parity: bool| {
        let case =
            nice(deadline("8ms"), &[-5]).with(&format!("time_sharing.run_to_parity = {parity}"));
        case.run(&[(0.0, "30"), (3.0, "n-5 3")]).core(0)
    };
    assert_eq!(run(true), "A 0-8  B 8-11  A 11-33");
    assert_eq!(run(false), "A 0-3  B 3-6  A 6-33");
}

/// Equal weights. A new task's first request may be half of one: B (at 2, deadline 2 + 4) goes
/// before A, whose second request ends at 4 + 8. Without it B's deadline is 10, A's 8.
#[test]
fn a_new_task_may_have_half_a_request() {
    let run = |half: bool| {
        let case = deadline("8ms").with(&format!("time_sharing.half_first_slice = {half}"));
        case.run(&[(0.0, "20"), (2.0, "10")]).core(0)
    };
    // A's first request is 4 too. At 4 it is at 4, V = (4 + 2)/2 = 3. B runs its 4, is at 6, V = 5:
    // A (4, deadline 12) runs to 12, B (6, 14) for 8 of which it needs 6.
    assert_eq!(run(true), "A 0-4  B 4-8  A 8-16  B 16-22  A 22-30");
    // A to 8; V = (8 + 2)/2 = 5; B 8 of its 10, at 10; V = 9: A (8, 16), at 16; V = 13: B ends.
    assert_eq!(run(false), "A 0-8  B 8-16  A 16-24  B 24-26  A 26-30");
}

/// A clock that ticks each 4 ms, and requests of 1.4 ms. A is alone at first, and has a new
/// deadline at each tick or arrival at which it is past the old one: at 2 that is 3.4, at 4 it is
/// 5.4, at 6 it is 7.4. B comes to A's own virtual time, with a deadline 1.4 later. At 2 and 6 the
/// deadlines are equal, and of equals the running task gives way. At 5 A's is earlier: it continues
/// to the tick at 8, when it is at 8 and V = 6.5.
#[test]
fn deadlines_are_renewed_at_ticks() {
    let run = |at: f64| ticking().run(&[(0.0, "30"), (at, "1")]).core(0);
    assert_eq!(run(2.0), "A 0-2  B 2-3  A 3-31");
    assert_eq!(run(5.0), "A 0-8  B 8-9  A 9-31");
    assert_eq!(run(6.0), "A 0-6  B 6-7  A 7-31");
}

/// As before B comes at 5, and A continues. But its turn was over long ago, so it is no longer
/// protected: C's arrival at 5.2 triggers a check. A is at 5.2, B at 5, C comes to V = 5.1: B goes,
/// then C (V = 5.15), then A.
#[test]
fn who_goes_on_after_its_turn_is_not_protected() {
    let outcome = ticking().run(&[(0.0, "30"), (5.0, "1"), (5.2, "1")]);
    assert_eq!(outcome.core(0), "A 0-5.2  B 5.2-6.2  C 6.2-7.2  A 7.2-32");
}

fn ticking() -> Case {
    deadline("1400us").with("time_sharing.tick = '4ms'")
}

/// At 8 A is at 8, B at 0, V = 4: A, which owes 4, sleeps. At 12 B is at 4, which is V. A's lag of
/// -4 must stay although A moves V: A is put at 4 + 4 x (1 + 1)/1 = 12, V = 8. B has the deadline 8
/// until 16, then 16, and is eligible (8 <= 10) until 24. At 24 B is at 16, V = 14: A. Without lag
/// A is put at 4, with the deadline 12, and B goes first with 8, then A.
#[test]
fn sleep_keeps_what_is_owed() {
    let run = |keep: bool| {
        let case = deadline("8ms")
            .with("time_sharing.delayed_dequeue = false")
            .with(&format!("time_sharing.keep_lag = {keep}"));
        case.run(&[(0.0, "8, sleep 4, 8"), (0.0, "40")]).core(0)
    };
    assert_eq!(run(true), "A 0-8  B 8-24  A 24-32  B 32-56");
    assert_eq!(run(false), "A 0-8  B 8-16  A 16-24  B 24-56");
}

/// The same with a sleep that A pays for in the queue: it stays in V. At 8 V = 4; B runs to 16, at
/// 8 then, V = 8: A is eligible again, has paid, and is taken out. At 12 it has not: it wakes where
/// it is, at 8 with its deadline 16, as if it had never slept.
#[test]
fn who_owes_pays_while_it_sleeps() {
    let run = |sleep: &str| {
        let steps = format!("8, sleep {sleep}, 8");
        let case = deadline("8ms").with("time_sharing.delayed_dequeue = true");
        case.run(&[(0.0, steps.as_str()), (0.0, "40")]).core(0)
    };
    assert_eq!(run("4"), "A 0-8  B 8-16  A 16-24  B 24-56");
    // At 28 B is at 20, beyond its deadline of 16, and has a new one: 28. A, taken out at 16
    // without lag, is put at 20 with the deadline 28 too, and of equals the running task gives way.
    assert_eq!(run("20"), "A 0-8  B 8-28  A 28-36  B 36-56");
}
