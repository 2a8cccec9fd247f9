//! Windows Server 2003: base priority 8, slices of 31.5 ms, a boost of 2 for new tasks.

use super::{Case, on};

fn windows(cores: u32) -> Case {
    on("windows-server-2003", cores)
}

/// Levels 10, 9, 8: a boost lasts for two slices. Equals take turns.
#[test]
fn equals_take_turns_of_a_slice() {
    let outcome = windows(1).run(&[(0.0, "100"), (0.0, "100")]);
    let first = "A 0-31.5  B 31.5-63  A 63-94.5  B 94.5-126  A 126-157.5  B 157.5-189";
    assert_eq!(outcome.core(0), format!("{first}  A 189-194.5  B 194.5-200"));
}

/// A new task precedes those that are two slices old, and after one slice only those at 8. B
/// (levels 10, 9, 8) comes at 70, when A is at 8 and has used 7 ms of its third slice. A waits
/// alone at the head of its list, and continues with 24.5.
#[test]
fn a_boost_lasts_for_two_slices() {
    let outcome = windows(1).run(&[(0.0, "150"), (70.0, "100")]);
    // B 70-133 at levels 10 and 9; at 133 it is at the tail of level 8, behind A. A's slice ends
    // after 24.5 at 157.5.
    let expected =
        "A 0-70  B 70-133  A 133-157.5  B 157.5-189  A 189-220.5  B 220.5-226  A 226-250";
    assert_eq!(outcome.core(0), expected);
}

/// At 100 A (8) waits. C (9) has used 5.5 of its slice and is preempted by the new B (10). C
/// continues with the 26 left, then it is at 8, behind A.
#[test]
fn who_is_preempted_goes_to_the_head_and_keeps_its_slice() {
    let outcome = windows(1).run(&[(0.0, "200"), (100.0, "20"), (0.0, "100")]);
    let first = "A 0-31.5  C 31.5-63  A 63-94.5  C 94.5-100  B 100-120  C 120-146";
    // C: 63 of 100 done; A's third slice, then C's, of which it needs 31.5, and 5.5 more.
    let then = "A 146-177.5  C 177.5-209  A 209-240.5  C 240.5-246  A 246-320";
    assert_eq!(outcome.core(0), format!("{first}  {then}"));
}

/// A has 21.5 of its slice left when it sleeps, 16.25 when it wakes. The timer raises nothing:
/// whatever boost A has left, B (10) has the core until 31.5 + 10 at least.
#[test]
fn a_wait_costs_a_third_of_a_tick_count() {
    let case = windows(1).with("time_sharing.boosts = false");
    let outcome = case.run(&[(0.0, "10, sleep 10, 100"), (0.0, "100")]);
    // B 10-41.5, A 16.25 until 57.75, then full slices.
    let expected =
        "A 0-10  B 10-41.5  A 41.5-57.75  B 57.75-89.25  A 89.25-120.75  B 120.75-152.25";
    assert!(outcome.core(0).starts_with(expected), "{}", outcome.core(0));
}

/// 31.5 - 27 = 4.5 is less than the cost of a wait: the slice is over, and A has a full one.
#[test]
fn a_wait_that_costs_all_of_the_slice_refills_it() {
    let case = windows(1).with("time_sharing.boosts = false");
    let outcome = case.run(&[(0.0, "27, sleep 1, 100"), (0.0, "100")]);
    let expected = "A 0-27  B 27-58.5  A 58.5-90  B 90-121.5";
    assert!(outcome.core(0).starts_with(expected), "{}", outcome.core(0));
}

/// B (8 to 10) waits behind A (12 to 14) from 500. At 4 s it has waited 3.5, at 5 s 4.5: it goes
/// first for two slices, 63 ms, and is at 8 then. From 5063 on it waits, until the check at 10 s.
#[test]
fn who_waits_for_four_seconds_is_rescued() {
    let case = windows(1).service("high", "priority = 'high'");
    let outcome = case.run(&[(0.0, "high 11000"), (500.0, "150")]);
    let expected =
        "A 0-5000  B 5000-5063  A 5063-10000  B 10000-10063  A 10063-11126  B 11126-11150";
    assert_eq!(outcome.core(0), expected);
}

/// C has a base level of 8 by 207, when A wakes: A takes the core if its wait raised it. The boost
/// of its beginning is spent, as it ran for two slices and 7 ms of a third.
#[test]
fn waits_raise_priorities_but_timers_do_not() {
    let run = |wait: &str| {
        let steps = format!("70, {wait}, 10");
        let case = windows(1).table("[[pool]]\nname = 'p'\nsize = 1");
        let holder = "take p, sleep 207, give p";
        case.run(&[(0.0, steps.as_str()), (0.0, holder), (70.0, "300")]).core(0)
    };
    // C: at 10 to 101.5, at 9 to 133, then at 8 by slices, one of which ends at 227.5.
    assert_eq!(run("sleep 137"), "A 0-70  C 70-227.5  A 227.5-237.5  C 237.5-380");
    assert_eq!(run("disk 137"), "A 0-70  C 70-207  A 207-217  C 217-380");
    assert_eq!(run("take p, give p"), "A 0-70  C 70-207  A 207-217  C 217-380");
}

/// A goes to core 0, B to 1, C to 0, D to 1, E to 0, regardless of the queues. When D is done at
/// 10, core 1 takes one task of core 0: the longest-waiting of the best level, C. When C is done
/// there at 110, core 0 runs E, and A waits: one is moved again.
#[test]
fn tasks_are_dealt_in_turn_and_an_idle_core_takes_one() {
    let outcome =
        windows(2).run(&[(0.0, "100"), (0.0, "5"), (0.0, "100"), (0.0, "5"), (0.0, "100")]);
    let core = "A 0-31.5  E 31.5-63  A 63-94.5  E 94.5-163";
    assert_eq!(outcome.core(0), core);
    assert_eq!(outcome.core(1), "B 0-5  D 5-10  C 10-110  A 110-147");
}

/// The third task is dealt to core 0, where A runs, and core 1 is idle: it is moved at once.
#[test]
fn an_idle_core_takes_the_new_task() {
    let outcome = windows(2).run(&[(0.0, "100"), (0.0, "10"), (20.0, "30")]);
    assert_eq!(outcome.core(0), "A 0-100");
    assert_eq!(outcome.core(1), "B 0-10  C 20-50");
}

/// One queue for all: no core is idle while a task waits.
#[test]
fn windows_xp_has_one_queue() {
    let outcome = on("windows-xp", 2).run(&[(0.0, "60"), (0.0, "20"), (0.0, "20"), (0.0, "40")]);
    // Core 1: B to 20, C to 40, then D, new at level 10. At 31.5 A is at 9 and D not yet begun: D
    // takes core 0; at 40 core 1 takes A (9).
    assert_eq!(outcome.core(0), "A 0-31.5  D 31.5-71.5");
    assert_eq!(outcome.core(1), "B 0-20  C 20-40  A 40-68.5");
}
