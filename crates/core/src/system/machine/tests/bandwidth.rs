//! CPU limits: schedules worked out by hand from the kernel's rules, and what no limit may break.

use proptest::prelude::*;
use thinktime_file::time::Nanos;

use super::super::LimitSummary;
use super::properties::{case, requests, workload};
use super::{Case, Outcome, on};

/// A machine under EEVDF that notices at once if runtime is used up.
fn exact(cores: u32, limit: &str) -> Case {
    on("linux-eevdf", cores).with("time_sharing.tick = false").machine(limit)
}

fn limit(outcome: &Outcome) -> &LimitSummary {
    &outcome.summaries[0].limits[0]
}

#[test]
fn a_task_runs_for_its_quota_in_each_period() {
    let outcome = exact(1, "quota = '50ms'").run(&[(0.0, "200")]);
    assert_eq!(outcome.core(0), "A 0-50  A 100-150  A 200-250  A 300-350");
    let figures = LimitSummary {
        service: "m".into(),
        periods: 3,
        throttled_periods: 3,
        throttled_s: limit(&outcome).throttled_s,
        waited_s: limit(&outcome).waited_s,
    };
    assert_eq!(limit(&outcome), &figures);
    assert!((figures.throttled_s - 0.15).abs() < 1e-12);
    assert!((figures.waited_s - 0.15).abs() < 1e-12);
}

#[test]
fn a_limit_in_cores_is_a_quota() {
    for written in ["'500m'", "'0.5'", "0.5"] {
        let outcome = exact(1, &format!("cpu_limit = {written}")).run(&[(0.0, "200")]);
        assert_eq!(outcome.ends(), ["350"], "{written}");
    }
    let outcome = exact(1, "cpu_limit = '500m'\nperiod = '10ms'").run(&[(0.0, "20")]);
    assert_eq!(outcome.core(0), "A 0-5  A 10-15  A 20-25  A 30-35");
}

/// With ticks of 4 ms, 5 ms are used up at 8 ms: 3 ms are owed then, and drawn with the next slice.
/// What a period used too much, the next one lacks.
#[test]
fn ticks_notice_late_and_the_debt_is_paid() {
    let outcome = on("linux-eevdf", 1).machine("quota = '50ms'").run(&[(0.0, "200")]);
    assert_eq!(outcome.core(0), "A 0-52  A 100-148  A 200-252  A 300-348");
}

#[test]
fn two_cores_draw_from_one_pool() {
    let outcome = exact(2, "quota = '50ms'").run(&[(0.0, "40"), (0.0, "40")]);
    assert_eq!(outcome.core(0), "A 0-25  A 100-115");
    assert_eq!(outcome.core(1), "B 0-25  B 100-115");
    assert_eq!(limit(&outcome).throttled_periods, 1);
    assert!((limit(&outcome).throttled_s - 0.15).abs() < 1e-12, "75 ms on each core");
}

/// A uses 5 of 20 ms, and its core keeps 1 ms: 14 ms are left for later.
#[test]
fn burst_keeps_what_a_period_leaves() {
    let requests = [(0.0, "5"), (150.0, "60")];
    let without = exact(1, "quota = '20ms'").run(&requests);
    assert_eq!(without.core(0), "A 0-5  B 150-171  B 200-220  B 300-319");
    let with = exact(1, "quota = '20ms'\nburst = '20ms'").run(&requests);
    assert_eq!(with.core(0), "A 0-5  B 150-185  B 200-220  B 300-305");
}

#[test]
fn a_task_that_comes_to_a_throttled_core_waits() {
    // A ends before its slice of 0.7 ms does.
    let outcome = exact(1, "quota = '20ms'").run(&[(0.0, "20.5"), (50.0, "5")]);
    assert_eq!(outcome.core(0), "A 0-20  A 100-100.5  B 100.5-105.5");
    let waited = outcome.summaries[0].run_queue_mean * 105.5;
    assert!((waited - 0.5).abs() < 1e-9, "B waits for a core from 100 to 100.5 alone");
    let throttled = limit(&outcome).waited_s;
    assert!((throttled - 0.13).abs() < 1e-12, "A from 20 and B from 50, to 100: {throttled}");
}

/// A sleeps when the runtime is used up. The core is throttled without tasks, and the clock of its
/// throttled time begins when A wakes, as since Linux 6.6.
#[test]
fn a_core_without_tasks_may_be_throttled() {
    let outcome = exact(1, "quota = '10ms'").run(&[(0.0, "10, sleep 20, 10")]);
    assert_eq!(outcome.core(0), "A 0-10  A 100-110");
    assert_eq!((limit(&outcome).periods, limit(&outcome).throttled_periods), (1, 1));
    assert!((limit(&outcome).throttled_s - 0.07).abs() < 1e-12);
}

#[test]
fn groups_have_periods_of_their_own() {
    let case =
        exact(1, "").service("a", "quota = '20ms'").service("b", "quota = '10ms'\nperiod = '50ms'");
    let outcome = case.run(&[(0.0, "a 40"), (30.0, "b 25")]);
    assert_eq!(outcome.core(0), "A 0-20  B 30-40  B 80-90  A 100-120  B 130-135");
    let names: Vec<&str> =
        outcome.summaries[0].limits.iter().map(|one| one.service.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
}

#[test]
fn a_throttled_group_leaves_the_core_to_its_neighbour() {
    let case = exact(1, "").service("a", "quota = '20ms'");
    let outcome = case.run(&[(0.0, "a 40"), (29.9, "70.2")]);
    // A comes back at 100, and takes no busy core at once.
    assert_eq!(outcome.core(0), "A 0-20  B 29.9-100.1  A 100.1-120.1");
}

/// The timer stands still after a period without a draw, and continues as if it had not: 500 is
/// the begin of a period, and 550 is not.
#[test]
fn periods_keep_their_grid_over_a_pause() {
    let outcome = exact(1, "quota = '20ms'").run(&[(0.0, "10"), (450.0, "30")]);
    assert_eq!(outcome.core(0), "A 0-10  B 450-471  B 500-509");
    assert_eq!(limit(&outcome).periods, 3, "at 100, 200 and 500");
}

/// B and C draw 5 ms each at 9.5, and return 3 each at 10.5. A was throttled at 10: 5 ms after the
/// return it has the 6 ms.
#[test]
fn returned_runtime_is_given_out_after_a_while() {
    let outcome = exact(3, "quota = '20ms'").run(&[(0.0, "20"), (9.5, "1"), (9.5, "1")]);
    assert_eq!(outcome.core(0), "A 0-10  A 15.5-21.5  A 100-104");
    assert_eq!(outcome.ends(), ["104", "10.5", "10.5"]);
}

#[test]
fn a_task_that_is_taken_back_while_throttled_is_gone() {
    let outcome =
        exact(1, "quota = '20ms'").run_with(&[(0.0, "40"), (30.0, "5")], &[(0, 50.0, true)]);
    assert_eq!(outcome.core(0), "A 0-20  B 100-105");
    let waited = limit(&outcome).waited_s;
    assert!((waited - 0.1).abs() < 1e-12, "A from 20 to 50, B from 30 to 100: {waited}");
}

#[test]
fn what_does_not_go_together_is_refused() {
    let refusals = [
        ("cpu_limit = 1\nquota = '10ms'", "does not go with cpu_limit"),
        ("burst = '10ms'", "needs a limit"),
        ("period = '10ms'", "needs a limit"),
        ("quota = '0.9ms'", "less than 1ms"),
        ("cpu_limit = '5m'", "less than 1ms"),
        ("cpu_limit = '5k'", "no number of cores"),
        ("cpu_limit = '-1'", "no number of cores"),
        ("quota = '10ms'\nperiod = '2s'", "from 1ms to 1s"),
        ("quota = '10ms'\nburst = '11ms'", "at most the quota"),
    ];
    for (lines, words) in refusals {
        let refusal = on("linux-cfs", 1).machine(lines).refusal();
        assert!(refusal.contains(words), "{lines}: {refusal}");
    }
    for (os, words) in [("processor-sharing", "processor sharing"), ("windows-xp", "one run queue")]
    {
        let refusal = on(os, 1).machine("quota = '10ms'").refusal();
        assert!(refusal.contains(words), "{os}: {refusal}");
    }
}

/// The running time of the machine's own service between two times.
fn used(outcome: &Outcome, from: Nanos, until: Nanos) -> u64 {
    let own = outcome.turns.iter().filter(|turn| turn.service == 0);
    own.map(|turn| turn.until.min(until).since(turn.from.max(from)).0).sum()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(20110721), ..ProptestConfig::default() })]

    /// All requests end, with their demand. No group uses more than the quotas of its periods, and
    /// a tick on each core; nor in any time more than what may have been left, with a slice on
    /// each.
    #[test]
    fn no_group_has_more_than_its_limit(
        (case, workload) in (case(), workload()),
        (period, share, burst) in (1..120u64, 1..200u64, 0..3u64),
        cores in 1..5u32,
    ) {
        let quota = (period * 10_000 * share).max(1_000_000);
        let burst = quota / 2 * burst;
        let lines = format!(
            "cores = {cores}\nperiod = '{period}ms'\nquota = '{quota}ns'\nburst = '{burst}ns'"
        );
        let case = case.limited(&lines);
        prop_assume!(case.refusal() == "accepted");
        let requests = requests(&workload);
        let outcome = case.run(&requests);
        prop_assert_eq!(&case.run(&requests), &outcome);
        prop_assume!(outcome.turns.len() < 4096);
        for (at, left) in outcome.left.iter().enumerate() {
            prop_assert!(left.is_some_and(|one| one.error.is_none()), "{at} is lost: {case:?}");
            let received = outcome.received(at as u64, Nanos::MAX);
            prop_assert_eq!(received, left.unwrap().demand, "request {} of {:?}", at, case);
        }
        let (slice, tick, length) = (5_000_000, 4_000_000, period * 1_000_000);
        let on_all = |each: u64| u64::from(cores) * each;
        let additions = outcome.summaries[0].limits[0].periods + 1;
        let all = used(&outcome, Nanos::ZERO, Nanos::MAX);
        prop_assert!(all <= additions * quota + on_all(tick), "{all} in all: {case:?}");
        // Any such time has one period's begin: what was left before it, and the quota.
        for at in 0..50 {
            let one = used(&outcome, Nanos(at * length), Nanos((at + 1) * length));
            let most = 2 * quota + burst + on_all(slice + tick);
            prop_assert!(one <= most, "{one} in {at}: {case:?}");
        }
    }

    /// A limit that cannot be reached changes nothing. Such a quota has a slice and a tick for each
    /// core beyond the cores' time: with less, the kernel throttles a core at times as well, while
    /// others have runtime that they do not use.
    #[test]
    fn a_limit_out_of_reach_changes_nothing((case, workload) in (case(), workload())) {
        let limited = case.clone().machine("quota = '480ms'");
        prop_assume!(limited.refusal() == "accepted");
        let requests = requests(&workload);
        let (free, mut bound) = (case.run(&requests), limited.run(&requests));
        bound.summaries[0].limits.clear();
        prop_assert_eq!(free, bound);
    }
}
