//! The O(1) scheduler of Linux 2.6.22, one core by default, tasks of nice 0.
//!
//! A new task has the bonus floor(10 x 0.95) = 9, a sleep average of 900 ms and so level 0 - 4. It
//! is interactive (level <= -2), and alternates with its equals after 10 ms x 2^(10 - bonus - 1).

use super::{Case, on};

/// All tasks stay on the core where they began, which is core 0.
fn linux(cores: u32) -> Case {
    on("linux-2.6.22", cores)
        .with("balancing.dynamic = false")
        .with("balancing.static.policy = 'same-as-parent'")
}

/// Without bonuses, so that a slice is visible from end to end.
fn plain() -> Case {
    linux(1)
        .with("time_sharing.interactivity = false")
        .with("time_sharing.slice.granularity = false")
}

/// New tasks have never slept: sleep average 0, level 5 below the static one.
fn sleepless() -> Case {
    linux(1).with("time_sharing.interactivity.creator_sleep_average = '0s'")
}

fn nice(case: Case, value: i32) -> Case {
    case.service(&format!("n{value}"), &format!("priority = {value}"))
}

/// 400 x (140 - static) / 20 below 120, 100 x (140 - static) / 20 above, never below 5.
#[test]
fn slices_follow_the_nice_value() {
    let slices = [(-20, 800), (-10, 600), (-1, 420), (0, 100), (10, 50), (18, 10), (19, 5)];
    for (value, slice) in slices {
        let steps = format!("n{value} {}", 2 * slice);
        let outcome = nice(plain(), value).run(&[(0.0, &steps), (0.0, &steps)]);
        let [two, three, four] = [2, 3, 4].map(|times| times * slice);
        let expected = format!("A 0-{slice}  B {slice}-{two}  A {two}-{three}  B {three}-{four}");
        assert_eq!(outcome.core(0), expected, "nice {value}");
    }
}

/// No task goes twice before the expired have gone once: A (nice 19, slices of 5) gets a slice for
/// each of B's (100), although B is better.
#[test]
fn the_expired_wait_until_the_arrays_change_places() {
    let outcome = nice(plain(), 19).run(&[(0.0, "n19 20"), (0.0, "250")]);
    assert_eq!(outcome.core(0), "B 0-100  A 100-105  B 105-205  A 205-210  B 210-260  A 260-270");
}

/// Levels: nice -16 with bonus 9 is -20, nice -15 is -19, and nice -20 is limited to -20.
#[test]
fn a_new_task_is_four_levels_above_its_nice_value() {
    let run = |value: i32| {
        let case = nice(nice(linux(1), value), -20);
        let steps = format!("n{value} 50");
        case.run(&[(0.0, steps.as_str()), (5.0, "n-20 10")]).core(0)
    };
    // Equals wait: B runs when A has had a granule of 10.
    assert_eq!(run(-16), "A 0-10  B 10-20  A 20-60");
    // Better by one level: at once.
    assert_eq!(run(-15), "A 0-5  B 5-15  A 15-60");
}

/// Granules of one slice. After 10 ms the sleep average is 900 - 10/9 = 898.9, bonus 8: granules
/// of 20, at 20, 40, 60 and 80 of the slice. At 80 there are 20 left, which is a granule: change.
/// At 100 the slice is over, level anew -3, interactive: the tail of the active list.
#[test]
fn interactive_equals_change_after_a_granule() {
    let outcome = linux(1).run(&[(0.0, "120"), (0.0, "120")]);
    let first = "A 0-10  B 10-20  A 20-30  B 30-40  A 40-60  B 60-80  A 80-100  B 100-120";
    let then = "A 120-140  B 140-160  A 160-180  B 180-200  A 200-220  B 220-240";
    assert_eq!(outcome.core(0), format!("{first}  {then}"));
}

/// On two cores granules are twice as long: 20 at bonus 9, then 40 at bonus 8 (900 - 20/9). At 40
/// of the slice there are 60 left: change. At 80 there are 20 left, less than 40: no change.
#[test]
fn granules_grow_with_the_number_of_cores() {
    let outcome = linux(2).run(&[(0.0, "150"), (0.0, "150")]);
    let first = "A 0-20  B 20-40  A 40-60  B 60-80  A 80-140  B 140-200";
    // The second slices: 897.8 - 20/8 - 60/8 = 887.8, bonus 8 still: 40, then the last 10.
    assert_eq!(outcome.core(0), format!("{first}  A 200-240  B 240-280  A 280-290  B 290-300"));
    assert_eq!(outcome.core(1), "");
}

/// 960: A slept 950 ms, more than the ceiling 100 x (5 + 2 + 1) - 4 = 796: its sleep average is
/// 796, bonus 7, level -2: it takes the core from C (level +5, 50 ms of its slice used) with the
/// 90 ms left of its own slice. The first expiry since the arrays changed (at 810) was B's at 910.
/// Slices of A end at 1050, 1150 and 1250: 140, 240 and 340 ms later. With three tasks here the
/// limit is 3 x 100: at 1250 A is starving others and expires. C has 50 ms left, the arrays change.
#[test]
fn interactive_tasks_expire_when_others_starve() {
    let case = sleepless().with("time_sharing.starvation.limit = '100ms'");
    let outcome = case.run(&[(0.0, "10, sleep 950, 600"), (0.0, "600"), (0.0, "600")]);
    let before = "A 0-10  B 10-110  C 110-210  B 210-310  C 310-410  B 410-510  C 510-610";
    let after = "B 610-710  C 710-810  B 810-910  C 910-960  A 960-1250  C 1250-1300";
    // The bonus of 7 lasts to the end (796 - 600/7 = 710).
    let end = "A 1300-1610  B 1610-1710  C 1710-1810";
    assert_eq!(outcome.core(0), format!("{before}  {after}  {end}"));
}

/// The same with a limit that is never reached: A keeps the core to its end.
#[test]
fn interactive_tasks_stay_active_else() {
    let outcome = sleepless().run(&[(0.0, "10, sleep 950, 600"), (0.0, "600"), (0.0, "600")]);
    assert!(outcome.core(0).contains("C 910-960  A 960-1560  C 1560-1610"), "{}", outcome.core(0));
}

/// A wakes at 960, when B has used 50 ms of its slice, with the sleep average 796 and 90 ms of its
/// own slice. It is interactive at 1050, 1150, ...: 796 - (90 + 6 x 100)/7 = 697.4 is paid at 1650,
/// when the level was still computed from 711.7. At 1750 the bonus is 6: A expires, and then all
/// take turns.
#[test]
fn running_wears_the_bonus_off() {
    let outcome = sleepless().run(&[(0.0, "10, sleep 950, 1000"), (0.0, "1300")]);
    let line = outcome.core(0);
    let end = "A 960-1750  B 1750-1800  A 1800-1900  B 1900-2000  A 2000-2100";
    assert!(line.starts_with(&format!("A 0-10  B 10-960  {end}")), "{line}");
}

/// A (nice 5) is interactive after 896 ms (delta 3, ceiling 100 x 9 - 4), level 5 - 3 = 2. B's
/// expiry at 1110 is of a better static priority: A, which wakes at 1160, expires after the 65 ms
/// left of its 75. C has 50 left; then the arrays change and A is the best of all.
#[test]
fn an_expired_task_of_better_static_priority_is_starved_by_none() {
    let case = nice(sleepless(), 5);
    let outcome = case.run(&[(0.0, "n5 10, sleep 950, n5 200"), (0.0, "900"), (0.0, "900")]);
    let line = outcome.core(0);
    let expected = "B 1010-1110  C 1110-1160  A 1160-1225  C 1225-1275  A 1275-1410  B 1410-1510";
    assert!(line.contains("C 100-200  A 200-210  B 210-310"), "{line}");
    assert!(line.contains(expected), "{line}");
}

/// A timer's sleep of 500 makes 898.9 + 500 -> 1000, level -5: better than the new B at -4. A
/// disk's adds nothing above the ceiling: 898.9, level -3, and A waits.
#[test]
fn a_disk_makes_nobody_more_interactive_than_the_ceiling() {
    let run = |wait: &str| {
        let steps = format!("10, {wait} 500, 20");
        linux(1).run(&[(0.0, steps.as_str()), (505.0, "50")]).core(0)
    };
    assert_eq!(run("sleep"), "A 0-10  B 505-510  A 510-530  B 530-575");
    assert_eq!(run("disk"), "A 0-10  B 505-555  A 555-575");
}

/// A wakes at 560 with a sleep average of 550, level 0, and waits until 720 for C (nice -5, level
/// 0). An interrupt's wake counts all of the 160: 710, bonus 7, so that A is interactive when the
/// 90 left of its slice end at 810, and continues to 910 (697 then). A task's wake counts 30 %:
/// 598.
#[test]
fn waiting_after_a_wake_counts_as_sleep() {
    let run = |wait: &str, holder: &str| {
        let steps = format!("10, {wait}, 300");
        let case = nice(sleepless(), -5).table("[[pool]]\nname = 'p'\nsize = 1");
        case.run(&[
            (0.0, holder),
            (0.0, "sleep 1, 1000"),
            (520.0, "n-5 200"),
            (0.0, steps.as_str()),
        ])
    };
    let by_timer = run("sleep 550", "sleep 1").core(0);
    assert!(by_timer.contains("C 520-720  D 720-910  B 910-"), "{by_timer}");
    let by_task = run("take p, give p", "take p, sleep 560, give p").core(0);
    assert!(by_task.contains("C 520-720  D 720-810  B 810-"), "{by_task}");
}

/// An I/O sleeper never rises above the ceiling, and its wait for a core does not count: A wakes at
/// 710 with 700, level -2, and waits for C (level -15) until 1000. The new D (nice -8, level -3)
/// takes the core from it. A timer's sleeper has 1000 then, level -5, and continues.
#[test]
fn waiting_after_a_disk_counts_nothing() {
    let run = |wait: &str| {
        let steps = format!("10, {wait} 700, 80");
        let case = nice(nice(sleepless(), -20), -8);
        case.run(&[
            (0.0, steps.as_str()),
            (1.0, "sleep 100, 2000"),
            (700.0, "n-20 300"),
            (1010.0, "n-8 20"),
        ])
    };
    let timer = run("sleep").core(0);
    assert!(timer.contains("C 700-1000  A 1000-1080  D 1080-1100"), "{timer}");
    let disk = run("disk").core(0);
    assert!(disk.contains("C 700-1000  A 1000-1010  D 1010-1030  A 1030-1100"), "{disk}");
}

/// The parent has 70 of its slice left at 30: the first child gets 35 of it, the second 17.5. Its
/// bonus is then 8 (900 - 30/9), theirs floor(7.6) = 7: level -2, granules of 40. The first one has
/// a full slice from 65, and bonus 6 (700 - 35/7), so granules of 80: no granule ends before its
/// end.
#[test]
fn a_fork_shares_the_slice_of_its_creator() {
    let outcome = linux(1).run(&[(0.0, "30, (100 | 100), 10")]);
    let expected = "A 0-30  B 30-65  C 65-82.5  B 82.5-147.5  C 147.5-230  A 230-240";
    assert_eq!(outcome.tasks(0), expected);
}
